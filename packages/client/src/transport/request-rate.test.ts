import { expect, it } from '@jest/globals';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { RequestRate } from './request-rate.ts';

const { signal } = new AbortController();

/** Queues 100 requests. The returned function advances the clock, and returns the number of allowed requests. */
function flood(config: { qps?: number; burst?: number }) {
  const clock = new VirtualClock();
  const rate = new RequestRate(config, clock);
  let sent = 0;
  for (let i = 0; i < 100; i += 1) void rate.next(signal).then(() => (sent += 1));
  return async (duration: number) => {
    await clock.advance(duration);
    return sent;
  };
}

it('sets no limit by default', async () => {
  expect(await flood({})(0)).toBe(100);
});

it('allows a burst of requests immediately, and then qps requests per second', async () => {
  const sentAfter = flood({ qps: 5, burst: 10 });
  expect(await sentAfter(0)).toBe(10);
  expect(await sentAfter(1000)).toBe(15);
  expect(await sentAfter(200)).toBe(16);
  expect(await sentAfter(2000)).toBe(26);
});

it('allows a burst of twice qps by default', async () => {
  expect(await flood({ qps: 5 })(0)).toBe(10);
});

it('leaves no timer after a request was aborted', async () => {
  const clock = new VirtualClock();
  const rate = new RequestRate({ qps: 1, burst: 1 }, clock);
  const controller = new AbortController();
  await rate.next(controller.signal);
  const waiting = rate.next(controller.signal);
  controller.abort(new Error('given up'));
  await expect(waiting).rejects.toThrow('given up');
  expect(clock.pendingTimers).toBe(0);
});
