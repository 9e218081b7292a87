import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { VirtualClock } from '../clock/virtual-clock.ts';
import type { Recovered } from './recovery-probe.ts';
import { RecoveryProbe } from './recovery-probe.ts';

describe('the recovery probe', () => {
  let clock: VirtualClock;
  /** Start times of the probes. */
  let starts: number[];
  let isUp: boolean;
  /** Time until a probe fails, in milliseconds. */
  let latency: number;
  let probe: RecoveryProbe;
  let caller: AbortController;

  beforeEach(() => {
    clock = new VirtualClock();
    starts = [];
    isUp = false;
    latency = 0;
    caller = new AbortController();
    probe = new RecoveryProbe({
      clock,
      random: () => 0.5,
      check: ({ signal }) => {
        starts.push(clock.now());
        if (isUp) return Promise.resolve();
        return new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
          clock.schedule(latency, () => reject(new Error('connection refused')));
        });
      },
    });
  });
  afterEach(() => expect(getEventListeners(caller.signal, 'abort')).toEqual([]));

  /** Waits for recovery. The returned object receives the result and its time. */
  function wait(): { at?: number; result?: Recovered; error?: unknown } {
    const outcome: ReturnType<typeof wait> = {};
    probe.recovered(caller.signal).then(
      (result) => Object.assign(outcome, { at: clock.now(), result }),
      (error: unknown) => Object.assign(outcome, { error }),
    );
    return outcome;
  }

  it('F-22: probes every second in the first minute of an outage, every 5 to 8 s later', async () => {
    wait();
    await clock.advance(59_500);
    expect(starts).toEqual(Array.from({ length: 60 }, (_, second) => second * 1_000));
    await clock.advance(20_500);
    expect(starts.slice(60)).toEqual([60_000, 66_500, 73_000, 79_500]);
    caller.abort();
    await clock.advance(0);
    expect(clock.pendingTimers).toBe(0);
  });

  it('F-22: notifies all callers at the first success, and stops', async () => {
    const [one, other] = [wait(), wait()];
    await clock.advance(30_400);
    isUp = true;
    await clock.advance(600);
    expect([one, other]).toEqual([
      { at: 31_000, result: { outage: 31_000 } },
      { at: 31_000, result: { outage: 31_000 } },
    ]);
    await clock.advance(60_000);
    expect(starts).toHaveLength(32);
    expect(clock.pendingTimers).toBe(0);
  });

  it('F-22: reports no outage if no probe failed, and probes at most once a second', async () => {
    isUp = true;
    for (let times = 0; times < 5; times++) {
      const outcome = wait();
      await clock.advance(1_000);
      expect(outcome.result).toEqual({ outage: 0 });
    }
    expect(starts).toEqual([0, 1_000, 2_000, 3_000, 4_000]);
  });

  it('F-22: runs at most one probe at a time, and only a probe that started after the call counts', async () => {
    latency = 5_000;
    const early = wait();
    await clock.advance(4_000);
    expect(starts).toEqual([0]);
    isUp = true;
    const late = wait();
    await clock.advance(1_000);
    expect(starts).toEqual([0, 5_000]);
    expect([early.at, late.at]).toEqual([5_000, 5_000]);
  });

  it('F-22: aborts a probe when no caller waits for it, and does not count it as a failure', async () => {
    latency = 5_000;
    const outcome = wait();
    await clock.advance(500);
    caller.abort(new Error('enough'));
    await clock.advance(0);
    expect(outcome.error).toEqual(new Error('enough'));
    caller = new AbortController();
    isUp = true;
    const next = wait();
    await clock.advance(1_000);
    expect(next.result).toEqual({ outage: 0 });
  });

  it('F-22: considers an outage over after a minute without waiting callers', async () => {
    wait();
    await clock.advance(90_000);
    caller.abort();
    await clock.advance(61_000);
    caller = new AbortController();
    wait();
    await clock.advance(2_500);
    expect(starts.slice(-3)).toEqual([151_000, 152_000, 153_000]);
    caller.abort();
    await clock.advance(0);
  });
});
