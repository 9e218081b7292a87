import type { PlanLimits } from './plan-input.ts';
import type { MemberName } from './plan.ts';
import type { Shares } from './shares.ts';

/** A slot that may move for balance. */
export interface MovableSlot {
  readonly slot: number;
  readonly load: number;
}

/** A slot that should move for balance. */
export interface Move extends MovableSlot {
  readonly from: MemberName;
  readonly to: MemberName;
}

export interface BalanceInput {
  /** Load of each member. Updated with the moves. */
  readonly shares: Shares;
  /** Slots of each member that may move. */
  readonly movable: ReadonlyMap<MemberName, readonly MovableSlot[]>;
  readonly receivers: readonly MemberName[];
  readonly limits: Pick<PlanLimits, 'tolerance' | 'target'>;
}

/** Differences below this fraction of the total are rounding errors. */
const PRECISION = 1e-9;

/** Tolerance while single slots are that large: without it, a change of members would also move other slots. */
const COARSE_TOLERANCE = 0.25;

/** A member is filled up only with slots up to this fraction of the distance to the giver, so that moves do not cascade. */
const WORTHWHILE = 0.75;

/**
 * Returns moves that relieve overloaded members and fill up those with too little, and nothing else, so that a change of
 * members moves little more than it has to.
 *
 * Each move lowers the sum of the squares of all deviations from the fair shares. Members that give slots take none, and
 * the reverse, so this also holds for any subset of the moves that keeps their order. Therefore plans come to an end as
 * long as the loads do not change.
 */
export function balance({ shares, movable, receivers, limits }: BalanceInput): Move[] {
  const givers = [...movable.keys()].filter((name) => shares.room(name) < 0).sort();
  const takers = receivers.filter((name) => shares.room(name) > 0).sort();
  const stock = new Map(givers.map((name) => [name, [...(movable.get(name) ?? [])].sort(byLoad)]));
  const moves: Move[] = [];
  const heaviest = Math.max(0, ...[...stock.values()].map(([first]) => first?.load ?? 0));
  const tolerated = (name: MemberName) => {
    const fair = shares.fair(name);
    return Math.max(limits.tolerance * fair, Math.min(heaviest, COARSE_TOLERANCE * fair));
  };
  const moveOne = (from: MemberName, to: MemberName, part: number) => {
    const slots = stock.get(from) ?? [];
    const excess = -shares.room(from);
    const room = shares.room(to);
    const index = pick(slots, { excess, room, limit: (excess + room) * part - shares.total * PRECISION });
    const [chosen] = index === undefined ? [] : slots.splice(index, 1);
    if (!chosen) return false;
    shares.move(chosen.load, { from, to });
    moves.push({ ...chosen, from, to });
    return true;
  };

  for (const giver of byDeviation(givers, shares)) {
    if (-shares.room(giver) <= tolerated(giver)) continue;
    while (-shares.room(giver) > limits.target * shares.fair(giver)) {
      const taker = extreme(takers, (name) => shares.room(name));
      if (taker === undefined || shares.room(taker) <= 0 || !moveOne(giver, taker, 1)) break;
    }
  }
  for (const taker of byDeviation(takers, shares)) {
    if (shares.room(taker) <= tolerated(taker)) continue;
    while (shares.room(taker) > limits.target * shares.fair(taker)) {
      const giver = extreme(givers, (name) => -shares.room(name));
      if (giver === undefined || shares.room(giver) >= 0 || !moveOne(giver, taker, WORTHWHILE)) break;
    }
  }
  return moves;
}

/**
 * Chooses the slot to move: the largest that neither leaves the giver below its fair share nor brings the taker above
 * its own, so that few slots move. Otherwise the smallest, if it is below `limit`: with the sum of excess and room, both
 * together are closer to their fair shares afterwards.
 */
function pick(
  slots: readonly MovableSlot[],
  { excess, room, limit }: { readonly excess: number; readonly room: number; readonly limit: number },
): number | undefined {
  const fitting = slots.findIndex(({ load }) => load <= Math.min(excess, room));
  if (fitting >= 0) return fitting;
  const smallest = slots.at(-1);
  return smallest && smallest.load < limit ? slots.length - 1 : undefined;
}

/** Largest load first. Slots with equal loads are in order, so that all members compute the same plan. */
export function byLoad(a: MovableSlot, b: MovableSlot): number {
  return b.load - a.load || a.slot - b.slot;
}

function byDeviation(names: readonly MemberName[], shares: Shares): MemberName[] {
  const deviation = (name: MemberName) => Math.abs(shares.room(name)) / shares.fair(name);
  const deviations = new Map(names.map((name) => [name, deviation(name)]));
  return [...names].sort((a, b) => {
    const [first, second] = [deviations.get(a) ?? 0, deviations.get(b) ?? 0];
    return first === second ? 0 : second - first;
  });
}

/** Returns the name with the highest value, the first among equals. */
function extreme(names: readonly MemberName[], valueOf: (name: MemberName) => number): MemberName | undefined {
  let best: MemberName | undefined;
  let highest = -Infinity;
  for (const name of names) {
    const value = valueOf(name);
    if (value <= highest) continue;
    best = name;
    highest = value;
  }
  return best;
}
