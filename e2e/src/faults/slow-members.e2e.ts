import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ControlPlaneFleet } from '@mcr/envtest';
import { FaultProxy, startFleet } from '@mcr/envtest';
import { until } from '../until.ts';
import { longest, WriteLoad } from './write-load.ts';

const BAD = 'bad';
/** Requests of the bad member that wait when the fault begins. */
const WAITING = 100;
/** How long the healthy members are under load beside it, in milliseconds: until lost calls have expired. */
const DURATION = 6_000;
/** Delays of requests that were added so many milliseconds after the fault count as those at its beginning. */
const BEGINNING = 3_000;
/** Deadline of the bad member's requests after the fault, in milliseconds: trials are up to 8 s apart by then. */
const RECOVERY = 20_000;

/**
 * The longest delay at the beginning of a fault and afterwards, in milliseconds: ten times the goal of an idle machine,
 * which is 100 ms; with one worker, whose goal is 2 s once, less than a lost call takes to expire.
 */
const LIMITS = { 4: { beginning: 1_000, later: 1_000 }, 1: { beginning: 4_500, later: 1_000 } };

describe('a member that does not answer the calls of reconciles', () => {
  let fleet: ControlPlaneFleet;
  let proxy: FaultProxy;
  beforeAll(async () => {
    fleet = await startFleet({ members: 4 });
  });
  afterAll(() => fleet.stop());
  beforeEach(async () => {
    const target = fleet.members.at(-1);
    if (!target) throw new Error('the fleet has no members');
    proxy = await FaultProxy.start({ target: target.config });
  });
  afterEach(() => proxy.stop());

  const halfOpen = () => proxy.inject({ on: 'connections', fault: { type: 'half-open' } });
  const writesLost = () =>
    proxy.inject({ on: 'requests', of: { method: 'PATCH' }, fault: { type: 'drop', part: 'request' } });

  it.each([
    ['is half-open', 4, halfOpen],
    ['is half-open', 1, halfOpen],
    ['loses only writes', 4, writesLost],
    ['loses only writes', 1, writesLost],
  ] as const)(
    'F-23, FP-2, P-17: a member that %s with 100 requests delays no other, with %d workers, and recovers',
    async (_, workers, harm) => {
      const healthy = fleet.members.slice(0, -1).map(({ name, config }) => [name, config] as const);
      const members = new Map([...healthy, [BAD, proxy.config] as const]);
      await using load = await WriteLoad.start(fleet.hub.config, members, workers);
      const isolation = () => load.manager.fleet.get(BAD)?.isolation;

      harm();
      load.request(BAD, WAITING);
      const names = healthy.map(([name]) => name);
      const waits = await load.run(names, DURATION);
      const { beginning, later } = LIMITS[workers];
      expect(longest(waits)).toBeLessThan(beginning);
      expect(longest(waits.filter(({ at }) => at > BEGINNING))).toBeLessThan(later);
      expect(isolation()).toBeDefined();
      expect(load.written(BAD)).toBe(0);

      proxy.heal();
      await until(() => load.written(BAD) === WAITING && isolation() === undefined, { within: RECOVERY });
    },
  );
});
