import type { WriteFence } from '../fence/write-fence.ts';
import type { ClusterName } from './cluster-name.ts';

/**
 * How this process serves a cluster of a sharded fleet:
 *
 * - `elsewhere`: another process owns it. It is not connected here.
 * - `warming`: this process is its next owner. It is connected and its caches sync, but its requests wait.
 * - `active`: this process owns it.
 * - `draining`: this process gives it away. Reconciles in progress may end, and no further one begins.
 */
export type OwnershipState = 'elsewhere' | 'warming' | 'active' | 'draining';

/** Decides which clusters of a fleet this process serves. */
export interface Ownership {
  /** Returns the state of a cluster, also if the fleet does not contain it. */
  stateOf(name: ClusterName): OwnershipState;
  /** Returns the replica that owns a cluster, for example the name of its Pod. `undefined` if it is not known. */
  ownerOf(name: ClusterName): string | undefined;
  /** Records that the fleet contains a cluster, so that its load counts. Repeated calls have no effect. */
  declare(name: ClusterName): void;
  /** Records that the fleet no longer contains a cluster. */
  forget(name: ClusterName): void;
  /** Records that a cluster in the state `warming` is ready to be owned: it has synced, or it cannot be reached. */
  warmed(name: ClusterName): void;
  /** Returns the fence that the writes of the cluster's owner pass. Only the owner may write. */
  fenceOf(name: ClusterName): WriteFence;
  /** Records that a reconcile of the cluster begins. Call the result once when it has ended. */
  begin(name: ClusterName): () => void;
  /**
   * Calls `listener` after the state of declared clusters changed, once for each change of the plan.
   *
   * @returns a function that removes the listener.
   */
  onChange(listener: (changes: ReadonlyMap<ClusterName, OwnershipState>) => void): () => void;
}
