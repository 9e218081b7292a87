import type { ShardingOptions } from '@mcr/core';
import type { ControlPlane } from '@mcr/envtest';
import { createEmbeddedApiServer } from '@mcr/envtest';
import type { Scenario, Size } from './scenario.ts';
import { percentile } from './scenario.ts';
import { planningCost } from './sharding/planning-cost.ts';
import { rendezvousImbalance } from './sharding/rendezvous-hash.ts';
import { ReplicaGroup } from './sharding/replica-group.ts';

/** The amount of work of a run. Times are in milliseconds. */
interface Work {
  readonly replicas: readonly number[];
  /** Sizes of the fleet, one after the other. */
  readonly clusters: readonly number[];
  readonly planners: readonly number[];
  readonly plannerRuns: number;
  /** Ownership is stable if it has not changed for this time: longer than a new member and new loads wait. */
  readonly stable: number;
  /** Time in which writes are counted. */
  readonly counted: number;
  /** See `memoryAtRest`. */
  readonly quiet: number;
  readonly times: Partial<ShardingOptions>;
}

const WORK: Record<Size, Work> = {
  full: {
    replicas: [5, 10],
    clusters: [100, 1_000, 10_000],
    planners: [5, 10, 50],
    plannerRuns: 5,
    stable: 35_000,
    counted: 60_000,
    quiet: 1_000,
    times: {},
  },
  smoke: {
    replicas: [2],
    clusters: [50],
    planners: [5],
    plannerRuns: 1,
    stable: 500,
    counted: 1_000,
    quiet: 100,
    times: { leaseDuration: 2_000, margin: 600, renewInterval: 300, writeDeadline: 500, drainTimeout: 1_000 },
  },
};
/** With default times, a crashed replica is replaced after `leaseDuration + margin` and two more seconds. */
const CRASH_GOAL = 17_000;

/** P-14: what it costs to divide a fleet among replicas, and how long clusters are without an owner. */
export const shardedFleet: Scenario = {
  id: 'P-14',
  title: '10,000 clusters on 5 and 10 replicas: time without an owner when a replica stops, p99',
  unit: 'ms',
  goal: '≤ 1,000 ms; ≤ 17,000 ms when it is killed; ≤ 5 KB per cluster not owned; ≤ 0.5 hub writes/s per replica',
  isMet: ({ value, detail }) =>
    value <= 1_000 &&
    WORK.full.replicas.every(
      (count) =>
        detail(`crash${count}`) <= CRASH_GOAL &&
        detail(`notOwned${count}`) <= 5 &&
        WORK.full.clusters.every((clusters) => detail(`writes${count}of${clusters}`) <= 0.5),
    ),

  async measure(size) {
    const work = WORK[size];
    const details: Record<string, number> = {};
    for (const members of work.planners) {
      const clusters = work.clusters.at(-1) ?? 0;
      const { median, max, bytes } = planningCost({ members, clusters, runs: work.plannerRuns });
      details[`plan${members}`] = median;
      details[`planMax${members}`] = max;
      details[`planBytes${members}`] = bytes;
    }
    const gaps: number[] = [];
    await using server = await createEmbeddedApiServer();
    for (const replicas of work.replicas) {
      details[`rendezvous${replicas}`] = rendezvousImbalance(work.clusters.at(-1) ?? 0, replicas);
      const hub = await server.createCluster({ name: `hub-${replicas}` });
      const { stopped, ...figures } = await measureGroup(hub, { ...work, replicas });
      for (const [name, figure] of Object.entries(figures)) details[name.replace('#', String(replicas))] = figure;
      gaps.push(stopped);
    }
    return { value: Math.max(...gaps), floor: null, details };
  },
};

type GroupWork = Omit<Work, 'replicas'> & { readonly replicas: number };

/** Returns figures by name, in which `#` stands for the number of replicas. */
async function measureGroup(
  hub: ControlPlane,
  { replicas, clusters, stable, counted, quiet, times }: GroupWork,
): Promise<Record<string, number> & { readonly stopped: number }> {
  const figures: Record<string, number> = {};
  await using group = await ReplicaGroup.start({ hub, replicas, times });
  await group.settled(stable);
  const unowning = await group.memoryWithoutOwnership(quiet);
  const owning = await group.memoryWithOwnership(quiet);
  for (const count of clusters) {
    await group.grow(count);
    await group.settled(stable);
    figures[`writes#of${count}`] = (await group.writeRate(counted)) / group.size;
  }

  const count = clusters.at(-1) ?? 0;
  const rest = await group.memoryWithoutOwnership(quiet);
  const used = await group.memoryWithOwnership(quiet);
  figures['notOwned#'] = (rest.resident - unowning.resident) / count / 1e3;
  figures['notOwnedHeap#'] = (rest.heap - unowning.heap) / count / 1e3;
  // The heap that each declared cluster takes is not the cost of owning it.
  const declared = (count - used.owned) * ((rest.heap - unowning.heap) / count);
  figures['ownedHeap#'] = (used.heap - owning.heap - declared) / used.owned / 1e3;

  const stops = await group.stopOne();
  figures['stopMedian#'] = percentile(stops, 0.5);
  await group.settled(stable);
  const crashes = await group.killOne();
  figures['crashMedian#'] = percentile(crashes, 0.5);
  figures['crash#'] = percentile(crashes, 1);
  return { ...figures, stopped: percentile(stops, 0.99) };
}
