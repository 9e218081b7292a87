import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createKindBinary } from '@mcr/provider-kind';
import type { RunningCluster } from '../backend/run.ts';
import { isAlive, NAME_PREFIX, runIdOf } from '../backend/run.ts';
import type { Progress } from './progress.ts';
import { kindClusters } from './surroundings.ts';

const ROLES = ['hub', 'member-1', 'member-2'] as const;

/** Deletion must also work after the run was interrupted, so it has a deadline of its own, in milliseconds. */
const DELETION = 300_000;

export interface KindRun {
  readonly runId: string;
  /** Directory for the kubeconfigs. */
  readonly directory: string;
  readonly image?: string;
  readonly progress: Progress;
  /** Aborts the creation. */
  readonly signal: AbortSignal;
}

/** Creates a hub and two members, named for the run. */
export async function createKindClusters({
  runId,
  directory,
  image,
  progress,
  signal,
}: KindRun): Promise<RunningCluster[]> {
  const kind = createKindBinary();
  const create = async (role: string): Promise<RunningCluster> => {
    const name = `${NAME_PREFIX}${runId}-${role}`;
    const kubeconfig = await progress.during(`kind create cluster --name ${name}`, () =>
      kind.create(name, { ...(image !== undefined && { image }), signal }),
    );
    const path = join(directory, `${role}.kubeconfig`);
    await writeFile(path, kubeconfig, { mode: 0o600 });
    return { path, context: `kind-${name}` };
  };
  const [first, ...rest] = ROLES;
  // The first one downloads the image, the others need not.
  const hub = await create(first);
  const members = await Promise.allSettled(rest.map(create));
  const failed = members.find((member) => member.status === 'rejected');
  if (failed) throw failed.reason;
  return [hub, ...members.flatMap((member) => (member.status === 'fulfilled' ? [member.value] : []))];
}

/** Deletes the Kind clusters of one run, including those that scenarios created. */
export async function deleteKindClusters(runId: string, progress: Progress): Promise<void> {
  const signal = AbortSignal.timeout(DELETION);
  const kind = createKindBinary();
  const names = (await kind.clusters(signal)).filter((name) => runIdOf(name) === runId);
  for (const name of names) {
    await progress.during(`kind delete cluster --name ${name}`, () => kind.delete(name, signal));
  }
}

/** The runs that have Kind clusters. @throws {UsageError} if `kind` cannot be used. */
export async function runsWithKindClusters(signal: AbortSignal): Promise<string[]> {
  const names = await kindClusters(signal);
  return [...new Set(names.flatMap((name) => runIdOf(name) ?? []))];
}

/** Whether the objects and clusters of a run may be deleted, and reports those that may not. */
export function isAbandoned(runId: string, force: boolean, progress: Progress): boolean {
  if (force || !isAlive(runId)) return true;
  progress.say(
    `run ${runId} is still in progress (process ${Number.parseInt(runId, 36)}): left alone; --force deletes it too`,
  );
  return false;
}
