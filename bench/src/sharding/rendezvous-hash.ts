import { fnv1a64 } from '@mcr/core';

/**
 * Returns the number of clusters of the busiest replica if a rendezvous hash of the names decides, as in the sharded
 * coordinator of multicluster-runtime for Go, divided by the fair share. Replicas have the names of the Pods of a
 * StatefulSet.
 */
export function rendezvousImbalance(clusters: number, replicas: number): number {
  const counts = new Array<number>(replicas).fill(0);
  for (let cluster = 0; cluster < clusters; cluster += 1) {
    let owner = 0;
    let best = -1n;
    for (let replica = 0; replica < replicas; replica += 1) {
      const score = fnv1a64(`cluster-${cluster}|replica-${replica}`);
      if (score >= best) [owner, best] = [replica, score];
    }
    counts[owner] = (counts[owner] ?? 0) + 1;
  }
  return Math.max(...counts) / (clusters / replicas);
}
