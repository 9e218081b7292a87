import { startCannedServer } from './canned-server.ts';
import { syncAndIndex } from './list-and-index.ts';
import { KINDS, startMemberFleet, timeToEngage } from './member-fleet.ts';
import type { Scenario, Size } from './scenario.ts';
import { medianTime } from './scenario.ts';

/** P-13: whether cost per object and per cluster stays constant as their number grows. */
export const growth: Scenario = {
  id: 'P-13',
  title:
    'cost of one object at 10,000, 100,000 and 500,000, and of one cluster at 10, 100 and 1,000, compared with the previous step',
  unit: '×',
  goal: '≤ 1.2',
  isMet: ({ value }) => value <= 1.2,

  async measure(size) {
    const objects = await costs(size === 'full' ? [10_000, 100_000, 500_000] : [100, 200], (count) =>
      costOfObject(count, size),
    );
    const clusters = await costs(size === 'full' ? [10, 100, 1_000] : [2, 4], costOfCluster);
    return {
      value: Math.max(...steps(objects), ...steps(clusters)),
      floor: 1,
      details: {
        ...Object.fromEntries(objects.map(([count, cost]) => [`µs per object at ${count}`, cost * 1e3])),
        ...Object.fromEntries(clusters.map(([count, cost]) => [`ms per cluster at ${count}`, cost])),
      },
    };
  },
};

/** Measures the cost at each count, in milliseconds. */
async function costs(
  counts: readonly number[],
  cost: (count: number) => Promise<number>,
): Promise<readonly (readonly [number, number])[]> {
  const found: [number, number][] = [];
  for (const count of counts) found.push([count, await cost(count)]);
  return found;
}

function steps(costs: readonly (readonly [number, number])[]): number[] {
  return costs.slice(1).map(([, cost], index) => cost / (costs[index]?.[1] ?? NaN));
}

async function costOfObject(objects: number, size: Size): Promise<number> {
  await using server = await startCannedServer({ objects, events: 0, initialObjects: 'watch' });
  // A warm-up run: compiling the code is not part of the cost of an object.
  if (size === 'full') await syncAndIndex(server.config, objects);
  return (await medianTime(size === 'full' ? 3 : 1, () => syncAndIndex(server.config, objects))) / objects;
}

async function costOfCluster(members: number): Promise<number> {
  await using fleet = await startMemberFleet({ members, objects: 10, kinds: KINDS.map(({ kind }) => kind) });
  const configs = new Map([...fleet.members].map(([name, { config }]) => [name, config]));
  await timeToEngage(fleet.hub, configs);
  return (await timeToEngage(fleet.hub, configs)) / members;
}
