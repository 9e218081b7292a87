import { sweepCompletely } from '../backend/sweep.ts';
import { openExisting } from './existing-clusters.ts';
import { deleteKindClusters, isAbandoned, runsWithKindClusters } from './kind-clusters.ts';
import type { Progress } from './progress.ts';

export interface CleanOptions {
  /** Kubeconfig files of clusters in which a run crashed. */
  readonly existing: readonly string[];
  /** Also deletes the clusters and objects of runs whose process id is in use. */
  readonly force: boolean;
}

/** Deletes what crashed runs left behind. */
export async function clean({ existing, force }: CleanOptions, progress: Progress): Promise<void> {
  if (existing.length > 0) {
    await using stack = new AsyncDisposableStack();
    const clusters = await openExisting(existing, { most: Infinity, stack });
    for (const cluster of clusters) {
      const spared = new Map<string, boolean>();
      const isOurs = (runId: string): boolean => {
        const known = spared.get(runId) ?? isAbandoned(runId, force, progress);
        spared.set(runId, known);
        return known;
      };
      const deleted = await progress.during(`context ${cluster.context}`, () => sweepCompletely(cluster, { isOurs }));
      for (const { kind, name } of deleted) progress.say(`  deleted ${kind} ${name}`);
    }
    return;
  }
  const runs = await runsWithKindClusters(AbortSignal.timeout(30_000));
  const abandoned = runs.filter((runId) => isAbandoned(runId, force, progress));
  for (const runId of abandoned) await deleteKindClusters(runId, progress);
  progress.say(abandoned.length > 0 ? 'all clusters of crashed runs are deleted' : 'no clusters of crashed runs found');
}
