import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ControlPlaneFleet } from '@mcr/envtest';
import { createFaultProxy, type FaultProxy, createControlPlaneFleet } from '@mcr/envtest';
import { until } from '../until.ts';
import { longest, WriteLoad } from './write-load.ts';

/** Number of waiting requests of a bad member when the fault begins. */
const WAITING = 100;
/** Duration of the load on the healthy members, in milliseconds: until lost calls have expired. */
const DURATION = 6_000;
/** Time after the fault in which delays count as initial delays, in milliseconds. */
const BEGINNING = 3_000;

/**
 * Maximum delays at the beginning of a fault and afterwards, in milliseconds, for a busy machine: the goal on an idle one
 * is 100 ms. A single worker is held by each trial of the bad member, for 1 s and then for 2 s. All limits are less than the
 * timeout of a lost call.
 */
const LIMITS = { 4: { beginning: 3_000, later: 3_000 }, 1: { beginning: 4_500, later: 4_500 } };
/** The same if bad members occupy all workers at the beginning: the goal is one delay of 2 s. */
const ALL_WORKERS_HELD = { beginning: 4_500, later: 3_000 };

describe('a member that does not answer requests of reconciles', () => {
  let fleet: ControlPlaneFleet;
  let proxies: FaultProxy[];
  beforeAll(async () => {
    fleet = await createControlPlaneFleet({ members: 4 });
  });
  afterAll(() => fleet.stop());
  beforeEach(async () => {
    proxies = await Promise.all(fleet.members.slice(-2).map(({ config }) => createFaultProxy({ target: config })));
  });
  afterEach(() => Promise.all(proxies.map((proxy) => proxy.stop())));

  const halfOpen = (proxy: FaultProxy) => proxy.inject({ on: 'connections', fault: { type: 'half-open' } });
  const writesLost = (proxy: FaultProxy) =>
    proxy.inject({ on: 'requests', match: { method: 'PATCH' }, fault: { type: 'drop', part: 'request' } });
  const bodiesTrickle = (proxy: FaultProxy) =>
    proxy.inject({ on: 'requests', match: { method: 'PATCH' }, fault: { type: 'throttle', bytesPerSecond: 2 } });

  it.each([
    ['is half-open', 1, 4, halfOpen],
    ['is half-open', 1, 1, halfOpen],
    ['loses only writes', 1, 4, writesLost],
    ['loses only writes', 1, 1, writesLost],
    ['answers headers at once and trickles the body', 2, 4, bodiesTrickle],
    ['answers headers at once and trickles the body', 1, 1, bodiesTrickle],
  ] as const)(
    'F-23, FP-2, P-17: a member that %s (%d of 4) with 100 requests does not delay others, with %d workers, and recovers',
    async (_, count, workers, harm) => {
      const healthy = fleet.members.slice(0, -count).map(({ name, config }) => [name, config] as const);
      const bad = proxies.slice(-count).map((proxy, index) => [`bad-${index}`, proxy.config] as const);
      await using load = await WriteLoad.start(fleet.hub.config, new Map([...healthy, ...bad]), workers);
      const isolation = (name: string) => load.manager.fleet.get(name)?.isolation;

      for (const proxy of proxies) harm(proxy);
      for (const [name] of bad) load.request(name, WAITING);
      const names = healthy.map(([name]) => name);
      const waits = await load.run(names, DURATION);
      const { beginning, later } = count === workers / 2 ? ALL_WORKERS_HELD : LIMITS[workers];
      expect(longest(waits.filter(({ at }) => at <= BEGINNING))).toBeLessThan(beginning);
      expect(longest(waits.filter(({ at }) => at > BEGINNING))).toBeLessThan(later);
      for (const [name] of bad) {
        expect(isolation(name)).toBeDefined();
        expect(load.written(name)).toBe(0);
      }

      for (const proxy of proxies) proxy.heal();
      const recovered = () => bad.every(([name]) => load.written(name) === WAITING && isolation(name) === undefined);
      await until(recovered);
    },
  );
});
