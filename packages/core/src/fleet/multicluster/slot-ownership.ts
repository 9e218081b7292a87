import type { WriteFence } from '../fence/write-fence.ts';
import type { OwnershipState } from './ownership.ts';

/**
 * How the requests of a controller are divided among replicas: by the name of their cluster, or by `shardBy`. Two replicas
 * that divide the requests of one controller in two ways would both reconcile some objects.
 */
export type Division = 'cluster' | 'uid' | 'namespace' | 'function';

/**
 * How this process serves the slots of its group. The name of a cluster belongs to a slot, and so does the key of a
 * request if a controller divides the requests of the local cluster.
 */
export interface SlotOwnership {
  /** Number of slots of the group, a power of two. */
  readonly count: number;
  stateOf(slot: number): OwnershipState;
  /** Returns the replica that owns a slot. `undefined` if it is not known. */
  ownerOf(slot: number): string | undefined;
  /** Returns the fence that writes to the local cluster pass if their request belongs to the slot. */
  fenceOf(slot: number): WriteFence;
  /**
   * Records a controller whose requests are divided. Replicas of a group have a controller in common, and divide the
   * requests of each in the same way.
   */
  addController(name: string, division: Division): void;
  /** Records that a reconcile of the slot begins. Call the result once when it has ended. */
  begin(slot: number): () => void;
  /**
   * Calls `listener` after slots changed their state, with all slots that did.
   *
   * @returns a function that removes the listener.
   */
  onChange(listener: (changes: ReadonlyMap<number, OwnershipState>) => void): () => void;
}
