import { startCacheClient, syncOf } from './client/cache-client.ts';
import { KINDS, startMemberFleet, costToEngage } from './member-fleet.ts';
import type { SampleName } from './samples/sample.ts';
import type { Scenario } from './scenario.ts';
import { median } from './scenario.ts';
import { startCannedServer } from './server/canned-server.ts';

/** Number of objects or clusters, and of measured runs: a small amount needs more of them. */
type Amount = readonly [count: number, runs: number];

const full = {
  objects: [
    [10_000, 15],
    [100_000, 5],
    [500_000, 3],
  ],
  mixed: [
    [4_000, 15],
    [40_000, 5],
  ],
  clusters: [
    [10, 25],
    [100, 7],
    [1_000, 3],
  ],
} as const satisfies Record<string, readonly Amount[]>;
const smoke = {
  objects: [
    [50, 1],
    [100, 1],
  ],
  mixed: [
    [16, 1],
    [32, 1],
  ],
  clusters: [
    [2, 1],
    [4, 1],
  ],
} as const satisfies Record<string, readonly Amount[]>;

/** P-13: whether cost per object and per cluster stays constant as their number grows. */
export const growth: Scenario = {
  id: 'P-13',
  title: 'growth: P-1 at 10k/100k/500k objects, P-8 at 10/100/1,000 clusters',
  unit: '×',
  goal: 'linear (ratio of unit costs ≤ 1.2)',
  isMet: ({ value }) => value <= 1.2,

  async measure(size) {
    const amounts = size === 'full' ? full : smoke;
    const objects = await costs(amounts.objects, (amount) => costOfObject('reference', amount));
    const clusters = await costs(amounts.clusters, costOfCluster);
    const mixed = await costs(amounts.mixed, (amount) => costOfObject('mixed', amount));
    return {
      value: Math.max(largestStep(objects), largestStep(clusters)),
      floor: null,
      details: {
        objects: largestStep(objects),
        clusters: largestStep(clusters),
        mixed: largestStep(mixed),
        ...Object.fromEntries(objects.map(([count, cost]) => [`microsecondsPerObjectAt${count}`, cost * 1e3])),
        ...Object.fromEntries(clusters.map(([count, cost]) => [`millisecondsPerClusterAt${count}`, cost])),
      },
    };
  },
};

type Cost = readonly [count: number, cost: number];

/** Measures the processor time of one unit at each count, in milliseconds. */
async function costs(amounts: readonly Amount[], cost: (amount: Amount) => Promise<number>): Promise<Cost[]> {
  const found: Cost[] = [];
  for (const amount of amounts) found.push([amount[0], await cost(amount)]);
  return found;
}

/** Returns the largest ratio of a unit's cost to its cost at a smaller count. */
function largestStep(costs: readonly Cost[]): number {
  return Math.max(
    ...costs.flatMap(([, cost], position) => costs.slice(0, position).map(([, smaller]) => cost / smaller)),
  );
}

async function costOfObject(sample: SampleName, [objects, runs]: Amount): Promise<number> {
  await using server = await startCannedServer(sample, objects);
  await using client = startCacheClient();
  const times: number[] = [];
  // Compiling the code is not part of the cost of an object, so the first runs do not count.
  for (let run = -Math.ceil(runs / 3); run < runs; run++) {
    const time = await client.run('sync', syncOf(server, { through: 'handler' }));
    if (run >= 0) times.push(time);
  }
  return median(times) / objects;
}

async function costOfCluster([members, runs]: Amount): Promise<number> {
  await using fleet = await startMemberFleet({ members, objects: 10, kinds: KINDS.map(({ kind }) => kind) });
  const configs = new Map([...fleet.members].map(([name, { config }]) => [name, config]));
  const times: number[] = [];
  for (let run = -Math.ceil(runs / 3); run < runs; run++) {
    const { processor } = await costToEngage(fleet.hub, configs);
    if (run >= 0) times.push(processor);
  }
  return median(times) / members;
}
