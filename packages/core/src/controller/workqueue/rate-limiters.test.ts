import { describe, expect, it } from '@jest/globals';
import { VirtualClock } from '@mcr/client/testing';
import { defaultRateLimiter, exponentialBackoff, maxOf, tokenBucket } from './rate-limiters.ts';

describe('rate limiter', () => {
  it('WQ-7: doubles the delay of each request from 5 ms to 1000 s, until it is forgotten', () => {
    const limiter = exponentialBackoff();
    const waits = Array.from({ length: 20 }, () => limiter.when('x', 'a'));
    expect(waits.slice(0, 5)).toEqual([5, 10, 20, 40, 80]);
    expect(waits.slice(-3)).toEqual([655_360, 1_000_000, 1_000_000]);
    for (let i = 0; i < 2_000; i++) limiter.when('x', 'a');
    expect(limiter.when('x', 'a')).toBe(1_000_000);
    expect(limiter.when('y', 'a')).toBe(5);
    expect(limiter.attempts('y', 'a')).toBe(1);
    limiter.forget('x', 'a');
    expect(limiter.attempts('x', 'a')).toBe(0);
    expect(limiter.when('x', 'a')).toBe(5);
  });

  it('WQ-7: allows 100 retries at once, and then 10 per second', async () => {
    const clock = new VirtualClock();
    const limiter = tokenBucket({ clock });
    const waits = Array.from({ length: 102 }, (_, i) => limiter.when(`x${i}`, 'a'));
    expect(waits.slice(0, 100)).toEqual(Array.from({ length: 100 }, () => 0));
    expect(waits.slice(100)).toEqual([100, 200]);
    await clock.advance(1_000);
    expect(limiter.when('y', 'a')).toBeCloseTo(0);
    await clock.advance(3_600_000);
    const later = Array.from({ length: 101 }, () => limiter.when('x', 'a'));
    expect(later.at(-2)).toBe(0);
    expect(later.at(-1)).toBe(100);
  });

  it('WQ-7: one failing cluster does not use up the retries of another', () => {
    const limiter = tokenBucket({ clock: new VirtualClock() });
    for (let i = 0; i < 1_000; i++) limiter.when(`x${i}`, 'a');
    expect(limiter.when('x', 'a')).toBeGreaterThan(90_000);
    expect(limiter.when('x', 'b')).toBe(0);
  });

  it('WQ-7: combines limiters by the longest delay, and forwards all calls', () => {
    const limiter = maxOf(
      exponentialBackoff({ baseDelay: 1, maxDelay: 4 }),
      exponentialBackoff({ baseDelay: 3, maxDelay: 3 }),
    );
    expect([1, 2, 3, 4].map(() => limiter.when('x', 'a'))).toEqual([3, 3, 4, 4]);
    expect(limiter.attempts('x', 'a')).toBe(4);
    limiter.forget('x', 'a');
    expect(limiter.attempts('x', 'a')).toBe(0);
  });

  it('WQ-11: forgets all requests of a cluster', () => {
    const limiter = defaultRateLimiter(new VirtualClock());
    for (let i = 0; i < 200; i++) limiter.when('x', 'a');
    limiter.when('x', 'b');
    limiter.dropCluster('a');
    expect(limiter.attempts('x', 'a')).toBe(0);
    expect(limiter.attempts('x', 'b')).toBe(1);
    expect(limiter.when('x', 'a')).toBe(5);
  });
});
