import { lstat, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive, runIdOf } from '../backend/run.ts';
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

/** Deletes what crashed runs left behind: their directories, and either objects in existing clusters or Kind clusters. */
export async function clean({ existing, force }: CleanOptions, progress: Progress): Promise<void> {
  const decided = new Map<string, boolean>();
  const isOurs = (runId: string): boolean => {
    const decision = decided.get(runId) ?? isAbandoned(runId, force, progress);
    decided.set(runId, decision);
    return decision;
  };
  await deleteDirectories();
  if (existing.length > 0) {
    await using stack = new AsyncDisposableStack();
    const clusters = await openExisting(existing, { most: Infinity, stack });
    for (const cluster of clusters) {
      const deleted = await progress.during(`context ${cluster.context}`, () => sweepCompletely(cluster, { isOurs }));
      for (const { kind, name } of deleted) progress.say(`  deleted ${kind} ${name}`);
    }
    return;
  }
  const abandoned = (await runsWithKindClusters(AbortSignal.timeout(30_000))).filter(isOurs);
  for (const runId of abandoned) await deleteKindClusters(runId, progress);
  progress.say(abandoned.length > 0 ? 'all clusters of crashed runs are deleted' : 'no clusters of crashed runs found');
}

/**
 * Deletes the directories of crashed runs, which hold kubeconfigs with credentials of administrators. A run in progress
 * keeps its own, whatever `force` says.
 */
async function deleteDirectories(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const runId = runIdOf(name);
    if (runId === undefined) continue;
    const path = join(tmpdir(), name);
    // Other users of this machine have runs too.
    const isMine = (await lstat(path)).uid === process.getuid?.();
    if (isMine && !isAlive(runId)) await rm(path, { recursive: true, force: true });
  }
}
