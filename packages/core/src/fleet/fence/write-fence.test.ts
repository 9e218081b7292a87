import { beforeEach, describe, expect, it } from '@jest/globals';
import { VirtualClock } from '@mcr/client/testing';
import { isNotOwner, NotOwnerError } from '../multicluster/not-owner-error.ts';
import { WriteFence } from './write-fence.ts';

describe('a write fence', () => {
  let clock: VirtualClock;
  let isOpen: boolean;
  let settled: number;
  let fence: WriteFence;
  const onSettled = () => void (settled += 1);
  beforeEach(() => {
    clock = new VirtualClock();
    isOpen = true;
    settled = 0;
    fence = new WriteFence({
      clusterName: 'eu-1',
      clock,
      mayWrite: () => isOpen,
      refusal: () => ({ owner: 'replica-2' }),
      writeDeadline: 5_000,
    });
  });

  /** Sends one attempt of a new write. */
  const sent = () => {
    const write = fence.begin();
    write.sends();
    return write;
  };

  it('SH-4: refuses each attempt while it is closed, with the cluster and its owner', () => {
    const write = fence.begin();
    write.sends();
    write.answered();
    isOpen = false;
    expect(() => write.sends()).toThrow(NotOwnerError);
    expect(() => fence.begin().sends()).toThrow(
      expect.objectContaining({
        clusterName: 'eu-1',
        owner: 'replica-2',
        message: expect.stringContaining('replica-2'),
      }),
    );
    expect(fence.isSettled).toBe(true);
    isOpen = true;
    write.sends();
    expect(fence.isSettled).toBe(false);
  });

  it('SH-4: the error of a fence without a description has no owner', () => {
    const closed = new WriteFence({ clusterName: '', clock, mayWrite: () => false });
    let error: unknown;
    try {
      closed.begin().sends();
    } catch (thrown) {
      error = thrown;
    }
    expect(isNotOwner(error) && error.clusterName === '' && error.owner === undefined).toBe(true);
    expect(closed.writeDeadline).toBe(5_000);
  });

  it('SH-5: is settled at first, and again as soon as each write is answered', () => {
    fence.onSettled(onSettled);
    expect([fence.isSettled, settled]).toEqual([true, 1]);
    const [first, second] = [sent(), sent()];
    fence.onSettled(onSettled);
    first.answered();
    first.answered();
    expect([fence.isSettled, settled]).toEqual([false, 1]);
    second.answered();
    expect([fence.isSettled, settled, clock.pendingTimers]).toEqual([true, 2, 0]);
    sent().answered();
    expect(settled).toBe(2);
  });

  it('SH-5: a write without an answer counts until its deadline after it was sent', async () => {
    sent();
    await clock.advance(3_000);
    sent();
    fence.onSettled(onSettled);
    await clock.advance(4_999);
    expect([fence.isSettled, settled]).toEqual([false, 0]);
    await clock.advance(1);
    expect([fence.isSettled, settled, clock.pendingTimers]).toEqual([true, 1, 0]);
  });

  it('SH-5: the deadline of a write counts from its latest attempt', async () => {
    const write = sent();
    fence.onSettled(onSettled);
    await clock.advance(3_000);
    write.sends();
    await clock.advance(4_999);
    expect([fence.isSettled, settled]).toEqual([false, 0]);
    await clock.advance(1);
    expect([fence.isSettled, settled]).toEqual([true, 1]);
  });

  it('SH-5: a refused attempt ends the write, because the previous attempt was not processed', () => {
    const write = sent();
    fence.onSettled(onSettled);
    isOpen = false;
    expect(() => write.sends()).toThrow(NotOwnerError);
    expect([fence.isSettled, settled, clock.pendingTimers]).toEqual([true, 1, 0]);
  });

  it('SH-5: a retry does not settle the fence for a moment', () => {
    const write = sent();
    fence.onSettled(onSettled);
    write.sends();
    expect(settled).toBe(0);
    write.answered();
    expect(settled).toBe(1);
  });

  it('SH-5: is settled after a pause, although no timer has fired', async () => {
    let paused = 0;
    const pausing = new WriteFence({
      clusterName: 'eu-1',
      clock: { now: () => clock.now() + paused, wallTime: () => 0, schedule: (...call) => clock.schedule(...call) },
      mayWrite: () => true,
    });
    pausing.begin().sends();
    expect(pausing.isSettled).toBe(false);
    paused = 5_000;
    expect(pausing.isSettled).toBe(true);
  });

  it('SH-5: a listener can be removed, and leaves no timer', async () => {
    sent();
    const removeFirst = fence.onSettled(onSettled);
    const removeSecond = fence.onSettled(onSettled);
    removeFirst();
    expect(clock.pendingTimers).toBe(1);
    removeSecond();
    removeSecond();
    expect(clock.pendingTimers).toBe(0);
    await clock.advance(10_000);
    expect(settled).toBe(0);
  });

  it('SH-5: forgets writes without an answer after their deadline, and has no timer while no listener waits', async () => {
    for (let index = 0; index < 1_000; index++) {
      sent();
      await clock.advance(10);
    }
    expect([fence.unanswered, clock.pendingTimers]).toEqual([499, 0]);
  });
});
