import { describe, expect, it } from '@jest/globals';
import { SerialCalls } from './serial-calls.ts';

describe('SerialCalls', () => {
  it('CT-19: calls at once without promises', () => {
    const calls: number[] = [];
    const serial = new SerialCalls<number>((item) => void calls.push(item));
    for (const item of [1, 2, 3]) serial.add(item);
    expect(calls).toEqual([1, 2, 3]);
    expect(serial.settled()).toBeUndefined();
  });

  it('CT-19: later items wait for a promise, also those that need none', async () => {
    const calls: string[] = [];
    const serial = new SerialCalls<number>((item) => {
      calls.push(`+${item}`);
      if (item % 2 === 1) return undefined;
      return new Promise<void>((resolve) => setImmediate(resolve)).then(() => void calls.push(`-${item}`));
    });
    for (const item of [1, 2, 3, 4, 5]) serial.add(item);
    expect(calls).toEqual(['+1', '+2']);
    const settled = serial.settled();
    serial.add(6);
    await settled;
    expect(calls.slice(0, 7)).toEqual(['+1', '+2', '-2', '+3', '+4', '-4', '+5']);
    await serial.settled();
    expect(calls.slice(7)).toEqual(['+6', '-6']);
    serial.add(7);
    expect(calls.at(-1)).toBe('+7');
  });

  it('CT-19: handles existing items before those that are added meanwhile', async () => {
    const calls: number[] = [];
    const serial = new SerialCalls<number>(async (item) => void calls.push(item));
    const caughtUp = serial.catchUp([1, 2][Symbol.iterator]());
    serial.add(3);
    expect(calls).toEqual([]);
    await caughtUp;
    expect(calls).toEqual([1, 2, 3]);
  });

  it('CT-19: discards what waits when it is stopped, also during a call', async () => {
    const calls: number[] = [];
    const first = Promise.withResolvers<void>();
    const serial = new SerialCalls<number>((item) => {
      calls.push(item);
      return first.promise;
    });
    serial.add(1);
    serial.add(2);
    serial.stop();
    serial.add(3);
    first.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    expect(calls).toEqual([1]);
  });

  it('CT-19, P-7: lets other work run between calls whose promises need no I/O', async () => {
    let turns = 0;
    let counting = setImmediate(function turn() {
      turns += 1;
      counting = setImmediate(turn);
    });
    const serial = new SerialCalls<number>(async () => {
      const end = performance.now() + 1;
      while (performance.now() < end);
    });
    for (let item = 0; item < 50; item += 1) serial.add(item);
    await serial.settled();
    clearImmediate(counting);
    // 50 ms of work in slices of at most 4 ms.
    expect(turns).toBeGreaterThanOrEqual(8);
  });
});
