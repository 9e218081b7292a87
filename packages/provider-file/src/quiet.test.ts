import { describe, expect, it } from '@jest/globals';
import { VirtualClock } from '@mcr/core/testing';
import { Quiet } from './quiet.ts';

describe('Quiet', () => {
  const scene = () => {
    const clock = new VirtualClock();
    const quiet = new Quiet({ clock, debounce: 100 });
    const end = new AbortController();
    let ended = 0;
    void quiet.next(60_000, end.signal).then(() => (ended = clock.now()));
    return { clock, quiet, end, endedAt: () => ended };
  };

  it('FI-3: starts the wait again at each change', async () => {
    const { clock, quiet, endedAt } = scene();
    await clock.advance(1_000);
    for (let change = 0; change < 4; change++) {
      quiet.changed();
      await clock.advance(50);
    }
    expect(endedAt()).toBe(0);
    await clock.advance(50);
    expect(endedAt()).toBe(1_250);
    expect(clock.pendingTimers).toBe(0);
  });

  it('FI-3: ends although changes continue', async () => {
    const { clock, quiet, endedAt } = scene();
    for (let change = 0; change < 50; change++) {
      quiet.changed();
      await clock.advance(50);
    }
    expect(endedAt()).toBe(500);
  });

  it('FI-3: ends after the timeout without a change, and when the signal aborts', async () => {
    const { clock, endedAt } = scene();
    await clock.advance(60_000);
    expect(endedAt()).toBe(60_000);

    const other = scene();
    await other.clock.advance(1);
    other.end.abort();
    await other.clock.advance(1);
    expect(other.endedAt()).toBeGreaterThan(0);
    expect(other.clock.pendingTimers).toBe(0);
  });
});
