import { describe, expect, it } from '@jest/globals';
import { VirtualClock } from '@mcr/client/testing';
import { ConnectSlots } from './connect-slots.ts';

const forever = new AbortController().signal;

/** Takes a slot, and notes when it was given. */
function take(slots: ConnectSlots, signal = forever) {
  const taken = { given: false, release: () => undefined as void };
  const promise = slots.acquire(signal).then((release) => Object.assign(taken, { given: true, release }));
  return Object.assign(taken, { promise });
}

describe('ConnectSlots', () => {
  it('gives no more slots than there are, and a freed one to who has waited longest', async () => {
    const clock = new VirtualClock();
    const slots = new ConnectSlots({ limit: 1, holdFor: 1_000, clock });
    const [first, second, third] = [take(slots), take(slots), take(slots)];
    await clock.advance(0);
    expect([first.given, second.given, third.given]).toEqual([true, false, false]);
    first.release();
    first.release();
    await clock.advance(0);
    expect([second.given, third.given]).toEqual([true, false]);
    second.release();
    await third.promise;
    third.release();
    expect(clock.pendingTimers).toBe(0);
  });

  it('takes a slot back from who keeps it for long', async () => {
    const clock = new VirtualClock();
    const slots = new ConnectSlots({ limit: 1, holdFor: 1_000, clock });
    const [blackHole, healthy] = [take(slots), take(slots)];
    await clock.advance(999);
    expect(healthy.given).toBe(false);
    await clock.advance(1);
    expect(healthy.given).toBe(true);
    blackHole.release();
    const another = take(slots);
    await clock.advance(0);
    expect(another.given).toBe(false);
  });

  it('forgets who does not want to wait any more', async () => {
    const clock = new VirtualClock();
    const slots = new ConnectSlots({ limit: 1, holdFor: 1_000, clock });
    const first = take(slots);
    const impatient = new AbortController();
    const second = take(slots, impatient.signal);
    await clock.advance(0);
    impatient.abort(new Error('enough'));
    await expect(second.promise).rejects.toThrow('enough');
    first.release();
    await take(slots).promise;
  });
});
