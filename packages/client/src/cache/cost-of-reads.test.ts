import { describe, expect, it } from '@jest/globals';
import { ConfigMap } from '../kinds/builtin.ts';
import { configMap, modified } from '../reflector/scripted-lister-watcher.fixture.ts';
import { cacheFixture } from './cache.fixture.ts';
import type { Cache } from './cache.ts';
import { dropFields } from './field-transforms.ts';
import type { InformerHandler, InformerUpdateEvent } from './informer.ts';

const key = { namespace: 'default', name: 'a' };
const objects = ['a', 'b', 'c'].map((name) => configMap(name, '3'));

/** Returns the number of decoded objects, and of objects whose metadata alone was decoded. */
function decodesOf(cache: Cache): [objects: number, metadata: number] {
  const { decodes = 0, metadataDecodes = 0 } = cache.stats?.()[0] ?? {};
  return [decodes, metadataDecodes];
}

// The table "Know what is cheap and what is not" in docs/client.md.
describe('cost of reads', () => {
  const { holding } = cacheFixture();

  /** Returns the first update after an object was added to a cache with this handler. */
  async function updated(cache: Cache, send: () => void): Promise<InformerUpdateEvent<ConfigMap>> {
    const update = Promise.withResolvers<InformerUpdateEvent<ConfigMap>>();
    const handler: InformerHandler<ConfigMap> = { onUpdate: (event) => update.resolve(event) };
    (await cache.informer(ConfigMap)).addHandler(handler);
    send();
    return update.promise;
  }

  it('PC-4: keys, counts and changed fields decode nothing', async () => {
    const [cache, watch] = await holding(objects);
    const { store } = await cache.informer(ConfigMap);
    expect([...store.keys()]).toHaveLength(3);
    expect(store.count('default')).toBe(3);
    const event = await updated(cache, () => watch.send(modified(configMap('a', '11'))));
    expect([event.key, event.hasChanged?.('labels')]).toEqual([key, false]);
    expect(decodesOf(cache)).toEqual([0, 0]);
  });

  it('the metadata of an event decodes the metadata, and its object decodes the object once', async () => {
    const [cache, watch] = await holding(objects);
    const event = await updated(cache, () => watch.send(modified(configMap('a', '11'))));
    expect(event.metadata.resourceVersion).toBe('11');
    expect(decodesOf(cache)).toEqual([0, 1]);
    const { object } = event;
    expect(await cache.get(ConfigMap, key)).toBe(object);
    expect(decodesOf(cache)).toEqual([1, 1]);
    expect(event.oldObject.metadata.resourceVersion).toBe('3');
    expect(decodesOf(cache)).toEqual([2, 1]);
  });

  it('an event that is kept reads its own version after later changes', async () => {
    const [cache, watch] = await holding(objects);
    const event = await updated(cache, () => watch.send(modified(configMap('a', '11'))));
    await updated(cache, () => watch.send(modified(configMap('a', '12'))));
    expect((await cache.get(ConfigMap, key)).metadata.resourceVersion).toBe('12');
    expect(event.object.metadata.resourceVersion).toBe('11');
  });

  it('PC-3: a read decodes an object once, and the next read returns the same object', async () => {
    const [cache] = await holding(objects);
    const object = await cache.get(ConfigMap, key);
    expect(await cache.get(ConfigMap, key)).toBe(object);
    expect((await cache.list(ConfigMap)).items[0]).toBe(object);
    expect(decodesOf(cache)).toEqual([3, 0]);
  });

  it('a list by a selector decodes the selected objects only, and the list of a store decodes all', async () => {
    const labelled = configMap('d', '4');
    const selected = { ...labelled, metadata: { ...labelled.metadata, labels: { app: 'cart' } } };
    const [cache] = await holding([...objects, selected]);
    expect((await cache.list(ConfigMap, { labelSelector: 'app=cart' })).items).toHaveLength(1);
    expect(decodesOf(cache)).toEqual([1, 0]);
    expect((await cache.informer(ConfigMap)).store.list()).toHaveLength(4);
    expect(decodesOf(cache)).toEqual([4, 0]);
  });

  it('an index by a function decodes each version of an object once, and keeps none of them', async () => {
    const [cache, watch] = await holding(objects);
    await cache.indexField(ConfigMap, 'name', ({ metadata }) => [metadata.name]);
    expect(decodesOf(cache)).toEqual([3, 0]);
    await updated(cache, () => watch.send(modified(configMap('a', '11'))));
    expect(decodesOf(cache)).toEqual([4, 0]);
    expect(cache.stats?.()).toMatchObject([{ decodedObjects: 0 }]);
    await cache.list(ConfigMap, { index: { name: 'name', value: 'a' } });
    expect(decodesOf(cache)).toEqual([5, 0]);
  });

  it('an index by a path decodes nothing', async () => {
    const [cache, watch] = await holding(objects);
    await cache.indexField(ConfigMap, 'name', '.metadata.name');
    await updated(cache, () => watch.send(modified(configMap('a', '11'))));
    expect(decodesOf(cache)).toEqual([0, 0]);
    await cache.list(ConfigMap, { index: { name: 'name', value: 'a' } });
    expect(decodesOf(cache)).toEqual([1, 0]);
  });

  it('dropped fields are not stored, and dropping them decodes nothing', async () => {
    const filled = objects.map((object) => ({ ...object, data: { text: 'x'.repeat(100) } }));
    const [whole] = await holding(filled);
    const [cut] = await holding(filled, { transform: dropFields('data') });
    const [wholeBytes = 0, cutBytes = 0] = [whole, cut].map((cache) => cache.stats?.()[0]?.objectBytes);
    expect(cutBytes).toBeLessThan(wholeBytes - 300);
    expect(decodesOf(cut)).toEqual([0, 0]);
    expect(await cut.get(ConfigMap, key)).not.toHaveProperty('data');
  });
});
