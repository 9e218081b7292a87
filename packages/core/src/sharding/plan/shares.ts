import type { MemberName } from './plan.ts';

/** A member that may be given slots. */
export interface Receiver {
  readonly name: MemberName;
  /** Positive. */
  readonly weight: number;
}

/** How much each member carries, compared with its fair share of the total. */
export class Shares {
  /** Sum of all fair shares. */
  readonly total: number;
  readonly #fair = new Map<MemberName, number>();
  readonly #carried = new Map<MemberName, number>();
  readonly #receivers: readonly Receiver[];

  /** @param receivers Sorted by name, so that all members compute the same plan. */
  constructor(receivers: readonly Receiver[], total: number) {
    this.total = total;
    this.#receivers = receivers;
    const weights = receivers.reduce((sum, { weight }) => sum + weight, 0);
    for (const { name, weight } of receivers) this.#fair.set(name, (total * weight) / weights);
  }

  /** Fair share of a member. 0 if it is not a receiver. */
  fair(name: MemberName): number {
    return this.#fair.get(name) ?? 0;
  }

  /** Load that a member is below its fair share. Negative if it is above. */
  room(name: MemberName): number {
    return this.fair(name) - (this.#carried.get(name) ?? 0);
  }

  add(name: MemberName, load: number): void {
    this.#carried.set(name, (this.#carried.get(name) ?? 0) + load);
  }

  move(load: number, { from, to }: { readonly from: MemberName; readonly to: MemberName }): void {
    this.add(from, -load);
    this.add(to, load);
  }

  /**
   * Returns the receiver that is furthest below its fair share, the first by name among equals.
   *
   * A member that is given a slot by this rule never carries more than its fair share plus this slot. The rule "lowest
   * load by weight" does not guarantee this: it prefers members of large weight.
   */
  roomiest(): MemberName {
    let best: MemberName | undefined;
    let most = -Infinity;
    for (const { name } of this.#receivers) {
      const room = this.room(name);
      if (room <= most) continue;
      best = name;
      most = room;
    }
    if (best === undefined) throw new RangeError('a plan needs a member that can own slots');
    return best;
  }
}
