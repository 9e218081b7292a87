import { describe, expect, it } from '@jest/globals';
import { PAUSE } from '../turn.ts';
import type { Steps } from './steps.ts';
import { run, runSync, wait } from './steps.ts';

function* plain(promises: readonly Promise<unknown>[] = []): Steps<number> {
  yield* promises;
  return 1;
}

function* waiting(): Steps<number> {
  return (yield* wait(Promise.resolve(1))) + (yield* wait(Promise.resolve(2)));
}

describe('steps of a write', () => {
  it('K-27: a write that asks no webhook is synchronous', () => {
    expect(run(plain())).toBe(1);
    expect(runSync(plain())).toBe(1);
  });

  it('K-27: a write waits for each webhook, and can handle its failure', async () => {
    expect(await run(waiting())).toBe(3);
    const handled = function* (): Steps<string> {
      try {
        return yield* wait(Promise.reject(new Error('failed')));
      } catch (error) {
        return String(error);
      }
    };
    expect(await run(handled())).toBe('Error: failed');
    await expect(async () => run(wait(Promise.reject(new Error('failed'))))).rejects.toThrow('failed');
  });

  it('K-30: a write that pauses lets others go first, unless the server itself writes', async () => {
    const pausing = function* (): Steps<number> {
      yield PAUSE;
      yield PAUSE;
      return 3;
    };
    const order: string[] = [];
    setImmediate(() => order.push('other'));
    expect(await run(pausing())).toBe(3);
    expect(order).toEqual(['other']);
    expect(runSync(pausing())).toBe(3);
  });

  it('K-27: the server itself never waits for a webhook', () => {
    expect(() => runSync(waiting())).toThrow('this write has to wait for a webhook: send it as a request');
  });
});
