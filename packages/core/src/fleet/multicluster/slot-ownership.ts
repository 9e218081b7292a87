import type { WriteFence } from '../fence/write-fence.ts';
import type { OwnershipState } from './ownership.ts';

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
  /** Records a controller whose requests are divided. Replicas of a group have a controller in common. */
  addController(name: string): void;
  /** Records that a reconcile of the slot begins. Call the result once when it has ended. */
  begin(slot: number): () => void;
  /**
   * Calls `listener` after slots changed their state, with all slots that did.
   *
   * @returns a function that removes the listener.
   */
  onChange(listener: (changes: ReadonlyMap<number, OwnershipState>) => void): () => void;
}
