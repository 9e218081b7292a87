import { describe, expect, it } from '@jest/globals';
import { VirtualClock } from '@mcr/client/testing';
import { MIN_WAIT, orphanWait, OwnerWaits } from './owner-waits.ts';

const HOUR = 3_600_000;

describe('the wait of a deleted owner', () => {
  it('FP-3: ends orphanAfter after the deletion, also if the process has restarted meanwhile', () => {
    expect(orphanWait(HOUR, { sinceDeletion: 0, waited: 0 })).toBe(HOUR);
    expect(orphanWait(HOUR, { sinceDeletion: HOUR / 2, waited: HOUR / 4 })).toBe(HOUR / 2);
    expect(orphanWait(HOUR, { sinceDeletion: HOUR, waited: HOUR / 4 })).toBe(0);
  });

  it('FP-3: gives the clusters a minute after a long stop of the program, or a jump of the clock', () => {
    expect(orphanWait(HOUR, { sinceDeletion: 5 * HOUR, waited: 0 })).toBe(MIN_WAIT);
    expect(orphanWait(HOUR, { sinceDeletion: 5 * HOUR, waited: MIN_WAIT })).toBe(0);
    expect(orphanWait(2_000, { sinceDeletion: 5 * HOUR, waited: 0 })).toBe(2_000);
  });

  it('FP-3: ends although the clock was set back, or is behind that of the hub', () => {
    expect(orphanWait(HOUR, { sinceDeletion: -5 * HOUR, waited: HOUR / 2 })).toBe(HOUR / 2);
    expect(orphanWait(HOUR, { sinceDeletion: -5 * HOUR, waited: HOUR })).toBe(0);
  });

  it('FP-3: is measured for each owner, and begins again for another uid', async () => {
    const clock = new VirtualClock();
    const waits = new OwnerWaits(clock);
    expect(waits.waited('a/x', 'one')).toBe(0);
    await clock.advance(1_000);
    expect([waits.waited('a/x', 'one'), waits.waited('a/y', 'two')]).toEqual([1_000, 0]);
    expect(waits.waited('a/x', 'three')).toBe(0);
    waits.forget('a/y');
    await clock.advance(1_000);
    expect([waits.waited('a/x', 'three'), waits.waited('a/y', 'two')]).toEqual([1_000, 0]);
  });
});
