import { randomBytes } from 'node:crypto';

/** The backends that `pnpm e2e` knows. `existing` is chosen by `--existing`. */
export const BACKENDS = ['embedded', 'binaries', 'kind', 'existing'] as const;
export type BackendName = (typeof BACKENDS)[number];

/** A cluster that runs before the scenarios do: a context of a kubeconfig file. */
export interface RunningCluster {
  readonly path: string;
  readonly context: string;
}

/** What the runner tells the scenarios, as JSON in the environment variable `MCR_E2E_RUN`. */
export interface Run {
  readonly id: string;
  readonly backend: BackendName;
  /** The hub, then the members. Empty if every scenario starts its own control planes. */
  readonly clusters: readonly RunningCluster[];
  /** CustomResourceDefinitions that the hub has of its own: scenarios must not install or delete them. */
  readonly takenDefinitions: readonly string[];
}

export const RUN_VARIABLE = 'MCR_E2E_RUN';

/** Every name that a run gives to a cluster, namespace or cluster-scoped object begins with this. */
export const NAME_PREFIX = 'mcr-e2e-';

/** Label of every namespace and cluster-scoped object that a scenario creates; the value is the id of the run. */
export const RUN_LABEL = 'e2e.mcr.dev/run';

/** The id of a new run. It contains the process id, so that a run that is still going on can be told from a crashed one. */
export function newRunId(pid = process.pid): string {
  return `${pid.toString(36)}-${randomBytes(3).toString('hex')}`;
}

/** The id of the run that gave the name, if one did. */
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
  if (text === undefined) return { id: newRunId(), backend: 'embedded', clusters: [], takenDefinitions: [] };
  return JSON.parse(text) as Run;
}
