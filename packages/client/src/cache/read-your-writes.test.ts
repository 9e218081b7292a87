import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Client } from '../client/client.ts';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { ConfigMap } from '../kinds/builtin.ts';
import { partialMetadata } from '../kinds/kind.ts';
import type { KubernetesObject } from '../kinds/object.ts';
import {
  added,
  bookmark,
  configMap,
  deleted,
  errorEvent,
  initialEventsEnd,
  modified,
} from '../reflector/scripted-lister-watcher.fixture.ts';
import type { WatchExchange } from '../reflector/scripted-lister-watcher.fixture.ts';
import type { CacheOptions } from './cache-options.ts';
import { cachedClient } from './cached-client.ts';
import type { Cache } from './cache.ts';
import { createCache } from './create-cache.ts';
import { FakeClient } from './fake-client.fixture.ts';
import { readYourWrites } from './read-your-writes.ts';

const never = new AbortController().signal;
const key = { namespace: 'default', name: 'a' };

describe('a read after', () => {
  let clock: VirtualClock;
  let fake: FakeClient;
  let stop: AbortController;
  let cache: Cache;
  let watch: WatchExchange;
  let run: Promise<void>;

  beforeEach(() => {
    clock = new VirtualClock();
    fake = new FakeClient();
    stop = new AbortController();
  });

  afterEach(async () => {
    stop.abort();
    await run;
    expect(clock.pendingTimers).toBe(0);
    expect(getEventListeners(stop.signal, 'abort')).toHaveLength(0);
  });

  /** Starts a cache at version 10 that holds `a` at version 3. */
  async function holding(options: Partial<CacheOptions> = {}): Promise<void> {
    cache = createCache({ client: fake.client, clock, clusterName: 'eu-1', random: () => 0, ...options });
    run = cache.run(stop.signal);
    const informer = await cache.informer(ConfigMap);
    watch = await fake.server(ConfigMap, options.namespaces && 'default').nextWatch();
    watch.send(added(configMap('a', '3')), initialEventsEnd('10'));
    await clock.advance(0);
    expect(options.namespaces !== undefined || informer.hasSynced).toBe(true);
  }

  /** Returns the result of a read, or `waits` if it is pending. */
  async function settled<T>(read: Promise<T>): Promise<T | 'waits'> {
    await clock.advance(0);
    return Promise.race([read, Promise.resolve<'waits'>('waits')]);
  }

  const versionOf = (object: { metadata: { resourceVersion: string } } | undefined) => object?.metadata.resourceVersion;

  describe('a version', () => {
    it('is answered when the object, or the whole kind, has that version', async () => {
      await holding();
      expect(versionOf(await cache.find(ConfigMap, key, { resourceVersion: '10' }))).toBe('3');
      const one = cache.get(ConfigMap, key, { resourceVersion: '12' });
      const other = cache.find(ConfigMap, { ...key, name: 'b' }, { resourceVersion: '15' });
      const all = cache.list(ConfigMap, { resourceVersion: '15' });
      expect(await settled(one)).toBe('waits');
      watch.send(modified(configMap('a', '12')));
      expect(versionOf(await one)).toBe('12');
      expect(await settled(all)).toBe('waits');
      watch.send(bookmark('15'));
      expect((await all).metadata.resourceVersion).toBe('15');
      expect(await other).toBeUndefined();
    });

    it('fails if the version does not arrive, and says why', async () => {
      await holding();
      const late = expect(cache.get(ConfigMap, key, { resourceVersion: '12', timeout: 100 })).rejects.toMatchObject({
        name: 'CacheNotSyncedError',
        message:
          'the cache of cluster "eu-1" has not seen the version of v1 ConfigMap that the read needs within 100 ms: ' +
          'the server has not sent it yet',
      });
      await clock.advance(100);
      await late;
      const reason = new Error('enough');
      const abort = new AbortController();
      const left = expect(cache.get(ConfigMap, key, { resourceVersion: '12', signal: abort.signal })).rejects.toBe(
        reason,
      );
      await clock.advance(0);
      abort.abort(reason);
      await left;
      const stopped = expect(cache.get(ConfigMap, key, { resourceVersion: '12' })).rejects.toThrow(
        'was stopped before it had seen the version of v1 ConfigMap that the read needs',
      );
      await clock.advance(0);
      cache.removeInformer(ConfigMap);
      await stopped;
    });

    it('is refused if versions cannot be compared, or if an exact version is requested', async () => {
      await holding();
      await expect(cache.get(ConfigMap, key, { resourceVersion: 'abc' })).rejects.toThrow(
        'cannot compare resourceVersion',
      );
      const exactly = { resourceVersion: '3', resourceVersionMatch: 'Exact' } as const;
      await expect(cache.list(ConfigMap, exactly)).rejects.toThrow('cannot return an exact version');
    });
  });

  describe('a write', () => {
    /** The server's response to the next write. */
    let answer: KubernetesObject;

    function client(): Client {
      const write = async () => answer;
      const live: Record<string, unknown> = {
        ...{ create: write, update: write, patch: write, apply: write, delete: async () => undefined },
        status: { update: write, patch: write, apply: write },
        subresource: () => ({ update: write, patch: write, apply: write }),
      };
      return readYourWrites(cachedClient(live as unknown as Client, cache), cache);
    }

    it('waits until the cache has received it', async () => {
      await holding();
      answer = configMap('a', '12');
      const cluster = client();
      await cluster.update(ConfigMap, configMap('a', '3'));
      const reads = [
        cluster.get(ConfigMap, key).then(versionOf),
        cluster.list(ConfigMap).then(({ items: [item] }) => versionOf(item)),
      ];
      expect(await settled(Promise.race(reads))).toBe('waits');
      const other = await cluster.find(ConfigMap, { ...key, name: 'b' });
      expect(other).toBeUndefined();
      expect((await cluster.list(ConfigMap, { namespace: 'other' })).items).toEqual([]);
      watch.send(modified(configMap('a', '12')));
      expect(await Promise.all(reads)).toEqual(['12', '12']);
    });

    it.each<[string, (client: Client) => Promise<unknown>]>([
      ['create', (client) => client.create(ConfigMap, { metadata: key })],
      ['patch', (client) => client.patch(ConfigMap, key, {}, 'merge')],
      ['apply', (client) => client.apply(ConfigMap, { metadata: key })],
      ['status.update', (client) => client.status.update(ConfigMap, { metadata: key })],
      ['status.patch', (client) => client.status.patch(ConfigMap, key, {}, 'merge')],
      ['subresource.patch', (client) => client.subresource('scale', ConfigMap).patch(ConfigMap, key, {}, 'merge')],
    ])('waits for a write with %s', async (_, write) => {
      await holding();
      answer = configMap('a', '12');
      await write(client());
      const read = cache.get(ConfigMap, key);
      expect(await settled(read)).toBe('waits');
      watch.send(modified(configMap('a', '13')));
      expect(versionOf(await read)).toBe('13');
    });

    it('does not wait for a dry run or for a write that the cache already has', async () => {
      await holding();
      answer = configMap('a', '12');
      await client().update(ConfigMap, configMap('a', '3'), { dryRun: true });
      await client().delete(ConfigMap, key, { dryRun: true });
      answer = configMap('a', '3');
      await client().update(ConfigMap, configMap('a', '3'));
      expect(versionOf(await cache.get(ConfigMap, key))).toBe('3');
    });

    it('waits until a deleted object is gone or marked for deletion', async () => {
      await holding();
      await client().delete(ConfigMap, key);
      const gone = cache.find(ConfigMap, key);
      expect(await settled(gone)).toBe('waits');
      watch.send(deleted(configMap('a', '12')));
      expect(await gone).toBeUndefined();

      answer = configMap('b', '13');
      await client().create(ConfigMap, { metadata: { ...key, name: 'b' } });
      await client().delete(ConfigMap, { ...key, name: 'b' });
      const marked = cache.find(ConfigMap, { ...key, name: 'b' });
      watch.send(added(configMap('b', '13')));
      expect(await settled(marked)).toBe('waits');
      const { metadata, ...rest } = configMap('b', '14');
      watch.send(modified({ ...rest, metadata: { ...metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }));
      expect(versionOf(await marked)).toBe('14');
      await client().delete(ConfigMap, { ...key, name: 'b' });
      expect(versionOf(await cache.find(ConfigMap, { ...key, name: 'b' }))).toBe('14');
    });

    /** Returns an object that is marked for deletion. */
    function terminating(version: string, metadata: Partial<KubernetesObject['metadata']> = {}) {
      const object = configMap('a', version);
      return { ...object, metadata: { ...object.metadata, deletionTimestamp: '2026-01-01T00:00:00Z', ...metadata } };
    }

    it('waits until an object is gone whose last finalizer was removed', async () => {
      await holding();
      watch.send(modified(terminating('11', { finalizers: ['x/y'], deletionGracePeriodSeconds: 0 })));
      // The server deletes the object instead of storing it, so that its version does not change.
      answer = terminating('11', { deletionGracePeriodSeconds: 0 });
      await client().patch(ConfigMap, key, { metadata: { finalizers: null } }, 'merge');
      const removed = cache.find(ConfigMap, key);
      expect(await settled(removed)).toBe('waits');
      watch.send(deleted(terminating('12')));
      expect(await removed).toBeUndefined();
      watch.send(added(configMap('a', '14')));
      await clock.advance(0);

      watch.send(modified(terminating('15', { finalizers: ['x/y'] })));
      answer = terminating('15');
      await client().update(ConfigMap, answer);
      const recreated = cache.find(ConfigMap, key);
      expect(await settled(recreated)).toBe('waits');
      watch.send(deleted(terminating('16')), added(configMap('a', '17', 'other')));
      expect(versionOf(await recreated)).toBe('17');
    });

    it.each<[string, KubernetesObject]>([
      ['has a finalizer', terminating('12', { finalizers: ['x/y'] })],
      ['has a grace period', terminating('12', { deletionGracePeriodSeconds: 30 })],
      ['is a namespace', { ...terminating('12'), apiVersion: 'v1', kind: 'Namespace' }],
    ])('waits only for the version of an object that is being deleted, if it %s', async (_, object) => {
      await holding();
      answer = object;
      await client().update(ConfigMap, configMap('a', '3'));
      const read = cache.find(ConfigMap, key);
      expect(await settled(read)).toBe('waits');
      watch.send(modified(terminating('12')));
      expect(versionOf(await read)).toBe('12');
    });

    it('waits only in the namespace of the write', async () => {
      await holding({ namespaces: ['default', 'shop'] });
      const other = await fake.server(ConfigMap, 'shop').nextWatch();
      other.send(initialEventsEnd('10'));
      answer = configMap('a', '12');
      await client().update(ConfigMap, configMap('a', '3'));
      expect((await cache.list(ConfigMap, { namespace: 'shop' })).items).toEqual([]);
      const all = cache.list(ConfigMap);
      expect(await settled(all)).toBe('waits');
      watch.send(modified(configMap('a', '12')));
      expect((await all).items).toHaveLength(1);
    });

    it('does not wait for objects outside the scope of the cache', async () => {
      await holding({ labelSelector: 'app=shop' });
      answer = configMap('b', '12');
      await client().create(ConfigMap, { metadata: { ...key, name: 'b' } });
      expect(await cache.find(ConfigMap, { ...key, name: 'b' })).toBeUndefined();
      answer = configMap('a', '13');
      await client().update(ConfigMap, configMap('a', '3'));
      const unselected = cache.find(ConfigMap, key);
      expect(await settled(unselected)).toBe('waits');
      watch.send(deleted(configMap('a', '13')));
      expect(await unselected).toBeUndefined();
    });

    it.each([
      ['metadata.name=b', 'waits'],
      ['metadata.namespace==default,metadata.name!=c', 'waits'],
      ['metadata.name!=b', undefined],
      // Only the API server can evaluate this field.
      ['metadata.name=b,type=x', undefined],
    ])('waits for a new object if the field selector %s selects it', async (fieldSelector, expected) => {
      await holding({ fieldSelector });
      answer = configMap('b', '12');
      await client().create(ConfigMap, { metadata: { ...key, name: 'b' } });
      const read = cache.find(ConfigMap, { ...key, name: 'b' });
      expect(await settled(read)).toBe(expected);
      watch.send(added(configMap('b', '12')));
      await read;
    });

    it('PC-4: decodes no object, also if only some objects are cached', async () => {
      await holding({ labelSelector: 'app=shop' });
      answer = configMap('a', '13');
      await client().update(ConfigMap, configMap('a', '3'));
      const read = cache.find(ConfigMap, key);
      expect(await settled(read)).toBe('waits');
      expect(cache.stats?.()).toMatchObject([{ decodes: 0, metadataDecodes: 0 }]);
      watch.send(modified(configMap('a', '13')));
      await read;
      expect(cache.stats?.()).toMatchObject([{ decodes: 1, metadataDecodes: 0 }]);
    });

    it('waits in the cache of its metadata', async () => {
      await holding();
      const kind = partialMetadata(ConfigMap);
      const informer = await cache.informer(kind);
      const metadataWatch = await fake.server(kind).nextWatch();
      metadataWatch.send(added(configMap('a', '3')), initialEventsEnd('10'));
      await informer.waitForSync(never);
      answer = configMap('a', '12');
      await client().update(ConfigMap, configMap('a', '3'));
      const read = cache.get(kind, key);
      expect(await settled(read)).toBe('waits');
      metadataWatch.send(modified(configMap('a', '12')));
      expect(versionOf(await read)).toBe('12');
    });

    it('F-9: stops waiting if the server was restored to a state before the write', async () => {
      await holding();
      answer = configMap('a', '12');
      await client().update(ConfigMap, configMap('a', '3'));
      const read = cache.get(ConfigMap, key);
      watch.send(errorEvent(410, 'Expired'));
      const relist = await fake.server(ConfigMap).nextWatch();
      relist.send(added(configMap('a', '3')), initialEventsEnd('5'));
      expect(versionOf(await read)).toBe('3');
    });
  });
});
