import type { ReplicaStatus, ServedCluster } from './replica-status.ts';

/** How much a replica knows about a cluster, by the state of its ownership. Other states count as 0. */
const OWNERSHIP = new Map([
  ['active', 3],
  ['draining', 2],
  ['warming', 1],
]);

/** How much a process without shards knows about a cluster, by phase. Other phases count as 1. */
const PHASES = new Map([
  ['Discovered', 0],
  ['Disengaged', 0],
]);

/**
 * Merges the clusters of replicas, sorted by name. Of a cluster that several replicas report, the status of the one that
 * serves it is returned; if none or several do, the latest one.
 */
export function mergeReplicas(replicas: readonly ReplicaStatus[]): readonly ServedCluster[] {
  const merged = new Map<string, ServedCluster>();
  for (const cluster of replicas.flatMap(({ clusters }) => clusters)) {
    const known = merged.get(cluster.name);
    if (!known || isPreferred(cluster, known)) merged.set(cluster.name, cluster);
  }
  return [...merged.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function isPreferred(cluster: ServedCluster, known: ServedCluster): boolean {
  const difference = knowledgeOf(cluster) - knowledgeOf(known);
  return difference === 0 ? cluster.since > known.since : difference > 0;
}

function knowledgeOf({ ownership, phase }: ServedCluster): number {
  return ownership ? (OWNERSHIP.get(ownership.state) ?? 0) : (PHASES.get(phase) ?? 1);
}
