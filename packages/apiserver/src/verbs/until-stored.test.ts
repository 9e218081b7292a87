import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { builtInTypes } from '../resources/kind-table.ts';
import { ClusterStore } from '../storage/cluster-store.ts';
import { PAUSE } from '../turn.ts';
import type { Steps } from './steps.ts';
import { run, runSync, wait } from './steps.ts';
import { untilStored } from './until-stored.ts';

const [type] = builtInTypes;
if (!type) throw new Error('there is no built-in kind');
const target = { type, namespace: 'default', name: 'a' };

describe('writes that repeat', () => {
  let store: ClusterStore;
  let version: number;

  beforeEach(() => {
    store = new ClusterStore(10);
    version = 0;
  });

  /** A write that is stored at once. */
  const short = (options = {}): Steps<number> =>
    untilStored({ store }, { target, ...options }, function* () {
      yield* [];
      version += 1;
      return version;
    });

  /** A write that takes several turns of the processor. Returns the number of its attempts. */
  function long(pauses: number, waits: () => Promise<unknown> = () => Promise.resolve()): Steps<number> {
    let attempts = 0;
    return untilStored({ store }, { target }, function* () {
      attempts += 1;
      const seen = version;
      for (let pause = 0; pause < pauses; pause++) yield PAUSE;
      if (pauses === 0) yield* wait(waits());
      if (seen !== version) return undefined;
      version += 1;
      return attempts;
    });
  }

  /** Sends short writes, one after another, until `work` is done. Returns their number. */
  async function during(work: Promise<unknown>): Promise<number> {
    const state = { isDone: false };
    const end = (): void => void (state.isDone = true);
    work.then(end, end);
    let writes = 0;
    for (; !state.isDone; writes++) {
      await run(short());
      await setImmediate();
    }
    return writes;
  }

  it('K-27: repeat until nothing changed their object meanwhile', async () => {
    let attempts = 0;
    const write = untilStored({ store }, { target }, function* () {
      attempts += 1;
      yield* wait(Promise.resolve());
      return attempts < 5 ? undefined : attempts;
    });
    expect(await run(write)).toBe(5);
  });

  it('K-27: end with 504 if their object changes in each attempt', async () => {
    let attempts = 0;
    const write = untilStored({ store }, { target }, function* () {
      attempts += 1;
      yield* wait(Promise.resolve());
      return undefined;
    });
    await expect(async () => run(write)).rejects.toMatchObject({ code: 504, reason: 'Timeout' });
    expect(attempts).toBe(1_000);
    expect(await run(short())).toBe(1);
  });

  it('K-30: are stored in turn if shorter writes of the object keep overtaking them', async () => {
    const work = Promise.all([run(long(5)), run(long(7))]);
    const writes = await during(work);
    const attempts = await work;
    expect(Math.max(...attempts)).toBeLessThan(7);
    expect(version).toBe(writes + attempts.length);
  });

  it('K-30: are woken when the object can be changed again, and do not poll', async () => {
    const key = `${type.storage}/default/a`;
    const long = {};
    store.turns.take(key, long);
    const steps = short();
    const { value: reason } = steps.next();
    expect(reason).toBeInstanceOf(Promise);
    const woken = Promise.resolve(reason as Promise<unknown>).then(() => steps.next().value);
    expect(await Promise.race([woken, setImmediate('waits')])).toBe('waits');
    store.turns.release(key, long);
    expect(await woken).toBe(1);
  });

  it('K-30: end with 504 if another write keeps the turn', async () => {
    store.turns.take(`${type.storage}/default/a`, {});
    jest.useFakeTimers({ doNotFake: ['setImmediate'] });
    try {
      const failed = expect(run(short())).rejects.toMatchObject({ code: 504, reason: 'Timeout' });
      jest.advanceTimersByTime(40_000);
      await failed;
    } finally {
      jest.useRealTimers();
    }
  });

  it('K-30: let writes of other objects pass', async () => {
    store.turns.take(`${type.storage}/default/a`, {});
    const other = untilStored({ store }, { target: { ...target, name: 'b' } }, function* () {
      yield* [];
      return 'stored';
    });
    expect(await run(other)).toBe('stored');
  });

  it('K-27, K-30: let others pass while they wait for a webhook, which may write the object', async () => {
    let calls = 0;
    const webhook = async (): Promise<void> => {
      calls += 1;
      if (calls < 6) await run(short());
    };
    expect(await run(long(0, webhook))).toBe(6);
  });

  it('K-30: never keep the server itself waiting', () => {
    store.turns.take(`${type.storage}/default/a`, {});
    expect(runSync(short({ byServer: true }))).toBe(1);
  });
});
