import { setTimeout as sleep } from 'node:timers/promises';
import type { ClusterName, ReconcileFunction, ReconcileRequest, RequestQueue } from '@mcr/core';
import { ConfigMap, createCluster, funcSource, kindSource, createController } from '@mcr/core';
import { createFaultProxy, type FaultProxy } from '@mcr/envtest';
import type { MemberFleet } from './member-fleet.ts';
import { newFleetManager, startMemberFleet, untilEngaged } from './member-fleet.ts';
import type { Scenario, Size } from './scenario.ts';

/** Number of waiting requests of each bad member when it fails. */
const WAITING = 100;

/** Interval of the requests of each healthy member, in milliseconds. */
const INTERVAL = 50;

/** Time after half of the fleet becomes slow in which delays count as initial delays, in milliseconds. */
const ONCE = 2_000;

type Harm = (proxy: FaultProxy) => unknown;

const halfOpen: Harm = (proxy) => proxy.inject({ on: 'connections', fault: { type: 'half-open' } });
const writesLost: Harm = (proxy) =>
  proxy.inject({ on: 'requests', match: { method: 'PATCH' }, fault: { type: 'drop', part: 'request' } });
const slow: Harm = (proxy) =>
  proxy.inject({ on: 'requests', match: { method: 'PATCH' }, fault: { type: 'delay', duration: 20_000 } });

/** P-17: the delay that members without answers cause for the others. */
export const slowMembers: Scenario = {
  id: 'P-17',
  title: 'longest wait of healthy members for a reconcile beside one that is half-open with 100 requests, 4 workers',
  unit: 'ms',
  goal: '≤ 100 ms added, also beside one that loses only writes; if half of 20 go slow at once ≤ 2 s once, then ≤ 100 ms',
  isMet: ({ value, floor, detail }) =>
    value - floor <= 100 &&
    detail('writesOnly') - floor <= 100 &&
    detail('halfSlow') <= 2_000 &&
    detail('halfSlowLater') - floor <= 100,

  async measure(size) {
    const members = size === 'full' ? 20 : 4;
    await using fleet = await startMemberFleet({ members, objects: WAITING, kinds: ['ConfigMap'] });
    const run = (bad: number, workers: number, harm?: Harm) => waits(fleet, { bad, workers, size, harm });
    const half = Math.floor(members / 2);
    const alone = longest(await run(1, 4));
    const beside = await run(1, 4, halfOpen);
    const writesOnly = await run(1, 4, writesLost);
    const halfSlow = await run(half, 4, slow);
    const later = halfSlow.filter(({ at }) => at > ONCE);
    return {
      value: longest(beside),
      floor: alone,
      details: {
        writesOnly: longest(writesOnly),
        halfSlow: longest(halfSlow),
        halfSlowLater: longest(later),
        oneWorker: longest(await run(1, 1, halfOpen)),
        oneWorkerWritesOnly: longest(await run(1, 1, writesLost)),
        oneWorkerHalfSlow: longest(await run(half, 1, slow)),
      },
    };
  },
};

interface Wait {
  /** Time since the members failed, in milliseconds. */
  readonly at: number;
  readonly wait: number;
}

interface Run {
  /** Number of members that fail. */
  readonly bad: number;
  readonly workers: number;
  readonly size: Size;
  readonly harm: Harm | undefined;
}

/** Measures how long requests of healthy members wait until they are reconciled. A reconcile is one write. */
async function waits({ hub, members }: MemberFleet, { bad, workers, size, harm }: Run): Promise<Wait[]> {
  const { manager, provider } = await newFleetManager(hub);
  const proxies = new Map<ClusterName, FaultProxy>();
  for (const [name, { config }] of members) {
    const isBad = proxies.size < bad;
    const proxy = isBad ? await createFaultProxy({ target: config }) : undefined;
    if (proxy) proxies.set(name, proxy);
    provider.set(name, createCluster(proxy?.config ?? config, { name }));
  }
  const added = new Map<ClusterName, number>();
  const seen: Wait[] = [];
  let began = Infinity;
  const reconciler: ReconcileFunction = async ({ clusterName, ...key }, { cluster }) => {
    const at = added.get(clusterName);
    if (at !== undefined) seen.push({ at: at - began, wait: performance.now() - at });
    added.delete(clusterName);
    const { client } = await cluster();
    await client.patch(ConfigMap, key, { data: { at: String(performance.now()) } }, 'merge');
  };
  const controller = createController('writes', manager, { maxConcurrentReconciles: workers, reconciler });
  // Writes of reconciles must not trigger further reconciles.
  await controller.watch(kindSource(ConfigMap, () => undefined));
  const { promise, resolve } = Promise.withResolvers<RequestQueue<ReconcileRequest>>();
  await controller.watch(funcSource(({ queue }) => resolve(queue)));
  await manager.add(controller);
  const end = new AbortController();
  const engaged = untilEngaged(manager, members.keys());
  const running = manager.start(end.signal);
  const queue = await promise;
  await engaged;

  for (const proxy of proxies.values()) harm?.(proxy);
  began = performance.now();
  for (const clusterName of proxies.keys()) {
    for (let index = 0; index < WAITING; index += 1) {
      queue.add({ clusterName, namespace: 'default', name: `object-${index}` });
    }
  }
  const until = began + (size === 'full' ? 15_000 : 1_000);
  for (let turn = 0; performance.now() < until; turn += 1) {
    for (const clusterName of members.keys()) {
      if (proxies.has(clusterName) || added.has(clusterName)) continue;
      added.set(clusterName, performance.now());
      queue.add({ clusterName, namespace: 'default', name: `object-${turn % WAITING}` });
    }
    await sleep(INTERVAL);
  }
  // Requests that still wait have waited at least this long.
  for (const at of added.values()) seen.push({ at: at - began, wait: performance.now() - at });
  end.abort();
  await running;
  for (const proxy of proxies.values()) await proxy.stop();
  return seen;
}

function longest(seen: readonly Wait[]): number {
  return Math.max(0, ...seen.map(({ wait }) => wait));
}
