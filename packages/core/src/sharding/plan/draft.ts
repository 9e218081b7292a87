import type { MovableSlot } from './balance.ts';
import { byLoad } from './balance.ts';
import { effectiveLoads } from './loads.ts';
import type { PlanInput } from './plan-input.ts';
import type { MemberName, Plan, SlotAssignment } from './plan.ts';
import type { Roster } from './roster.ts';
import { Shares } from './shares.ts';
import { waitAfter } from './wait.ts';

/** The next plan while it is made. Starts as the previous plan, without members that cannot own slots any more. */
export class Draft {
  /** Slots with load. */
  readonly loaded: Shares;
  /** Slots without load. Each counts as 1. */
  readonly empty: Shares;
  readonly #input: PlanInput;
  readonly #roster: Roster;
  readonly #loads: Float64Array;
  readonly #owners: (MemberName | undefined)[] = [];
  readonly #next: (MemberName | undefined)[] = [];

  constructor(input: PlanInput, roster: Roster) {
    this.#input = input;
    this.#roster = roster;
    this.#loads = effectiveLoads(input.slots, input.loads);
    const receivers = new Set(roster.receivers.map(({ name }) => name));
    let load = 0;
    let empty = 0;
    for (let slot = 0; slot < input.slots; slot++) {
      const before = input.previous?.slots[slot];
      const owner = before && !input.out.has(before.owner) ? before.owner : undefined;
      const next = before?.next !== undefined && receivers.has(before.next) ? before.next : undefined;
      this.#owners.push(owner);
      this.#next.push(next);
      // Slots stay with members whose Leases cannot be read: they do not count for the fair shares.
      if (owner !== undefined && next === undefined && !roster.known.has(owner)) continue;
      load += this.load(slot);
      if (this.load(slot) === 0) empty += 1;
    }
    this.loaded = new Shares(roster.receivers, load);
    this.empty = new Shares(roster.receivers, empty);
    for (let slot = 0; slot < input.slots; slot++) {
      const holder = this.#next[slot] ?? this.#owners[slot];
      if (holder !== undefined) this.#sharesOf(slot).add(holder, this.#size(slot));
    }
  }

  load(slot: number): number {
    return this.#loads[slot] ?? 0;
  }

  owner(slot: number): MemberName | undefined {
    return this.#owners[slot];
  }

  /** The member that prepares the slot. */
  next(slot: number): MemberName | undefined {
    return this.#next[slot];
  }

  /** Returns the slots that fulfil a condition. */
  slots(condition: (slot: number) => boolean): number[] {
    const found: number[] = [];
    for (let slot = 0; slot < this.#owners.length; slot++) if (condition(slot)) found.push(slot);
    return found;
  }

  /** Returns the slots with load, or those without, that their owners can give away for balance. */
  movable(shares: Shares): ReadonlyMap<MemberName, readonly MovableSlot[]> {
    const movable = new Map<MemberName, MovableSlot[]>();
    for (const [slot, owner] of this.#owners.entries()) {
      if (owner === undefined || this.#next[slot] !== undefined || !this.#roster.known.has(owner)) continue;
      if (this.#sharesOf(slot) !== shares) continue;
      const slots = movable.get(owner);
      const one = { slot, load: this.#size(slot) };
      if (slots) slots.push(one);
      else movable.set(owner, [one]);
    }
    return movable;
  }

  /** Names a next owner that was chosen, and counted, for balance. */
  prepare(slot: number, next: MemberName): void {
    this.#next[slot] = next;
  }

  /** Chooses the next owner of slots, those with the largest load first. */
  assignNext(slots: readonly number[]): void {
    const sized = slots.map((slot) => ({ slot, load: this.load(slot) }));
    for (const { slot } of sized.sort(byLoad)) {
      const shares = this.#sharesOf(slot);
      const receiver = shares.roomiest();
      const owner = this.#owners[slot];
      if (owner !== undefined) shares.add(owner, -this.#size(slot));
      shares.add(receiver, this.#size(slot));
      this.#next[slot] = receiver;
    }
  }

  /** Gives slots to their next owners. */
  handOver(slots: readonly number[]): void {
    for (const slot of slots) {
      if (this.#next[slot] === undefined) continue;
      this.#owners[slot] = this.#next[slot];
      this.#next[slot] = undefined;
    }
  }

  /** Whether the draft says anything else than the previous plan. */
  differs(): boolean {
    const { previous } = this.#input;
    const { members } = this.#roster;
    if (previous?.members.length !== members.length) return true;
    if (!members.every((name, index) => name === previous.members[index])) return true;
    return previous.slots.some(({ owner, next }, slot) => owner !== this.#owners[slot] || next !== this.#next[slot]);
  }

  plan(): Plan {
    const { epoch, id } = this.#input;
    const slots = this.#owners.map((owner, slot) => this.#assignment(slot, owner));
    return { epoch, id, members: this.#roster.members, slots };
  }

  #assignment(slot: number, owner: MemberName | undefined): SlotAssignment {
    const { previous, epoch, out } = this.#input;
    const { members, known } = this.#roster;
    if (owner === undefined) throw new Error(`slot ${slot} was given to no member`);
    const next = this.#next[slot];
    const before = previous?.slots[slot];
    return {
      owner,
      since: before?.owner === owner ? before.since : epoch,
      // Without a readable plan, each member may hold each slot.
      wait: previous
        ? waitAfter({ previous, slot, owner, out, acknowledgements: known })
        : members.filter((name) => name !== owner),
      ...(next === undefined ? {} : { next }),
    };
  }

  #size(slot: number): number {
    return this.load(slot) || 1;
  }

  #sharesOf(slot: number): Shares {
    return this.load(slot) > 0 ? this.loaded : this.empty;
  }
}
