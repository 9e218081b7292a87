import { systemClock } from '@mcr/client';
import { WriteFence } from '../../fleet/fence/write-fence.ts';
import type { OwnershipState } from '../../fleet/multicluster/ownership.ts';
import type { Division, SlotOwnership } from '../../fleet/multicluster/slot-ownership.ts';

type Listener = Parameters<SlotOwnership['onChange']>[0];

/** The slots of a group that the test controls. They are served elsewhere until their state is set. */
export class FakeSlots implements SlotOwnership {
  readonly count: number;
  /** Owners of slots whose owner does not follow from their state. */
  readonly owners = new Map<number, string>();
  /** Number of reconciles in progress, by slot. */
  readonly reconciles = new Map<number, number>();
  readonly controllers = new Map<string, Division>();
  readonly #states = new Map<number, OwnershipState>();
  readonly #listeners = new Set<Listener>();

  constructor(count = 16) {
    this.count = count;
  }

  get all(): number[] {
    return Array.from({ length: this.count }, (_, slot) => slot);
  }

  /** Changes the state of slots, as one change of the plan does. */
  set(state: OwnershipState, ...slots: readonly number[]): void {
    for (const slot of slots) this.#states.set(slot, state);
    for (const listener of [...this.#listeners]) listener(new Map(slots.map((slot) => [slot, state])));
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  stateOf(slot: number): OwnershipState {
    return this.#states.get(slot) ?? 'elsewhere';
  }

  ownerOf(slot: number): string {
    return this.owners.get(slot) ?? (this.stateOf(slot) === 'active' ? 'replica-a' : 'replica-b');
  }

  fenceOf(slot: number): WriteFence {
    const mayWrite = () => this.stateOf(slot) === 'active';
    return new WriteFence({ clusterName: '', clock: systemClock, mayWrite });
  }

  addController(name: string, division: Division): void {
    this.controllers.set(name, division);
  }

  begin(slot: number): () => void {
    const count = (by: number) => void this.reconciles.set(slot, (this.reconciles.get(slot) ?? 0) + by);
    count(1);
    return () => count(-1);
  }

  onChange(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
