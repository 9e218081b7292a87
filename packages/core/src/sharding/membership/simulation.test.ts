import process from 'node:process';
import { describe, expect, it } from '@jest/globals';
import { DEFAULT_RULES } from './rules.ts';
import { Violation } from './simulation/oracle.fixture.ts';
import type { Sabotage } from './simulation/sabotage.fixture.ts';
import { violations } from './simulation/sabotage.fixture.ts';
import type { ScheduleOptions } from './simulation/simulation.fixture.ts';
import { runSchedule } from './simulation/simulation.fixture.ts';

/** Schedules of one test: few enough for a slow machine. */
const BATCH = 100;
/** Milliseconds. A batch takes 10 s on a machine that is not busy; CI runs it with the lowest priority. */
const TIMEOUT = 300_000;

// CI runs 200 schedules, and the nightly workflow 5,000.
const { SHARD_SEED, SHARD_SCHEDULES } = process.env;
const first = SHARD_SEED === undefined ? 0 : Number(SHARD_SEED);
const total = SHARD_SEED === undefined ? Number(SHARD_SCHEDULES ?? 15) : 1;
/** Schedules of each special case. */
const special = Math.min(total, 40);

function runSchedules(from: number, count: number, options: Omit<ScheduleOptions, 'seed'> = {}): number {
  for (let seed = from; seed < from + count; seed++) runSchedule({ seed, ...options });
  return count;
}

/** Returns the first violation of what a safety rule protects. */
function findViolation(sabotage: Sabotage): string | undefined {
  for (let seed = 0; seed < 500; seed++) {
    try {
      runSchedule({ seed, sabotage, kind: sabotage.kind ?? 'mixed' });
    } catch (error) {
      if (!(error instanceof Violation)) throw error;
      if (/SH-2:|SH-16:/.test(error.message)) return error.message;
    }
  }
  return undefined;
}

describe('sharding members under faults', () => {
  for (let from = first; from < first + total; from += BATCH) {
    const count = Math.min(BATCH, first + total - from);
    const title = `SH-2: no two open fences, and all slots active again (seeds ${from} to ${from + count - 1})`;
    it(title, () => expect(runSchedules(from, count)).toBe(count), TIMEOUT);
  }

  it.each([1, 2, 3])(
    'SH-3: %d replicas recover',
    (replicas) => expect(runSchedules(0, special, { replicas })).toBe(special),
    TIMEOUT,
  );

  it.each([1, 4, 32])(
    'SH-2: holds for %d slots',
    (slots) => expect(runSchedules(0, special, { slots })).toBe(special),
    TIMEOUT,
  );

  it(
    'SH-16: plans stop when members have different durations',
    () => {
      const rules = [DEFAULT_RULES, { ...DEFAULT_RULES, leaseDuration: 20_000, margin: 5_000 }];
      expect(runSchedules(0, special, { rules })).toBe(special);
    },
    TIMEOUT,
  );

  it(
    'SH-11: an outage of all members causes no eviction and no new plan',
    () => {
      expect(runSchedules(0, special, { kind: 'outage' })).toBe(special);
    },
    TIMEOUT,
  );

  it(
    'SH-3: all slots are active although no answer of a write arrives',
    () => {
      expect(runSchedules(0, special, { kind: 'lost answers' })).toBe(special);
    },
    TIMEOUT,
  );

  it(
    'SH-13: a member whose Lease was lost with the plan has closed before others take its slots',
    () => {
      expect(runSchedules(0, special, { kind: 'lost Lease' })).toBe(special);
    },
    TIMEOUT,
  );

  it(
    'SH-5: a rolling update never has two open fences',
    () => {
      expect(runSchedules(0, special, { kind: 'rolling update' })).toBe(special);
    },
    TIMEOUT,
  );

  it.each(Object.entries(violations))(
    'finds the violation of %s',
    (_, sabotage) => {
      expect(findViolation(sabotage)).toMatch(/SH-2:|SH-16:/);
    },
    TIMEOUT,
  );
});
