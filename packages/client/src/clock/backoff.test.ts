import { describe, expect, it } from '@jest/globals';
import { Backoff, backoffDelay } from './backoff.ts';

describe('backoffDelay', () => {
  it('is 0 without a failure, and grows by the factor from the base to the maximum', () => {
    const policy = { base: 10, factor: 3, max: 50, jitter: 0 };
    expect([-1, 0, 1, 2, 3, 4].map((failures) => backoffDelay(policy, failures))).toEqual([0, 0, 10, 30, 50, 50]);
  });

  it.each([
    [0.5, 125],
    [-0.5, 75],
    [-0.25, 87.5],
    [0, 100],
  ])('changes a delay by a random part of the jitter %s', (jitter, delay) => {
    expect(backoffDelay({ base: 100, max: 100, jitter, random: () => 0.5 }, 1)).toBe(delay);
  });
});

describe('Backoff', () => {
  it('starts again with the base after a reset', () => {
    const backoff = new Backoff({ base: 100, max: 1_000, random: () => 0 });
    backoff.next();
    expect([backoff.next(), backoff.failures]).toEqual([200, 2]);
    backoff.reset();
    expect([backoff.failures, backoff.next()]).toEqual([0, 100]);
  });

  it('doubles from the base to the maximum, and stays there', () => {
    const backoff = new Backoff({ base: 100, max: 1_000, random: () => 0 });
    expect(Array.from({ length: 6 }, () => backoff.next())).toEqual([100, 200, 400, 800, 1_000, 1_000]);
  });

  it('shortens each delay by up to a half', () => {
    const backoff = new Backoff({ base: 100, max: 1_000, random: () => 0.5 });
    expect([backoff.next(), backoff.next()]).toEqual([75, 150]);
  });

  it('stays at the maximum after any number of failures', () => {
    const backoff = new Backoff({ base: 1_000, max: 300_000, random: () => 0 });
    for (let i = 0; i < 2_000; i += 1) backoff.next();
    expect(backoff.next()).toBe(300_000);
  });
});
