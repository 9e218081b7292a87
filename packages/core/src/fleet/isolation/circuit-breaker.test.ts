import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { TransportError } from '@mcr/client';
import type { PingResult, Recovered } from '@mcr/client';
import { VirtualClock } from '@mcr/client/testing';
import type { CallScope } from './pending-call.ts';
import { CircuitBreaker } from './circuit-breaker.ts';
import { isClusterIsolated } from './cluster-isolated-error.ts';
import type { PendingCall } from './pending-call.ts';

class Scope implements CallScope {
  readonly calls = new Set<PendingCall>();
  preempted: Error | undefined;
  readonly signal = new AbortController().signal;
  ended = false;
}

describe('a circuit breaker', () => {
  let clock: VirtualClock;
  let pings: number;
  let pong: PingResult;
  let recoveries: PromiseWithResolvers<Recovered>[];
  let breaker: CircuitBreaker;
  let phases: string[];
  beforeEach(() => {
    clock = new VirtualClock();
    pings = 0;
    pong = 'answered';
    recoveries = [];
    phases = [];
    breaker = new CircuitBreaker({
      clusterName: 'eu-1',
      clock,
      ping: (timeout) => {
        pings += 1;
        if (pong !== 'silent') return Promise.resolve(pong);
        return new Promise((resolve) => void clock.schedule(timeout, () => resolve('silent')));
      },
      recovery: {
        recovered: () => {
          const recovery = Promise.withResolvers<Recovered>();
          recoveries.push(recovery);
          return recovery.promise;
        },
      },
      random: () => 0,
    });
    breaker.onChange(({ phase }) => phases.push(phase));
  });
  afterEach(() => {
    breaker.close();
    expect(clock.pendingTimers).toBe(0);
  });
  const write = (scope = new Scope()) => breaker.begin(scope, 'PATCH');
  const deadline = () => new TransportError('deadline', 'eu-1:6443', 'deadline of 30000 ms passed');

  it('FP-2: an answered call leaves no timer, and causes no ping', async () => {
    const call = write();
    await clock.advance(99);
    call.answered();
    expect([clock.pendingTimers, pings]).toEqual([0, 0]);
    expect(phases).toEqual([]);
  });

  it('FP-2: a cluster is slow when a call has had no response for a second, until one is answered in time', async () => {
    const call = write();
    await clock.advance(999);
    expect(phases).toEqual([]);
    await clock.advance(1);
    expect(breaker.state).toMatchObject({ phase: 'slow', reason: 'no response to PATCH within 1000 ms' });
    await clock.advance(500);
    call.answered();
    expect(phases).toEqual(['slow']);
    write().answered();
    expect(phases).toEqual(['slow', 'closed']);
  });

  it('FP-2, F-23: headers without the rest of the response do not count as an answer', async () => {
    const calls = [write(), write()];
    for (const call of calls) call.headersArrived({ isList: false });
    for (let passed = 0; passed < 1_000; passed += 500) {
      await clock.advance(500);
      for (const call of calls) call.received(1024 * 1024);
    }
    expect(breaker.state).toMatchObject({ phase: 'slow', reason: 'no complete response to PATCH within 1000 ms' });
    await clock.advance(4_000);
    expect(breaker.state).toMatchObject({ phase: 'parked', reason: 'no complete response to PATCH within 5 s' });
    expect(calls.every(({ signal }) => signal.aborted)).toBe(true);
  });

  it('FP-2, F-23: a body that is cut off makes a trial fail; one that is too large for the client is an answer', async () => {
    write();
    write();
    await clock.advance(6_000);
    const trial = write();
    trial.headersArrived({ isList: false });
    trial.failed(new TransportError('reset', 'eu-1:6443', 'the body was cut off'));
    expect(breaker.state).toMatchObject({
      phase: 'parked',
      reason: 'no complete response to PATCH: eu-1:6443: the body was cut off',
    });
    await clock.advance(2_000);
    const large = write();
    large.headersArrived({ isList: false });
    large.failed(new TransportError('oversized', 'eu-1:6443', 'the body has more than 8388608 bytes'));
    expect(breaker.state.phase).toBe('closed');
  });

  /** Starts a list whose response sends `bytes` per second for `seconds`, in ten parts per second. */
  const list = async (bytes: number, seconds: number) => {
    const call = breaker.begin(new Scope(), 'GET');
    call.headersArrived({ isList: true });
    for (let part = 0; part < seconds * 10; part += 1) {
      await clock.advance(100);
      call.received(bytes / 10);
    }
    return call;
  };

  it('FP-2, F-23: a long list that makes progress is not late', async () => {
    const call = await list(300 * 1024, 9);
    call.answered();
    expect(phases).toEqual([]);
  });

  it('FP-2, F-23: a list that trickles is late, and lost', async () => {
    const call = await list(10, 1);
    expect(breaker.state).toMatchObject({ phase: 'slow', reason: 'no complete response to GET within 1000 ms' });
    await Promise.all([list(10, 5), list(10, 5)]);
    expect(breaker.state).toMatchObject({ phase: 'parked', cause: 'read' });
    expect(call.signal.aborted).toBe(true);
  });

  it('FP-2, F-23: a list that makes progress for more than 10 s makes the cluster slow, and never parks it', async () => {
    const calls = await Promise.all([list(300 * 1024, 20), list(300 * 1024, 20)]);
    expect(breaker.state).toMatchObject({ phase: 'slow' });
    for (const call of calls) call.answered();
    expect(breaker.state).toMatchObject({ phase: 'slow', answers: true });
    write().answered();
    (await list(10, 0)).answered();
    expect(phases).toEqual(['slow', 'closed']);
  });

  it('FP-2: checks each call in time, also one that begins while others have waited for long', async () => {
    write();
    await clock.advance(1_200);
    const second = write();
    const third = breaker.begin(new Scope(), 'GET');
    third.answered();
    pong = 'silent';
    await clock.advance(1_100);
    expect(second.signal.aborted).toBe(true);
  });

  it('FP-2: a silent connection parks the cluster within 1.1 s, aborts its calls and refuses others', async () => {
    pong = 'silent';
    const calls = [write(), breaker.begin(new Scope(), 'GET')];
    await clock.advance(1_099);
    expect(phases).toEqual(['slow']);
    await clock.advance(1);
    expect(phases).toEqual(['slow', 'parked']);
    for (const { signal } of calls) expect(isClusterIsolated(signal.reason)).toBe(true);
    expect(() => write()).toThrow('cluster "eu-1" is parked: no answer to a ping within 1000 ms');
  });

  it('FP-2: a parked cluster is served again at once when the health check succeeds', async () => {
    pong = 'silent';
    write();
    await clock.advance(1_100);
    pong = 'answered';
    expect(recoveries).toHaveLength(1);
    recoveries[0]?.resolve({ outage: 5_000 });
    await clock.advance(0);
    expect(breaker.state.phase).toBe('closed');
    write().answered();
  });

  it('FP-2: calls that expire park a cluster whose connection works; one reconcile at a time tries again', async () => {
    write();
    write();
    await clock.advance(5_000);
    expect(breaker.state).toMatchObject({ phase: 'parked', cause: 'write', reason: 'no response to PATCH within 5 s' });
    await clock.advance(1_000);
    expect(breaker.state.phase).toBe('half-open');
    const trial = new Scope();
    write(trial);
    write(trial);
    expect(() => write()).toThrow('is parked');
    await clock.advance(1_000);
    expect(breaker.state).toMatchObject({ phase: 'parked', parks: 2 });
    await clock.advance(2_000);
    expect(breaker.state.phase).toBe('half-open');
    write().answered();
    expect(breaker.state.phase).toBe('closed');
    write().answered();
  });

  it('FP-2: a trial that ends without an answer allows the next one', async () => {
    for (const _ of [1, 2]) {
      const call = write();
      await clock.advance(1_000);
      call.failed(deadline());
    }
    await clock.advance(1_000);
    const trial = new Scope();
    write(trial).settled();
    expect(() => write()).toThrow('is parked');
    trial.ended = true;
    write().answered();
    expect(breaker.state.phase).toBe('closed');
  });

  it('FP-2: trials wait longer each time, up to 30 s, and have more patience each time, up to 8 s', async () => {
    const waits: number[] = [];
    const patience: number[] = [];
    const until = async (phase: string, limit: number) => {
      const from = clock.now();
      while (breaker.state.phase !== phase && clock.now() - from < limit) await clock.advance(500);
      return clock.now() - from;
    };
    write();
    write();
    await until('parked', 10_000);
    for (let trial = 0; trial < 7; trial += 1) {
      waits.push(await until('half-open', 60_000));
      write();
      patience.push(await until('parked', 60_000));
    }
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
    expect(patience).toEqual([1_000, 2_000, 4_000, 8_000, 8_000, 8_000, 8_000]);
  });

  it('FP-2: a cluster that answers after 1.5 s each time is never parked for ever', async () => {
    write();
    write();
    await clock.advance(5_000 + 1_000);
    write();
    await clock.advance(1_000 + 2_000);
    expect(breaker.state.phase).toBe('half-open');
    const call = write();
    await clock.advance(1_500);
    call.answered();
    for (let count = 0; count < 5; count += 1) {
      expect(breaker.state).toMatchObject({ phase: 'slow', answers: true });
      const next = write();
      await clock.advance(1_500);
      next.answered();
    }
    expect(breaker.state.phase).toBe('slow');
  });

  it('FP-2: a deadline of less than a second, a refusal and a caller that gives up say nothing', async () => {
    for (let count = 0; count < 5; count += 1) {
      const short = write();
      await clock.advance(500);
      short.failed(deadline());
      write().failed(new TransportError('refused', 'eu-1:6443', 'connection refused'));
      write().failed(new Error('the caller gave up'));
    }
    expect(phases).toEqual([]);
  });

  it('FP-2: a connection that fails is a trial that has failed', async () => {
    write();
    write();
    await clock.advance(6_000);
    write().failed(new TransportError('refused', 'eu-1:6443', 'connection refused'));
    expect(breaker.state).toMatchObject({
      phase: 'parked',
      parks: 2,
      reason: 'no response to PATCH: eu-1:6443: connection refused',
    });
  });

  it('FP-2: gives a refused connection as the reason while the request is sent again', async () => {
    const call = write();
    call.failedTry(new TransportError('refused', 'eu-1:6443', 'connection refused'));
    await clock.advance(1_000);
    expect(breaker.state).toMatchObject({
      phase: 'slow',
      reason: 'no response to PATCH: eu-1:6443: connection refused',
    });
    call.answered();
  });

  it('FP-2: health checks that succeed while calls stay silent are asked less and less', async () => {
    pong = 'silent';
    for (let round = 1; round <= 3; round += 1) {
      write();
      await clock.advance(1_100);
      expect(breaker.state.phase).toBe('parked');
      await clock.advance(2 ** (round - 2) * 1_000);
      expect(recoveries).toHaveLength(round);
      recoveries[round - 1]?.resolve({ outage: 0 });
      await clock.advance(0);
      expect(breaker.state).toMatchObject({ phase: 'closed', parks: round });
    }
  });

  it('FP-2, F-6: a call that waits as long as the server asked for has been answered, until it is sent again', async () => {
    const call = write();
    await clock.advance(50);
    call.postponed(20_000);
    await clock.advance(20_099);
    expect([pings, phases]).toEqual([0, []]);
    await clock.advance(1);
    expect(pings).toBe(1);
    await clock.advance(900);
    expect(breaker.state).toMatchObject({ phase: 'slow', reason: 'no response to PATCH within 1000 ms' });
    call.postponed(1_000);
    expect(breaker.state).toMatchObject({ phase: 'slow', answers: true });
    await clock.advance(1_001);
    call.answered();
    expect(phases).toEqual(['slow', 'closed']);
  });

  it('FP-2: an answer that asks for another try is one to a trial', async () => {
    write();
    write();
    await clock.advance(6_000);
    const call = write();
    call.postponed(10_000);
    expect(breaker.state.phase).toBe('closed');
    call.answered();
  });

  it('FP-2: a wait for a cache is slow after a second, is never lost, and is over when the cache has synced', async () => {
    const waits = [breaker.beginWait(new Scope()), breaker.beginWait(new Scope())];
    await clock.advance(1_000);
    expect(breaker.state).toMatchObject({ phase: 'slow', reason: 'no synced cache within 1000 ms' });
    await clock.advance(60_000);
    expect(phases).toEqual(['slow']);
    for (const wait of waits) wait.settled();
    expect(phases).toEqual(['slow', 'closed']);
  });

  it('FP-2: a wait for a cache of a silent cluster is aborted', async () => {
    pong = 'silent';
    const wait = breaker.beginWait(new Scope());
    await clock.advance(1_100);
    expect(isClusterIsolated(wait.signal.reason)).toBe(true);
    expect(() => breaker.beginWait(new Scope())).toThrow('is parked');
  });

  /** Lets time pass, in which health checks succeed after `elapsed` milliseconds. */
  const checked = async (duration: number, elapsed = 20) => {
    for (const end = clock.now() + duration; clock.now() < end;) {
      await clock.advance(Math.min(10_000, end - clock.now()));
      breaker.healthChecked(elapsed);
    }
  };
  /** Makes the cluster slow by one late call of that method. */
  const lateCall = async (method: string) => {
    const call = breaker.begin(new Scope(), method);
    await clock.advance(1_500);
    call.answered();
    expect(breaker.state.phase).toBe('slow');
  };

  it.each(['GET', 'PATCH'])('FP-2: one late %s makes a healthy cluster slow for a minute at most', async (method) => {
    await lateCall(method);
    await checked(59_999);
    expect(breaker.state.phase).toBe('slow');
    await checked(1);
    expect(breaker.state.phase).toBe('closed');
  });

  it('FP-2: a late call begins the minute again', async () => {
    await lateCall('GET');
    await checked(50_000);
    const call = write();
    await clock.advance(1_500);
    call.answered();
    await checked(59_000);
    expect(breaker.state.phase).toBe('slow');
    await checked(1_000);
    expect(breaker.state.phase).toBe('closed');
  });

  it('FP-2: stays slow while health checks fail or are late, and while a call waits', async () => {
    await lateCall('GET');
    await clock.advance(120_000);
    expect(breaker.state.phase).toBe('slow');
    await checked(120_000, 1_000);
    expect(breaker.state.phase).toBe('slow');
    const wait = breaker.beginWait(new Scope());
    await checked(120_000);
    expect(breaker.state.phase).toBe('slow');
    wait.failed(new Error('the caller gave up'));
    await checked(10_000);
    expect(breaker.state.phase).toBe('closed');
  });

  it('FP-2: stays slow while its requests are held back, unless it answers other calls in time', async () => {
    const remove = breaker.addDemand(() => true);
    await lateCall('GET');
    await checked(300_000);
    expect(breaker.state.phase).toBe('slow');
    write().answered();
    await checked(1);
    expect(breaker.state.phase).toBe('closed');
    await lateCall('GET');
    remove();
    await checked(60_000);
    expect(breaker.state.phase).toBe('closed');
  });

  it('FP-2: a trial without a reconcile ends when the cluster is healthy for a minute', async () => {
    write();
    write();
    await clock.advance(5_000);
    expect(breaker.state.phase).toBe('parked');
    await checked(59_000);
    expect(breaker.state.phase).toBe('half-open');
    await checked(1_000);
    expect(breaker.state.phase).toBe('closed');
  });

  it('FP-2: refuses calls of a reconcile that was preempted, with its reason', () => {
    const scope = new Scope();
    scope.preempted = new Error('its worker is needed');
    expect(() => write(scope)).toThrow('its worker is needed');
  });

  it('FP-2: leaves nothing behind when its cluster stops while it is parked', async () => {
    pong = 'silent';
    write();
    await clock.advance(1_100);
    breaker.close();
    expect(clock.pendingTimers).toBe(0);
  });
});
