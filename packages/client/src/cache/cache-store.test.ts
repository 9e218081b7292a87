import { describe, expect, it } from '@jest/globals';
import { ConfigMap } from '../kinds/builtin.ts';
import { configMap } from '../reflector/scripted-lister-watcher.fixture.ts';
import type { CacheStore } from './cache-informer.ts';
import { cacheFixture } from './cache.fixture.ts';

const key = { namespace: 'default', name: 'a' };

describe('the store of an informer', () => {
  const test = cacheFixture();

  /** Returns the store of a cache that holds two objects, and a function that stops the cache. */
  async function holding(namespaces?: string[]) {
    const cache = test.running(namespaces ? { namespaces } : {});
    await cache.indexField(ConfigMap, 'name', '.metadata.name');
    const informer = await cache.informer(ConfigMap);
    for (const namespace of namespaces ?? [undefined]) {
      const isDefault = namespace === undefined || namespace === 'default';
      await test.answer(ConfigMap, isDefault ? [configMap('a', '1'), configMap('b', '2')] : [], namespace);
    }
    await informer.waitForSync(new AbortController().signal);
    const stop = async () => {
      test.stop.abort();
      await Promise.all(test.runs);
    };
    return { cache, store: informer.store as CacheStore<ConfigMap>, stop };
  }

  describe.each([
    ['all namespaces', undefined],
    ['two namespaces', ['default', 'shop']],
  ])('with %s', (_, namespaces) => {
    it.each<[string, (store: CacheStore<ConfigMap>) => unknown]>([
      ['get', (store) => store.get(key)],
      ['get in another namespace', (store) => store.get({ namespace: 'other', name: 'a' })],
      ['lazy', (store) => store.lazy(key)],
      ['lazy in another namespace', (store) => store.lazy({ namespace: 'other', name: 'a' })],
      ['list', (store) => store.list()],
      ['list of a namespace', (store) => store.list('default')],
      ['list of another namespace', (store) => store.list('other')],
      ['keys', (store) => store.keys()],
      ['keys of a namespace', (store) => store.keys('default')],
      ['keys of another namespace', (store) => store.keys('other')],
      ['byIndex', (store) => store.byIndex('name', 'a')],
      ['select', (store) => store.select({})],
      ['select in another namespace', (store) => store.select({ namespace: 'other' })],
    ])('throws after the informer has stopped: %s', async (__, read) => {
      const { store, stop } = await holding(namespaces);
      expect(() => read(store)).not.toThrow();
      await stop();
      expect(() => read(store)).toThrow('the informer has stopped');
    });

    it.each<[string, (store: CacheStore<ConfigMap>) => Iterable<unknown>]>([
      ['keys', (store) => store.keys()],
      ['keys of a namespace', (store) => store.keys('default')],
      ['select', (store) => store.select({})],
      ['select in a namespace', (store) => store.select({ namespace: 'default' })],
      ['select by an index', (store) => store.select({ indexes: [{ name: 'name', value: 'a' }] })],
    ])('ends iterations with an error when the informer stops: %s', async (__, iterate) => {
      const { store, stop } = await holding(namespaces);
      const unstarted = iterate(store)[Symbol.iterator]();
      const started = iterate(store)[Symbol.iterator]();
      started.next();
      await stop();
      expect(() => unstarted.next()).toThrow('the informer has stopped');
      expect(() => started.next()).toThrow('the informer has stopped');
    });

    it.each(['count', 'keys', 'list'] as const)('refuses a namespace that is not a string: %s', async (method) => {
      const { store } = await holding(namespaces);
      for (const wrong of [null, 5, ['default'], { namespace: 'default' }]) {
        const read = () => store[method](wrong as never);
        expect(read).toThrow(TypeError);
        expect(read).toThrow(`${method}: argument "namespace": expected a string or undefined, found `);
      }
    });

    it('finds only objects without a namespace in the namespace of an empty name', async () => {
      const { cache, store } = await holding(namespaces);
      expect([store.list('').length, store.count(''), [...store.keys('')].length]).toEqual([0, 0, 0]);
      expect((await cache.list(ConfigMap, { namespace: '' })).items).toHaveLength(2);
    });

    it('has no objects to count after the informer has stopped, and ignores writes', async () => {
      const { cache, store, stop } = await holding(namespaces);
      expect([store.size, store.count('default')]).toEqual([2, 2]);
      await stop();
      expect([store.size, store.count('default')]).toEqual([0, 0]);
      cache.expectWrite(ConfigMap, configMap('a', '3'));
      cache.expectDeletion(ConfigMap, key);
    });
  });
});
