import type { MemberName, Plan } from './plan.ts';

/** Larger loads count as this, so that the sum of all loads stays finite, whatever their unit is. */
const MAX_LOAD = 2 ** 900;

export interface SlotLoadsInput {
  /** Number of slots. */
  readonly slots: number;
  /** Number of keys in each slot. Default: unknown. */
  readonly keys?: ArrayLike<number>;
  /** The current plan. */
  readonly plan?: Plan | undefined;
  /** The loads that members report of slots, in one unit for all members. Only those of a slot's owner count. */
  readonly reports: ReadonlyMap<MemberName, ReadonlyMap<number, number>>;
}

/**
 * Returns the load of each slot. A slot that its owner has not reported counts as many times the average load of a key
 * as it has keys. Without any report, the load is the number of keys.
 */
export function slotLoads({ slots, keys, plan, reports }: SlotLoadsInput): Float64Array {
  const keysOf = (slot: number) => (keys ? (keys[slot] ?? 0) : 1);
  const reported = Array.from({ length: slots }, (_, slot) => reports.get(plan?.slots[slot]?.owner ?? '')?.get(slot));
  let load = 0;
  let count = 0;
  reported.forEach((value, slot) => {
    if (value === undefined) return;
    load += sanitized(value);
    count += keysOf(slot);
  });
  const perKey = load > 0 && count > 0 ? load / count : 1;
  return Float64Array.from(reported, (value, slot) => sanitized(value ?? keysOf(slot) * perKey));
}

/** Returns the loads to plan with: all are numbers from 0, and at least one is above 0. */
export function effectiveLoads(slots: number, loads: ArrayLike<number> | undefined): Float64Array {
  const effective = Float64Array.from({ length: slots }, (_, slot) => sanitized(loads?.[slot] ?? 0));
  return effective.some((load) => load > 0) ? effective : effective.fill(1);
}

function sanitized(load: number): number {
  return load > 0 ? Math.min(load, MAX_LOAD) : 0;
}
