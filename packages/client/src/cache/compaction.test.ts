import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import type { ConfigMap } from '../kinds/builtin.ts';
import { Compaction } from './compaction.ts';
import { workInSpareTime } from '../clock/event-loop-turn.ts';
import { deepFreeze } from '../json/deep-freeze.ts';
import { Store } from './store.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

function heapUsed(): number {
  for (let i = 0; i < 3; i++) collect();
  return process.memoryUsage().heapUsed;
}

describe('Compaction', () => {
  const configMap = (index: number): ConfigMap => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: `configuration-${index}`,
      namespace: 'default',
      uid: String(index).padStart(36, '0'),
      resourceVersion: String(index),
      creationTimestamp: '2026-01-01T00:00:00Z',
    },
    data: Object.fromEntries(
      ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [name, `/var/lib/shop/carts/by-region/${name}`]),
    ),
  });
  const storeOf = (count: number, made: (object: ConfigMap) => ConfigMap = (object) => object) => {
    const store = new Store<ConfigMap>();
    for (let index = 0; index < count; index++) {
      store.put(made(JSON.parse(JSON.stringify(configMap(index))) as ConfigMap));
    }
    return store;
  };
  /** Waits for background work, which is serialized. */
  const atRest = () => workInSpareTime([], () => true);

  it('P-5: reduces the memory of a store without a visible change', async () => {
    const before = heapUsed();
    const store = storeOf(5_000);
    const between = heapUsed();
    new Compaction(store).added(5_000);
    await atRest();
    expect(heapUsed() - before).toBeLessThan(0.8 * (between - before));
    expect(store.list()).toEqual(Array.from({ length: 5_000 }, (_, index) => configMap(index)));
  });

  describe('visits objects', () => {
    const watched = (count: number) => {
      const seen = { times: 0 };
      const ownKeys = (object: ConfigMap) => {
        seen.times += 1;
        return Reflect.ownKeys(object);
      };
      const store = storeOf(count, (object) => new Proxy(object, { ownKeys }));
      return { seen, compaction: new Compaction(store) };
    };

    it('P-5: again when half of them are new', async () => {
      const { seen, compaction } = watched(1_000);
      compaction.added(1_000);
      await atRest();
      compaction.added(499);
      await atRest();
      expect(seen.times).toBe(1_000);
      compaction.added(1);
      await atRest();
      expect(seen.times).toBe(2_000);
    });

    it('not in a small store', async () => {
      const { seen, compaction } = watched(999);
      compaction.added(999);
      await atRest();
      expect(seen.times).toBe(0);
    });

    it('not after it is stopped', async () => {
      const { seen, compaction } = watched(1_000);
      compaction.added(1_000);
      compaction.stop();
      await atRest();
      compaction.added(1_000);
      await atRest();
      expect(seen.times).toBe(0);
    });
  });

  it('skips frozen objects', async () => {
    const store = storeOf(1_000, deepFreeze);
    new Compaction(store).added(1_000);
    await atRest();
    expect(store.list().map(({ metadata }) => metadata.name)).toEqual(
      Array.from({ length: 1_000 }, (_, index) => configMap(index).metadata.name),
    );
  });
});
