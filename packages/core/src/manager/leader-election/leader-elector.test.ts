import { beforeEach, describe, expect, it } from '@jest/globals';
import { getEventListeners } from 'node:events';
import type { Logger } from '@mcr/client';
import { silentLogger } from '@mcr/client';
import { VirtualClock } from '@mcr/client/testing';
import fc from 'fast-check';
import { isLeaderElectionLost } from './leader-election-lost-error.ts';
import type { LeaderElectionConfig } from './leader-election-options.ts';
import type { LeaderElectorOptions } from './leader-elector.ts';
import { LeaderElector } from './leader-elector.ts';
import type { Way } from './lease-server.fixture.ts';
import { LeaseServer } from './lease-server.fixture.ts';

fc.configureGlobal({ seed: 1 });

const NEVER: Way = { latency: { there: 0, back: 0 }, lost: 'request' };

function configOf(identity: string): LeaderElectionConfig {
  return {
    id: 'copy',
    namespace: 'fleet',
    identity,
    leaseDuration: 15_000,
    renewDeadline: 10_000,
    retryPeriod: 2_000,
    releaseOnCancel: true,
  };
}

describe('LeaderElector', () => {
  let clock: VirtualClock;
  let server: LeaseServer;
  /** Recorded events, in order. */
  let events: string[];
  beforeEach(() => {
    events = [];
    clock = new VirtualClock();
    server = new LeaseServer(clock);
  });

  function candidate(identity: string, options: Partial<LeaderElectorOptions> & { way?: () => Way } = {}) {
    const { way, config, ...rest } = options;
    const elector = new LeaderElector({
      config: config ?? configOf(identity),
      ...server.client(way),
      clock,
      logger: silentLogger,
      events: {
        event: ({ metadata }, { note }) => void events.push(`${metadata.namespace}/${metadata.name}: ${note}`),
      },
      isWorkOver: () => true,
      random: () => 0.5,
      ...rest,
    });
    const end = new AbortController();
    const outcome = elector.run(end.signal).then(
      () => 'ended' as const,
      (error: unknown) => error,
    );
    const stop = async () => {
      end.abort();
      await clock.advance(100);
      const settled = await outcome;
      expect(getEventListeners(end.signal, 'abort')).toEqual([]);
      return settled;
    };
    return { elector, outcome, stop };
  }

  it('MG-5: one candidate leads, the others wait', async () => {
    const candidates = ['a', 'b', 'c'].map((identity) => candidate(identity));
    await clock.advance(0);
    for (let second = 0; second < 60; second++) {
      expect(candidates.map(({ elector }) => elector.isLeader())).toEqual([true, false, false]);
      await clock.advance(1_000);
    }
    for (const { stop } of candidates) expect(await stop()).toBe('ended');
    expect(clock.pendingTimers).toBe(0);
  });

  it('MG-5: writes the lease as client-go does', async () => {
    const first = candidate('a');
    await clock.advance(2_000);
    expect(server.lease).toMatchObject({
      metadata: { namespace: 'fleet', name: 'copy' },
      spec: {
        holderIdentity: 'a',
        leaseDurationSeconds: 15,
        leaseTransitions: 0,
        acquireTime: '2026-01-01T00:00:00.000000Z',
        renewTime: '2026-01-01T00:00:02.000000Z',
      },
    });
    await first.stop();
    const second = candidate('b');
    await clock.advance(0);
    expect(server.lease?.spec).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 });
    await second.stop();
  });

  it('MG-5: releases the lease when it stops, and another candidate leads at its next attempt', async () => {
    const first = candidate('a');
    await clock.advance(0);
    const second = candidate('b');
    await clock.advance(10_000);
    expect(await first.stop()).toBe('ended');
    expect(server.lease?.spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 });
    expect(first.elector.isLeader()).toBe(false);
    await clock.advance(3_200);
    expect(second.elector.isLeader()).toBe(true);
    await second.elector.elected;
    await second.stop();
  });

  it.each<[string, Partial<LeaderElectorOptions>]>([
    ['releaseOnCancel is false', { config: { ...configOf('a'), releaseOnCancel: false } }],
    ['leader-elected work has not ended', { isWorkOver: () => false }],
  ])('MG-5: keeps the lease until it lapses when %s', async (_, options) => {
    const first = candidate('a', options);
    await clock.advance(0);
    expect(await first.stop()).toBe('ended');
    expect(server.lease?.spec?.holderIdentity).toBe('a');
    const second = candidate('b');
    await clock.advance(14_000);
    expect(second.elector.isLeader()).toBe(false);
    await clock.advance(5_000);
    expect(second.elector.isLeader()).toBe(true);
    await second.stop();
  });

  it('MG-5: a leader that cannot reach the server stops before another candidate takes over', async () => {
    let way: Way = { latency: { there: 5, back: 5 } };
    const first = candidate('a', { way: () => way });
    await clock.advance(100);
    const second = candidate('b');
    way = NEVER;
    const lostAt = first.outcome.then(() => clock.now());
    const ledAt = second.elector.elected.then(() => clock.now());
    await clock.advance(30_000);
    const error = await first.outcome;
    expect(isLeaderElectionLost(error)).toBe(true);
    expect((error as Error).message).toBe('the lease fleet/copy is lost: it was not renewed within 10000 ms');
    // The lease was read first; its renewal counts from when it was sent, at 10 ms.
    expect(await lostAt).toBe(10_010);
    expect(await ledAt).toBeGreaterThanOrEqual(15_010);
    await second.stop();
  });

  it('MG-5: keeps leading through an outage shorter than the renew deadline', async () => {
    let way: Way = { latency: { there: 5, back: 5 } };
    const first = candidate('a', { way: () => way });
    await clock.advance(2_500);
    way = NEVER;
    await clock.advance(7_000);
    way = { latency: { there: 5, back: 5 } };
    await clock.advance(60_000);
    expect(first.elector.isLeader()).toBe(true);
    await first.stop();
  });

  it('MG-5: keeps leading if the lease is deleted or changed by another client', async () => {
    const first = candidate('a');
    await clock.advance(0);
    server.lease = undefined;
    await clock.advance(2_000);
    expect(server.lease).toMatchObject({ spec: { holderIdentity: 'a' } });
    server.touch();
    await clock.advance(20_000);
    expect(first.elector.isLeader()).toBe(true);
    await first.stop();
  });

  it('MG-5: records one event on the lease when it starts to lead, and one when it stops', async () => {
    let way: Way = { latency: { there: 5, back: 5 } };
    const first = candidate('a', { way: () => way });
    await clock.advance(20_000);
    const second = candidate('b');
    await clock.advance(20_000);
    expect(events).toEqual(['fleet/copy: a became leader']);
    way = NEVER;
    await clock.advance(30_000);
    await first.outcome;
    expect(events.slice(1)).toEqual(['fleet/copy: a stopped leading', 'fleet/copy: b became leader']);
    await candidate('c').stop();
    await second.stop();
    expect(events.slice(3)).toEqual(['fleet/copy: b stopped leading']);
  });

  it('F-16: does not lead after its event loop was blocked for longer than the lease', async () => {
    let now = 0;
    // Time passes without timers, as in a blocked event loop.
    const blocked = { now: () => now, wallTime: () => now, schedule: clock.schedule.bind(clock) };
    const first = candidate('a', { clock: blocked });
    await clock.advance(0);
    expect(first.elector.isLeader()).toBe(true);
    now = 10_000;
    expect(first.elector.isLeader()).toBe(false);
    await clock.advance(0);
    expect(isLeaderElectionLost(await first.outcome)).toBe(true);
  });

  it('F-17: a jump of the wall clock has no effect', async () => {
    let jump = 0;
    const jumping = {
      now: () => clock.now(),
      wallTime: () => clock.wallTime() + jump,
      schedule: clock.schedule.bind(clock),
    };
    const candidates = ['a', 'b'].map((identity) => candidate(identity, { clock: jumping }));
    await clock.advance(5_000);
    for (const hours of [1, -1]) {
      jump = hours * 3_600_000;
      await clock.advance(30_000);
      expect(candidates.map(({ elector }) => elector.isLeader())).toEqual([true, false]);
    }
    for (const { stop } of candidates) await stop();
  });

  it('logs once when the lease cannot be read, once when it can be read again, and the leader', async () => {
    const lines: Parameters<Logger['info']>[] = [];
    const logger: Logger = {
      ...silentLogger,
      info: (...line) => lines.push(line),
      warn: (...line) => lines.push(line),
      child: () => logger,
    };
    const first = candidate('a');
    await clock.advance(0);
    const second = candidate('b', { logger });
    await clock.advance(20_000);
    expect(lines).toEqual([['another process is leading', { holder: 'a' }]]);
    await second.stop();

    lines.length = 0;
    let isAway = true;
    const third = candidate('c', { logger, way: () => (isAway ? NEVER : { latency: { there: 5, back: 5 } }) });
    await clock.advance(60_000);
    expect(lines).toHaveLength(1);
    expect(lines[0]?.[1]?.['error']).toMatchObject({ message: 'no answer in time' });
    isAway = false;
    await clock.advance(20_000);
    expect(lines.slice(1).map(([message]) => message)).toEqual([
      'another process is leading',
      'acquired or renewed the lease again',
    ]);
    await third.stop();
    await first.stop();
  });

  const way = fc.record({
    latency: fc.record({ there: fc.nat(6_000), back: fc.nat(6_000) }),
    lost: fc.option(fc.constantFrom<('request' | 'response')[]>('request', 'response'), { nil: undefined }),
  });

  it('MG-5: two candidates never lead at once, whatever is delayed or lost', async () => {
    const schedule = fc.array(fc.array(way, { minLength: 40, maxLength: 40 }), { minLength: 3, maxLength: 3 });
    let elections = 0;
    await fc.assert(
      fc.asyncProperty(schedule, async (ways) => {
        clock = new VirtualClock();
        server = new LeaseServer(clock);
        const candidates = ways.map((each, index) => {
          let request = 0;
          return candidate(`candidate-${index}`, {
            way: () => {
              const { lost, latency } = each[request++ % each.length] ?? NEVER;
              return { latency, ...(lost && { lost }) };
            },
          });
        });
        for (const { elector } of candidates) void elector.elected.then(() => (elections += 1));
        for (let step = 0; step < 400; step++) {
          await clock.advance(250);
          expect(candidates.filter(({ elector }) => elector.isLeader()).length).toBeLessThanOrEqual(1);
        }
        for (const { stop } of candidates) void stop();
        await clock.advance(60_000);
        expect(clock.pendingTimers).toBe(0);
      }),
      { numRuns: 40 },
    );
    expect(elections).toBeGreaterThan(0);
  });
});
