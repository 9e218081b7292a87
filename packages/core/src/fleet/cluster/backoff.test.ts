import { describe, expect, it } from '@jest/globals';
import { Backoff } from './backoff.ts';

describe('Backoff', () => {
  it('doubles from the base to the maximum, and stays there', () => {
    const backoff = new Backoff({ base: 100, max: 1_000, random: () => 0 });
    expect(Array.from({ length: 6 }, () => backoff.next())).toEqual([100, 200, 400, 800, 1_000, 1_000]);
  });

  it('shortens each delay by up to a half', () => {
    const backoff = new Backoff({ base: 100, max: 1_000, random: () => 0.5 });
    expect([backoff.next(), backoff.next()]).toEqual([75, 150]);
  });

  it('stays at the maximum however often it is asked', () => {
    const backoff = new Backoff({ base: 1_000, max: 300_000, random: () => 0 });
    for (let i = 0; i < 2_000; i += 1) backoff.next();
    expect(backoff.next()).toBe(300_000);
  });
});
