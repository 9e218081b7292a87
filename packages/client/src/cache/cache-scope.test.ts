import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { createClient } from '../client/create-client.ts';
import { ConfigMap, Namespace, Pod, Secret } from '../kinds/builtin.ts';
import { defineKind, partialMetadata } from '../kinds/kind.ts';
import type { RestMapper } from '../discovery/rest-mapper.ts';
import { added, configMap, deleted, initialEventsEnd, modified } from '../reflector/scripted-lister-watcher.fixture.ts';
import type { CacheOptions } from './cache-options.ts';
import type { Cache } from './cache.ts';
import { cacheKind } from './cache-kind.ts';
import { createCache } from './create-cache.ts';
import { FakeClient } from './fake-client.fixture.ts';
import { keepFields } from './field-transforms.ts';

const key = { namespace: 'default', name: 'a' };

describe('the scope of a kind in a cache', () => {
  let clock: VirtualClock;
  let fake: FakeClient;
  let stop: AbortController;
  let runs: Promise<void>[];

  beforeEach(() => {
    clock = new VirtualClock();
    fake = new FakeClient();
    stop = new AbortController();
    runs = [];
  });

  afterEach(async () => {
    stop.abort();
    await Promise.all(runs);
    expect(clock.pendingTimers).toBe(0);
    expect(getEventListeners(stop.signal, 'abort')).toHaveLength(0);
  });

  function running(options: Partial<CacheOptions> = {}): Cache {
    const cache = createCache({ client: fake.client, clock, random: () => 0, ...options });
    runs.push(cache.run(stop.signal));
    return cache;
  }

  /** Returns the requests of the first read of a kind. */
  async function requested(cache: Cache, kind: typeof ConfigMap): Promise<unknown[]> {
    const before = fake.requests.length;
    void cache.list(kind, { signal: stop.signal }).catch(() => undefined);
    await clock.advance(0);
    return fake.requests
      .slice(before)
      .map(({ namespace, labelSelector, fieldSelector }) => ({ namespace, labelSelector, fieldSelector }));
  }

  it('explains how to define a cluster-scoped kind when its scope is missing', async () => {
    const mapping = {
      group: 'example.com',
      version: 'v1',
      plural: 'teams',
      scope: 'Cluster',
      path: '/apis/example.com/v1',
    };
    const restMapper = { resolve: () => Promise.resolve(mapping) } as unknown as RestMapper;
    await using client = createClient({ server: 'https://h' }, { restMapper });
    const cache = running({ client, namespaces: ['shop'] });
    const read = cache.list(defineKind({ apiVersion: 'example.com/v1', kind: 'Team' }), { timeout: 100 });
    const rejected = expect(read).rejects.toThrow(
      `example.com/v1 Team is cluster-scoped: remove the namespace (found "shop"), and define the kind with scope: 'Cluster'`,
    );
    await clock.advance(100);
    await rejected;
  });

  it('applies to reads and to informers without a scope', async () => {
    const cache = running({ byKind: [{ kind: ConfigMap, labelSelector: 'app=shop' }] });
    const informer = await cache.informer(ConfigMap);
    const read = cache.list(ConfigMap);
    const watch = await fake.server(ConfigMap).nextWatch();
    watch.send(added(configMap('a', '3')), initialEventsEnd('10'));
    expect((await read).items).toHaveLength(1);
    expect(informer.store.size).toBe(1);
    expect(fake.requests).toEqual([expect.objectContaining({ labelSelector: 'app=shop' })]);
    expect(await cache.informer(ConfigMap, {})).not.toBe(informer);
  });

  it('uses the options for all kinds if its own are omitted', async () => {
    const cache = running({
      namespaces: ['shop'],
      labelSelector: 'team=a',
      byKind: [
        { kind: Secret, fieldSelector: 'type=Opaque' },
        { kind: Pod, namespaces: [''], labelSelector: '' },
      ],
    });
    expect(await requested(cache, ConfigMap)).toEqual([{ namespace: 'shop', labelSelector: 'team=a' }]);
    expect(await requested(cache, Secret)).toEqual([
      { namespace: 'shop', labelSelector: 'team=a', fieldSelector: 'type=Opaque' },
    ]);
    expect(await requested(cache, Pod)).toEqual([{}]);
    expect(await requested(cache, Namespace)).toEqual([{ labelSelector: 'team=a' }]);
  });

  it('may differ between namespaces; other namespaces cannot be read', async () => {
    const cache = running({
      byKind: [{ kind: ConfigMap, labelSelector: 'a=b', namespaces: { test: {}, shop: { labelSelector: 'c=d' } } }],
    });
    expect(await requested(cache, ConfigMap)).toEqual([
      { namespace: 'shop', labelSelector: 'c=d' },
      { namespace: 'test', labelSelector: 'a=b' },
    ]);
    await expect(cache.get(ConfigMap, key)).rejects.toThrow(
      'holds v1 ConfigMap only in the namespaces shop, test, not in default',
    );
    await expect(cache.list(ConfigMap, { namespace: 'default' })).rejects.toThrow('add it to the cache');
    await expect(
      cache.list(ConfigMap, { fieldSelector: 'metadata.name=a,metadata.namespace=default' }),
    ).rejects.toThrow('only in the namespaces shop, test, not in default');
    const list = cache.list(ConfigMap, { fieldSelector: 'metadata.namespace!=default' });
    for (const namespace of ['shop', 'test']) {
      (await fake.server(ConfigMap, namespace).nextWatch()).send(initialEventsEnd('10'));
    }
    expect((await list).metadata.resourceVersion).toBe('');
  });

  it('applies to metadata-only reads of the kind', async () => {
    const seen: string[] = [];
    const transform = (object: ConfigMap) => {
      seen.push(object.metadata.name);
      return object;
    };
    const cache = running({ byKind: [{ kind: ConfigMap, labelSelector: 'a=b', transform }] });
    const kind = partialMetadata(ConfigMap);
    const read = cache.get(kind, key);
    const watch = await fake.server(kind).nextWatch();
    watch.send(added(configMap('a', '3')), initialEventsEnd('10'));
    expect((await read).metadata.uid).toBe('uid-a');
    expect(fake.requests).toEqual([expect.objectContaining({ labelSelector: 'a=b' })]);
    expect(seen).toEqual([]);
  });

  it.each<[string, Partial<CacheOptions>]>([
    ['expected none for a cluster-scoped kind', { byKind: [{ kind: Namespace, namespaces: ['shop'] }] }],
    ['each kind may appear only once', { byKind: [{ kind: Pod }, { kind: Pod }] }],
    ['remove the others', { namespaces: ['', 'shop'] }],
    ['remove the others', { byKind: [{ kind: Pod, namespaces: { '': {}, shop: {} } }] }],
    ['at least one namespace', { namespaces: [] }],
    ['expected a Kind', { byKind: [{ kind: {} as typeof Pod }] }],
    ['byKind.0.decoded', { byKind: [{ kind: Pod, decoded: 'none' as never }] }],
    ['option "compress"', { compress: 'zstd' as never }],
    ['byKind.0.compress', { byKind: [{ kind: Pod, compress: 1 as never }] }],
    ['byKind.0.transform', { byKind: [{ kind: Pod, transform: 'x' as never }] }],
  ])('is refused: %s', (message, options) => {
    expect(() => createCache({ client: fake.client, ...options })).toThrow(message);
  });

  describe('with a transform', () => {
    it('transforms objects in lists and in changes', async () => {
      const cache = running({ transform: keepFields('data.kept') });
      const read = cache.get(ConfigMap, key);
      const watch = await fake.server(ConfigMap).nextWatch();
      const withData = (version: string) => ({ ...configMap('a', version), data: { kept: version, other: 'x' } });
      watch.send(added(withData('3')), initialEventsEnd('10'));
      const metadata = { name: 'a', namespace: 'default', uid: 'uid-a', resourceVersion: '3' };
      expect(await read).toEqual({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { kept: '3' } });
      watch.send(modified(withData('11')));
      await clock.advance(0);
      expect((await cache.get(ConfigMap, key)).data).toEqual({ kept: '11' });
    });

    it('may be written for one kind with cacheKind', async () => {
      const transform = (object: ConfigMap) => ({ ...object, data: { size: String(object.data?.['large']?.length) } });
      const cache = running({ byKind: [cacheKind(ConfigMap, { transform })] });
      const read = cache.get(ConfigMap, key);
      const watch = await fake.server(ConfigMap).nextWatch();
      watch.send(added({ ...configMap('a', '3'), data: { large: 'xyz' } }), initialEventsEnd('10'));
      expect((await read).data).toEqual({ size: '3' });
    });

    it('if it fails on an object, the kind does not sync, and the error says why', async () => {
      const transform = () => {
        throw new Error('no such field');
      };
      const cache = running({ byKind: [{ kind: ConfigMap, transform }], syncTimeout: 100 });
      const read = expect(cache.get(ConfigMap, key)).rejects.toThrow(
        'has not synced v1 ConfigMap within 100 ms: the transform of v1 ConfigMap default/a failed: no such field',
      );
      const watch = await fake.server(ConfigMap).nextWatch();
      watch.send(added(configMap('a', '3')), initialEventsEnd('10'));
      await clock.advance(100);
      await read;
    });

    it('if it fails on a change, the kind keeps its previous state, reports the error, and continues later', async () => {
      const transform = (object: ConfigMap): ConfigMap => {
        if (object.data) throw new Error('no data, please');
        return object;
      };
      const cache = running({ byKind: [{ kind: ConfigMap, transform }] });
      const informer = await cache.informer(ConfigMap);
      const watch = await fake.server(ConfigMap).nextWatch();
      watch.send(added(configMap('a', '3')), initialEventsEnd('10'));
      await clock.advance(0);
      const poison = { ...configMap('b', '12'), data: {} };
      watch.send(modified(configMap('a', '11')), added(poison), modified(configMap('a', '13')));
      await clock.advance(0);
      expect(informer.lastError).toMatchObject({ name: 'CacheTransformError' });
      expect(informer.store.get(key)?.metadata.resourceVersion).toBe('3');
      await clock.advance(800);
      const again = await fake.server(ConfigMap).nextWatch();
      expect(again.request.resourceVersion).toBe('10');
      again.send(modified(configMap('a', '11')), deleted(configMap('b', '14')));
      // On a busy machine, the changes are handled over several turns of the event loop.
      while (informer.lastSyncedResourceVersion !== '14') await clock.advance(0);
      expect(informer.lastError).toBeUndefined();
    });

    it('fails if it returns another object', async () => {
      const transform = ({ data: _, ...object }: ConfigMap) => ({
        ...object,
        metadata: { ...object.metadata, uid: '' },
      });
      const cache = running({ byKind: [{ kind: ConfigMap, transform }] });
      const informer = await cache.informer(ConfigMap);
      const watch = await fake.server(ConfigMap).nextWatch();
      watch.send(added(configMap('a', '3')), initialEventsEnd('10'));
      await clock.advance(0);
      expect(informer.lastError?.message).toContain('must return an object that has the same metadata.name');
    });
  });
});
