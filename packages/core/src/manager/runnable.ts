import type { Aware } from '../multicluster/aware.ts';

/**
 * When the manager starts a runnable: servers, then caches, then the rest; leader-elected ones when this process
 * leads. They are stopped the other way round.
 */
export type RunnableGroup = 'server' | 'cache' | 'other' | 'leader-elected';

/** Long-running work that the manager starts and stops. One that is also {@link Aware} is told of every cluster. */
export interface Runnable extends Partial<Pick<Aware, 'engage'>> {
  /** Resolves after the abort. A rejection stops the manager. */
  run(signal: AbortSignal): Promise<void>;
  /** Default: `other`. */
  readonly group?: RunnableGroup;
}
