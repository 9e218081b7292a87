import type { Aware } from '../fleet/multicluster/aware.ts';

/**
 * Group of a runnable. Groups start in the order `server`, `cache`, `other`, and then, when this process leads,
 * `leader-elected` and `provider`. They stop in reverse order. With the option `sharding`, the membership of this replica
 * starts after `cache`.
 */
export type RunnableGroup = 'server' | 'cache' | 'other' | 'leader-elected' | 'provider';

/**
 * Long-running work that the manager starts and stops. A runnable that is also {@link Aware} is engaged with every
 * cluster of the fleet, and with the local cluster `''` if it opts in. In a sharded fleet, it is engaged with the clusters
 * that this replica owns; the signal aborts when the replica begins to give the cluster away.
 */
export interface Runnable extends Partial<Pick<Aware, 'engage'>> {
  /** Runs until `signal` aborts, and resolves then. A rejection stops the manager. */
  run(signal: AbortSignal): Promise<void>;
  /**
   * Prepares a leader-elected runnable before this process leads, for example by filling its caches. The manager calls
   * it once and does not wait for it. {@link run} follows in the same process if it becomes the leader. A rejection
   * stops the manager. (Upstream: `manager.warmupRunnable`.)
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
   * Whether `engage` is also called for the clusters that this replica of a sharded fleet prepares, before it owns them.
   * Writes to them are refused until then. Controllers fill their caches in this time. Default: false.
   */
  readonly engagePrepared?: boolean;
  /**
   * Returns a description of the runnable and its current work, for example `controller "x" still reconciles
   * default/one`. The error of `start` includes it if the runnable has not stopped within the grace period. Default:
   * the name of its class.
   */
  describe?(): string;
  /** Place in the start order. Default: `other`. */
  readonly group?: RunnableGroup;
}
