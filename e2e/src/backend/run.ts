import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';

/** The backends that `pnpm e2e` knows. `existing` is chosen by `--existing`. */
export const BACKENDS = ['embedded', 'binaries', 'kind', 'existing'] as const;
export type BackendName = (typeof BACKENDS)[number];

/** A cluster that runs before the scenarios do: a context of a kubeconfig file. */
export interface RunningCluster {
  readonly path: string;
  readonly context: string;
}

/** Data that the runner passes to the scenarios, as JSON in the environment variable `MCR_E2E_RUN`. */
export interface Run {
  readonly id: string;
  readonly backend: BackendName;
  /** The hub, then the members. Empty if every scenario starts its own control planes. */
  readonly clusters: readonly RunningCluster[];
  /** CustomResourceDefinitions that the hub already has: scenarios must not install or delete them. */
  readonly takenDefinitions: readonly string[];
  /** The directory for files of scenarios; the runner deletes it at the end. */
  readonly directory: string;
}

export const RUN_VARIABLE = 'MCR_E2E_RUN';

/** Prefix of every cluster, namespace and cluster-scoped object of a run. */
export const NAME_PREFIX = 'mcr-e2e-';

/** Label of every namespace and cluster-scoped object that a scenario creates; the value is the id of the run. */
export const RUN_LABEL = 'e2e.mcr.dev/run';

/** The id of a new run. It contains the process id, which distinguishes a running run from a crashed one. */
export function newRunId(pid = process.pid): string {
  return `${pid.toString(36)}-${randomBytes(3).toString('hex')}`;
}

/** Returns the id of the run that created the name, if any. */
export function runIdOf(name: string): string | undefined {
  return new RegExp(`^${NAME_PREFIX}([0-9a-z]+-[0-9a-f]{6})(-|$)`, 'u').exec(name)?.[1];
}

/** Whether the process of the run exists on this machine. */
export function isAlive(runId: string): boolean {
  const pid = Number.parseInt(runId, 36);
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** The run that this process belongs to. Without the runner: one on the embedded server. */
export function currentRun(env: NodeJS.ProcessEnv = process.env): Run {
  const text = env[RUN_VARIABLE];
  if (text === undefined) {
    return { id: newRunId(), backend: 'embedded', clusters: [], takenDefinitions: [], directory: tmpdir() };
  }
  return JSON.parse(text) as Run;
}
