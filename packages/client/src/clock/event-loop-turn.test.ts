import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { inTurns, workInSpareTime, workInTurn, workInTurns } from './event-loop-turn.ts';

/** Blocks the thread for a millisecond. */
function busy(): void {
  for (const end = performance.now() + 1; performance.now() < end;);
}

describe('workInTurns', () => {
  // All tests in one turn would share its budget.
  beforeEach(() => new Promise<void>((resolve) => setImmediate(resolve)));

  it('P-7: concurrent work shares one budget per turn of the event loop', async () => {
    const itemsPerTurn = [0];
    let counting = setImmediate(function turn() {
      itemsPerTurn.push(0);
      counting = setImmediate(turn);
    });
    const work = () => {
      busy();
      itemsPerTurn[itemsPerTurn.length - 1] = (itemsPerTurn.at(-1) ?? 0) + 1;
      return true;
    };
    const items = Array.from({ length: 64 });
    await Promise.all([workInTurns(items, work), workInTurns(items, work), workInTurns(items, work)]);
    clearImmediate(counting);
    const [first, ...later] = itemsPerTurn;
    // The time is checked after 16 items, when the budget is used up.
    expect(first).toBe(16);
    expect(Math.max(...later)).toBe(16);
    expect(itemsPerTurn.reduce((sum, count) => sum + count)).toBe(192);
  });

  it('P-7: many small pieces of work share one budget', async () => {
    let turns = 0;
    let counting = setImmediate(function turn() {
      turns++;
      counting = setImmediate(turn);
    });
    const work = () => {
      busy();
      return true;
    };
    await Promise.all(Array.from({ length: 64 }, () => workInTurns([1], work)));
    clearImmediate(counting);
    expect(turns).toBe(3);
  });

  it('P-7: yields after a long piece of work', async () => {
    let turned = false;
    const immediate = setImmediate(() => (turned = true));
    const long = () => {
      for (let i = 0; i < 9; i++) busy();
      return turned;
    };
    expect(await Promise.all([workInTurn(long), workInTurn(long)])).toEqual([false, true]);
    clearImmediate(immediate);
  });

  it('continues in the same turn while there is little to do', async () => {
    let turned = false;
    const immediate = setImmediate(() => (turned = true));
    await workInTurns(Array.from({ length: 15 }), () => {
      busy();
      return true;
    });
    expect(turned).toBe(false);
    clearImmediate(immediate);
  });

  it('includes items that are added in the meantime, and stops when work returns false', async () => {
    const items = [1, 2, 3];
    const done: number[] = [];
    await workInTurns(items, (item) => {
      done.push(item);
      if (item < 10) items.push(item + 10);
      return item !== 12;
    });
    expect(done).toEqual([1, 2, 3, 11, 12]);
  });
});

describe('inTurns', () => {
  it('P-7: lets other work run while its caller computes', async () => {
    await new Promise<void>((resolve) => setImmediate(resolve));
    let turns = 0;
    let counting = setImmediate(function turn() {
      turns++;
      counting = setImmediate(turn);
    });
    const seen: number[] = [];
    for await (const item of inTurns([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])) {
      busy();
      seen.push(item);
    }
    clearImmediate(counting);
    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(turns).toBeGreaterThanOrEqual(3);
  });
});

describe('workInSpareTime', () => {
  it('P-7: yields to other work after a millisecond, across all callers', async () => {
    let turns = 0;
    let counting = setImmediate(function turn() {
      turns++;
      counting = setImmediate(turn);
    });
    const turnsBetween: number[] = [];
    let last = turns;
    const work = () => {
      turnsBetween.push(turns - last);
      last = turns;
      busy();
      return true;
    };
    const items = Array.from({ length: 32 });
    await Promise.all([workInSpareTime(items, work), workInSpareTime(items, work)]);
    clearImmediate(counting);
    // The time is checked after 16 items, when the slice is used up.
    expect(turnsBetween.flatMap((turn, at) => (turn > 0 ? [at] : []))).toEqual([0, 16, 32, 48]);
  });

  it('checks the time once for several items', async () => {
    const now = jest.spyOn(performance, 'now');
    await workInSpareTime(Array.from({ length: 1_600 }), () => true);
    // Each of the 100 checks may end a slice, and the end of a slice looks at the time once more.
    expect(now.mock.calls.length).toBeLessThanOrEqual(200);
    now.mockRestore();
  });

  it('continues with other work if one piece fails', async () => {
    const failing = workInSpareTime([1], () => {
      throw new Error('broken');
    });
    const seen: number[] = [];
    const next = workInSpareTime([1, 2], (item) => seen.push(item) > 0);
    await expect(failing).rejects.toThrow('broken');
    await next;
    expect(seen).toEqual([1, 2]);
  });

  it('stops when work returns false', async () => {
    const seen: number[] = [];
    await workInSpareTime([1, 2, 3], (item) => {
      seen.push(item);
      return item < 2;
    });
    expect(seen).toEqual([1, 2]);
  });
});
