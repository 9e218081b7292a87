import type { Aware } from '../fleet/multicluster/aware.ts';

/**
 * When the manager starts a runnable: servers, then caches, then the rest; leader-elected ones when this process
 * leads; what brings clusters last. They are stopped the other way round.
 */
export type RunnableGroup = 'server' | 'cache' | 'other' | 'leader-elected' | 'provider';

/**
 * Long-running work that the manager starts and stops. A runnable that is also {@link Aware} is notified of every
 * cluster of the fleet, and of the local cluster `''` if it opts in.
 */
export interface Runnable extends Partial<Pick<Aware, 'engage'>> {
  /** Resolves after the abort. A rejection stops the manager. */
  run(signal: AbortSignal): Promise<void>;
  /**
   * What a leader-elected runnable can do before this process leads, such as to fill its caches. The manager calls it
   * once, does not wait for it, and calls {@link run} in the same process later, if ever. A rejection stops the manager.
   * (Upstream: `manager.warmupRunnable`.)
   *
   * @param signal aborts when the manager stops, after that of {@link run}.
   */
  warmUp?(signal: AbortSignal): Promise<void>;
  /**
   * Whether `engage` is called for the local cluster `''` as well. Default: false, so that a loop over the fleet does not
   * write to the hub. (Upstream: the local cluster is never engaged.)
   */
  readonly engageLocal?: boolean;
  /**
   * Says what it is and still does, for example `controller "x" still reconciles default/one`. Called if it has not stopped
   * within the manager's grace period, for the error of `start`. Default: its class.
   */
  describe?(): string;
  /** Default: `other`. */
  readonly group?: RunnableGroup;
}
