import { describe, expect, it } from '@jest/globals';
import { ConfigMap, Secret } from '../kinds/builtin.ts';
import { configMap, deleted } from '../reflector/scripted-lister-watcher.fixture.ts';
import { cacheFixture } from './cache.fixture.ts';

const never = new AbortController().signal;
const ignore = { onAdd: () => undefined };

describe('statistics of a cache', () => {
  const test = cacheFixture();
  const { running, answer, holding } = test;

  it('counts objects, their bytes, and what reads decode, by kind', async () => {
    const objects = ['a', 'b', 'c'].map((name) => configMap(name, '3'));
    const [cache, watch] = await holding(objects, { dropManagedFields: false });
    const json = objects.reduce((bytes, object) => bytes + Buffer.byteLength(JSON.stringify(object)), 0);
    const [stats] = cache.stats?.() ?? [];
    expect(stats).toMatchObject({ kind: 'v1 ConfigMap', objects: 3, decodedObjects: 0, decodes: 0, decodeHits: 0 });
    expect(stats?.objectBytes).toBeGreaterThanOrEqual(json);
    expect(stats?.objectBytes).toBeLessThanOrEqual(json + 3 * 70);
    expect(stats?.memoryBytes).toBeGreaterThan(stats?.objectBytes ?? Infinity);

    await cache.get(ConfigMap, { namespace: 'default', name: 'a' });
    expect(cache.stats?.()).toMatchObject([{ decodedObjects: 1, decodes: 1, decodeHits: 0 }]);
    await cache.get(ConfigMap, { namespace: 'default', name: 'a' });
    expect(cache.stats?.()).toMatchObject([{ decodedObjects: 1, decodes: 1, decodeHits: 1 }]);
    await cache.list(ConfigMap);
    expect(cache.stats?.()).toMatchObject([{ decodedObjects: 3, decodes: 3, decodeHits: 2, metadataDecodes: 0 }]);
    await cache.list(ConfigMap);
    expect(cache.stats?.()).toMatchObject([{ decodes: 3, decodeHits: 5 }]);

    const gone = Promise.withResolvers<void>();
    (await cache.informer(ConfigMap)).addHandler({ onDelete: () => gone.resolve() });
    watch.send(deleted(configMap('a', '11')));
    await gone.promise;
    expect(cache.stats?.()).toMatchObject([{ objects: 2, decodedObjects: 2 }]);
  });

  it('PC-8: counts what compressed objects take, and the blocks that reads open', async () => {
    const objects = Array.from({ length: 2_000 }, (_, index) => configMap(`a-${index}`, '3'));
    const json = objects.reduce((bytes, object) => bytes + Buffer.byteLength(JSON.stringify(object)), 0);
    const [cache] = await holding(objects, { compress: true });
    const [stats] = cache.stats?.() ?? [];
    expect(stats).toMatchObject({ objects: 2_000, openedBlocks: 0 });
    expect(stats?.objectBytes).toBeGreaterThanOrEqual(json);
    expect(stats?.objectBytes).toBeLessThanOrEqual(json + 2_000 * 70);
    expect(stats?.compressedBytes).toBeGreaterThan(json / 4);
    expect(stats?.compressedBytes).toBeLessThan(json * 0.8);
    expect(await cache.get(ConfigMap, { namespace: 'default', name: 'a-7' })).toEqual(configMap('a-7', '3'));
    expect(cache.stats?.()).toMatchObject([{ openedBlocks: 1, decodes: 1 }]);
  });

  it('PC-8: compresses single kinds', async () => {
    const objects = Array.from({ length: 2_000 }, (_, index) => configMap(`a-${index}`, '3'));
    const [plain] = await holding(objects, { compress: true, byKind: [{ kind: ConfigMap, compress: false }] });
    expect(plain.stats?.()).toMatchObject([{ objects: 2_000, compressedBytes: 0 }]);
    const [compressed] = await holding(objects, { byKind: [{ kind: ConfigMap, compress: true }] });
    expect(compressed.stats?.()).toMatchObject([{ compressedBytes: expect.any(Number) }]);
    expect(compressed.stats?.()[0]?.compressedBytes).toBeGreaterThan(0);
  });

  it('limits a list over several namespaces, also when all objects are decoded', async () => {
    const cache = running({ namespaces: ['shop', 'fleet'] });
    await cache.informer(ConfigMap);
    const names = ['a', 'b', 'c', 'd'];
    for (const namespace of ['shop', 'fleet']) {
      await answer(
        ConfigMap,
        names.map((name) => configMap(name, '3', `${namespace}-${name}`, namespace)),
        namespace,
      );
    }
    expect((await cache.list(ConfigMap)).items).toHaveLength(8);
    const { items, metadata } = await cache.list(ConfigMap, { limit: 6 });
    expect([items.length, metadata.remainingItemCount]).toEqual([6, 2]);
  });

  it('adds the objects of several scopes and namespaces', async () => {
    const cache = running({ namespaces: ['shop', 'fleet'] });
    await cache.informer(ConfigMap);
    await answer(ConfigMap, [configMap('a', '3', 'u1', 'shop')], 'shop');
    await answer(ConfigMap, [configMap('b', '4', 'u2', 'fleet')], 'fleet');
    await cache.waitForSync(never);
    const scoped = await cache.informer(ConfigMap, { namespaces: ['fleet'], labelSelector: 'a=b' });
    await answer(ConfigMap, [configMap('b', '4', 'u2', 'fleet')], 'fleet');
    await scoped.waitForSync(never);
    expect(cache.stats?.()).toMatchObject([{ kind: 'v1 ConfigMap', objects: 3 }]);
  });

  it('omits kinds without an informer, and counts a kind from 0 when it is cached again', async () => {
    const [cache] = await holding([configMap('a', '3')]);
    await cache.informer(Secret);
    await cache.get(ConfigMap, { namespace: 'default', name: 'a' });
    expect(cache.stats?.().map(({ kind }) => kind)).toEqual(['v1 ConfigMap', 'v1 Secret']);
    cache.removeInformer(ConfigMap);
    expect(cache.stats?.().map(({ kind }) => kind)).toEqual(['v1 Secret']);
    await cache.informer(ConfigMap);
    expect(cache.stats?.()).toContainEqual(expect.objectContaining({ kind: 'v1 ConfigMap', objects: 0, decodes: 0 }));
  });

  it('never lets a count decrease while another informer of the kind remains', async () => {
    const [cache] = await holding([configMap('a', '3')]);
    const subscription = await cache.subscribe(ConfigMap, ignore, { labelSelector: 'a=b' });
    await answer(ConfigMap, [configMap('a', '3')]);
    await subscription.synced;
    subscription.informer.store.get({ namespace: 'default', name: 'a' });
    expect(cache.stats?.()).toMatchObject([{ objects: 2, decodedObjects: 1, decodes: 1 }]);
    subscription.remove();
    await test.clock.advance(60_000);
    expect(cache.stats?.()).toMatchObject([{ objects: 1, decodedObjects: 0, decodes: 1 }]);
  });

  it('PC-8: forgets the compressed bytes of an informer that has stopped', async () => {
    const objects = Array.from({ length: 2_000 }, (_, index) => configMap(`a-${index}`, '3'));
    const [cache] = await holding(objects, { compress: true });
    const stats = () => cache.stats?.()[0];
    const before = stats();
    const subscription = await cache.subscribe(ConfigMap, ignore, { labelSelector: 'a=b' });
    await answer(ConfigMap, objects);
    await subscription.synced;
    const both = stats();
    expect(both?.objectBytes).toBeGreaterThan(before?.objectBytes ?? Infinity);
    subscription.remove();
    await test.clock.advance(60_000);
    expect(stats()?.objectBytes).toBe(before?.objectBytes);
    expect(stats()?.compressedBytes).toBeLessThan(both?.compressedBytes ?? 0);
  });
});
