import type { OwnershipState } from '../fleet/multicluster/ownership.ts';

/** How this replica serves the slots of its group. The membership decides it, and {@link SlotWork} acts on it. */
export interface SlotMembership {
  /** Number of slots of the group. */
  readonly slots: number;
  /** Deadline of each write, in milliseconds. */
  readonly writeDeadline: number;
  stateOf(slot: number): OwnershipState;
  /** Whether this replica may send a write for the slot at this instant, also after a blocked event loop. */
  mayWrite(slot: number): boolean;
  /** Returns the replica that owns the slot. `undefined` if it is not known. */
  ownerOf(slot: number): string | undefined;
  /** Returns why {@link mayWrite} is false, if this replica owns the slot or no other is known to own it. One sentence. */
  refusalOf(slot: number): string | undefined;
  /**
   * Calls `listener` after slots changed their state, with all slots that did. Returns a function that removes the
   * listener.
   */
  onChange(listener: (changes: ReadonlyMap<number, OwnershipState>) => void): () => void;
}

/** The work of this replica by slot, as the membership needs to know it. */
export interface SlotWork {
  /** Returns the number of clusters of each slot. Slots that are not in it have none. */
  loads(): ReadonlyMap<number, number>;
  /** Returns the measured load of each slot, in the same unit in all replicas. Default: the number of clusters. */
  measure?(): ReadonlyMap<number, number>;
  /** Whether the clusters of a slot in the state `warming` are prepared. */
  isWarm(slot: number): boolean;
  /** Whether no reconcile of the slot is in progress. */
  isIdle(slot: number): boolean;
  /** Whether no write of the slot can still be applied. */
  isSettled(slot: number): boolean;
  /**
   * Calls `listener` when a slot may have become warm, idle or settled, or the loads changed (`undefined`). Returns a
   * function that removes the listener.
   */
  onProgress(listener: (slot: number | undefined) => void): () => void;
}
