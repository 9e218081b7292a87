import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { getEventListeners } from 'node:events';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { ConfigMap } from '../kinds/builtin.ts';
import { configMap } from '../reflector/scripted-lister-watcher.fixture.ts';
import { resync } from './resync.ts';
import { packObjects } from '../packed/pack-objects.ts';
import { PackedStore } from '../store/packed-store.ts';

describe('resync', () => {
  let clock: VirtualClock;
  let store: PackedStore<ConfigMap>;
  let end: AbortController;
  let seen: string[];

  beforeEach(() => {
    clock = new VirtualClock();
    store = new PackedStore({ kind: ConfigMap, freeze: true });
    end = new AbortController();
    seen = [];
  });
  afterEach(() => {
    expect(clock.pendingTimers).toBe(0);
    expect(getEventListeners(end.signal, 'abort')).toEqual([]);
  });

  const put = (object: ConfigMap) => store.apply(packObjects('ADDED', [object]), 0);

  const run = (random: () => number, onObject = (name: string) => void seen.push(name)) =>
    resync(
      {
        store,
        period: 10_000,
        clock,
        random,
        onObject: ({ key, metadata }) => onObject(`${key.name}@${metadata.resourceVersion}`),
      },
      end.signal,
    );

  it.each([
    [0, 9_000],
    [0.5, 10_000],
    [0.75, 10_500],
  ])('FP-6: waits its period within ten percent: a random number of %d results in %d ms', async (number, wait) => {
    put(configMap('a', '1'));
    const running = run(() => number);
    for (const pass of [1, 2, 3]) {
      await clock.advance(wait - 1);
      expect(seen).toHaveLength(pass - 1);
      await clock.advance(1);
      expect(seen).toHaveLength(pass);
    }
    end.abort();
    await running;
  });

  it('FP-6: visits the existing objects in their current versions', async () => {
    for (const name of ['a', 'b', 'c']) put(configMap(name, '1'));
    const running = run(
      () => 0.5,
      (name) => {
        seen.push(name);
        if (name !== 'a@1') return;
        put(configMap('b', '2'));
        store.apply(packObjects('DELETED', [configMap('c', '1')]), 0);
      },
    );
    await clock.advance(10_000);
    expect(seen).toEqual(['a@1', 'b@2']);
    end.abort();
    await running;
  });

  it('FP-6: stops in the middle of a pass', async () => {
    for (const name of ['a', 'b']) put(configMap(name, '1'));
    const running = run(
      () => 0.5,
      (name) => {
        seen.push(name);
        end.abort();
      },
    );
    await clock.advance(10_000);
    await running;
    expect(seen).toEqual(['a@1']);
  });

  it('FP-6: ends when the informer stops in the middle of a pass', async () => {
    for (const name of ['a', 'b']) put(configMap(name, '1'));
    const running = run(
      () => 0.5,
      (name) => {
        seen.push(name);
        store.dispose();
      },
    );
    await clock.advance(10_000);
    await running;
    expect(seen).toEqual(['a@1']);
  });

  it('FP-6: ends when the informer has stopped between two passes', async () => {
    const running = run(() => 0.5);
    store.dispose();
    await clock.advance(10_000);
    await expect(running).resolves.toBeUndefined();
  });

  it.each([0, -1, 999, NaN])('FP-6: refuses a period of %d ms', async (period) => {
    const options = { store, period, clock, onObject: () => undefined };
    await expect(resync(options, end.signal)).rejects.toThrow(/^resync period is .* ms: set 1000 ms or more$/);
  });
});
