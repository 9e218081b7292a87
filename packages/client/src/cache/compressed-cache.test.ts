import { describe, expect, it } from '@jest/globals';
import { ConfigMap } from '../kinds/builtin.ts';
import { configMap, deleted, modified } from '../reflector/scripted-lister-watcher.fixture.ts';
import { cacheFixture } from './cache.fixture.ts';
import type { InformerUpdateEvent } from './informer.ts';

const COUNT = 3_000;

function labelled(index: number, version = '3') {
  const object = configMap(`a-${index}`, version);
  const metadata = { ...object.metadata, labels: { app: `app-${index % 100}` } };
  return { ...object, metadata, data: { node: `node-${index % 50}` } };
}

const objects = Array.from({ length: COUNT }, (_, index) => labelled(index));
const names = (items: readonly { readonly metadata: { readonly name: string } }[]) =>
  items.map(({ metadata }) => metadata.name).sort();

describe('PC-8: a cache with compression', () => {
  const { holding } = cacheFixture();

  it('PC-8: answers the same reads as a plain cache', async () => {
    const [plain] = await holding(objects);
    const [cache] = await holding(objects, { compress: true });
    for (const each of [plain, cache]) {
      await each.indexField(ConfigMap, 'path', '.data.node');
      await each.indexField(ConfigMap, 'function', ({ data }) => Object.values(data ?? {}));
    }
    expect(cache.stats?.()[0]?.compressedBytes).toBeGreaterThan(0);
    for (const options of [
      { labelSelector: 'app=app-7' },
      { labelSelector: 'app notin (app-1,app-2)' },
      { fieldSelector: 'metadata.name=a-42' },
      { index: { name: 'path', value: 'node-3' } },
      { index: { name: 'function', value: 'node-3' }, labelSelector: 'app=app-3' },
      {},
    ]) {
      const [expected, found] = [await plain.list(ConfigMap, options), await cache.list(ConfigMap, options)];
      expect(names(found.items)).toEqual(names(expected.items));
      expect(found.items.length).toBeGreaterThan(0);
      expect(found.items[0]).toEqual(expected.items[0]);
    }
    const key = { namespace: 'default', name: 'a-5' };
    expect(await cache.get(ConfigMap, key)).toEqual(await plain.get(ConfigMap, key));
  });

  it('PC-8: sends the same events as a plain cache', async () => {
    const [cache, watch] = await holding(objects, { compress: true });
    const updated = Promise.withResolvers<InformerUpdateEvent<ConfigMap>>();
    const gone = Promise.withResolvers<unknown>();
    const seen: string[] = [];
    const informer = await cache.informer(ConfigMap);
    informer.addHandler({
      onAdd: ({ metadata }) => void seen.push(metadata.labels?.['app'] ?? ''),
      onUpdate: (event) => updated.resolve(event),
      onDelete: ({ object }) => gone.resolve(object),
    });
    watch.send(modified(labelled(5, '11')), deleted(labelled(6, '12')));
    const event = await updated.promise;
    expect([event.hasChanged?.('labels'), event.hasChanged?.('resourceVersion')]).toEqual([false, true]);
    expect([event.oldObject, event.object]).toEqual([labelled(5), labelled(5, '11')]);
    expect(await gone.promise).toEqual(labelled(6, '12'));
    expect(seen).toEqual(objects.map(({ metadata }) => metadata.labels.app));
  });
});
