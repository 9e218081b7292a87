import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { silentLogger } from '@mcr/core';
import { Random } from '@mcr/envtest';
import { Actions, EVERYTHING } from './churn/actions.ts';
import { ChurnFleet } from './churn/fleet.ts';
import { problemsOf } from './churn/oracles.ts';
import { ChurnSystem } from './churn/system.ts';
import { until } from './until.ts';

/** Rounds of churn, each followed by a quiet period. */
const ROUNDS = 2;
/** Steps per round, with one to four concurrent actions each. */
const STEPS = 12;
/**
 * Pauses between two steps, in milliseconds: too short for the manager to react, long enough to react partly, or long
 * enough to finish.
 */
const PAUSES = [0, 5, 30, 200];
/** Maximum time from the end of the churn until the fleet matches its inventory, in milliseconds. */
const QUIET = 120_000;
/** Maximum growth of the heap from the first round to the last, in bytes. */
const GROWTH = 12 * 2 ** 20;

const { MCR_SEED } = process.env;
const seeds = MCR_SEED === undefined ? [1, 2, 3] : MCR_SEED.split(',').map(Number);

describe('a fleet under constant change', () => {
  it.each(seeds)(
    'PV-2: matches its inventory whenever the churn stops (replay with MCR_SEED=%i)',
    async (seed) => {
      const story: string[] = [];
      try {
        await play(seed, story);
      } catch (error) {
        throw new Error(`${(error as Error).message}\nseed ${seed}, after\n  ${story.join('\n  ')}`, {
          cause: error,
        });
      }
    },
    ROUNDS * (QUIET + 120_000),
  );
});

async function play(seed: number, story: string[]): Promise<void> {
  const random = new Random(seed);
  await using fleet = await ChurnFleet.start();
  await fleet.declareAll();
  await fleet.closeClients();
  const heldBefore = held();
  const system = await ChurnSystem.start(fleet.hub.plane, fleet.namespace, silentLogger);
  try {
    const heap: number[] = [];
    for (let round = 1; round <= ROUNDS; round++) {
      await churn(fleet, system, random, story);
      await fleet.heal();
      story.push('heal');
      // Ends all watches: an open watch could hide that a cluster can no longer be read or written.
      await Promise.all(fleet.members.map(({ plane }) => plane.endWatches()));
      await Promise.all(fleet.members.map((member) => member.put('proof', String(round))));
      await becomesQuiet(fleet, system);
      heap.push(heapUsed());
    }
    expect(Math.max(0, (heap.at(-1) ?? 0) - (heap[0] ?? 0))).toBeLessThan(GROWTH);
  } finally {
    await fleet.closeClients();
    await system.stop();
  }
  expect(system.violations).toEqual([]);
  expect(system.live).toEqual([]);
  await until(() => String(held()) === String(heldBefore));
}

async function churn(fleet: ChurnFleet, system: ChurnSystem, random: Random, story: string[]): Promise<void> {
  const touched = new Set<string>();
  const isSettled = (name: string) => !touched.has(name) && system.manager.fleet.get(name)?.phase === 'Engaged';
  const actions = new Actions({ random, fleet, isSettled });
  for (let step = 0; step < STEPS; step++) {
    const together = Array.from({ length: 1 + random.below(4) }, () => actions.next()).filter(
      (action) => action !== undefined,
    );
    const alone = together.find(({ subject }) => subject === EVERYTHING);
    const chosen = alone ? [alone] : [...new Map(together.map((action) => [action.subject, action])).values()];
    story.push(chosen.map(({ text }) => text).join(' & '));
    for (const { subject } of chosen) touched.add(subject);
    await Promise.all(chosen.map(({ run }) => run()));
    const end = performance.now() + (random.pick(PAUSES) ?? 0);
    await until(() => performance.now() >= end);
  }
}

async function becomesQuiet(fleet: ChurnFleet, system: ChurnSystem): Promise<void> {
  let problems: readonly string[] = [];
  try {
    await until(async () => (problems = await problemsOf(fleet, system)).length === 0, { within: QUIET });
  } catch (error) {
    throw new Error(`${problems.join('\n')}\n`, { cause: error });
  }
}

/** Returns the resources that keep this process alive. Immediates end by themselves. */
function held(): string[] {
  return process
    .getActiveResourcesInfo()
    .filter((resource) => resource !== 'Immediate')
    .sort();
}

function heapUsed(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  return process.memoryUsage().heapUsed;
}
