import { describe, expect, it, jest } from '@jest/globals';
import { ApiError, isForbidden, isNotFound } from '../response/api-error.ts';
import { ConfigMap, Deployment, Namespace, Secret } from '../kinds/builtin.ts';
import type { Kind } from '../kinds/kind.ts';
import { isNoKindMatch, NoKindMatchError } from '../kinds/no-kind-match-error.ts';
import { silentLogger } from '../log/logger.ts';
import { defineKind, kindText, partialMetadata } from '../kinds/kind.ts';
import type { DeepReadonly, KubernetesObject } from '../kinds/object.ts';
import { added, configMap, initialEventsEnd, modified } from '../reflector/scripted-lister-watcher.fixture.ts';
import { InformerStoppedError, isInformerStopped } from '../store/informer-stopped-error.ts';
import { isCacheNotSynced } from './cache-not-synced-error.ts';
import { cachedClient } from './cached-client.ts';
import type { CacheOptions } from './cache-options.ts';
import { isNamespaceNotCached } from './namespace-not-cached-error.ts';
import { createCache } from './create-cache.ts';
import { cacheFixture } from './cache.fixture.ts';

const never = new AbortController().signal;

function labelled(name: string, labels: Record<string, string>, namespace = 'default'): ConfigMap {
  const object = configMap(name, '3', `uid-${namespace}-${name}`, namespace);
  return { ...object, metadata: { ...object.metadata, labels } };
}

function names({ items }: { readonly items: readonly DeepReadonly<ConfigMap>[] }): string[] {
  return items.map(({ metadata }) => metadata.name);
}
describe('cache', () => {
  const test = cacheFixture();
  const { running, answer, holding } = test;

  it('creates the informer of a kind at its first read, and answers when it has synced', async () => {
    const cache = running();
    const read = cache.get(ConfigMap, { namespace: 'default', name: 'a' });
    await answer(ConfigMap, [configMap('a', '3')]);
    expect((await read).metadata.resourceVersion).toBe('3');
    expect(test.fake.requests).toHaveLength(1);
  });

  it('shares one informer per kind and scope', async () => {
    const cache = running();
    const scope = { namespaces: ['b', 'a', 'b'], labelSelector: 'x=y' };
    const scoped = await cache.informer(ConfigMap, scope);
    expect(await cache.informer(ConfigMap, { namespaces: ['a', 'b'], labelSelector: 'x=y' })).toBe(scoped);
    const all = await cache.informer(ConfigMap);
    expect(all).not.toBe(scoped);
    expect(await cache.informer(ConfigMap, {})).toBe(all);
    expect(await cache.informer(Secret)).not.toBe(all);
    expect(await cache.informer(partialMetadata(ConfigMap))).not.toBe(all);
  });

  it('sends the scope of an informer to the server', async () => {
    const cache = running();
    const scope = { namespaces: ['fleet'], labelSelector: 'a=b', fieldSelector: 'type=x' };
    const informer = await cache.informer(Secret, scope);
    const watch = await test.fake.server(Secret, 'fleet').nextWatch();
    expect(test.fake.requests).toEqual([
      expect.objectContaining({ namespace: 'fleet', labelSelector: 'a=b', fieldSelector: 'type=x' }),
    ]);
    watch.send(added(configMap('a', '3', 'u', 'fleet')), initialEventsEnd('10'));
    await informer.waitForSync(never);
    expect(informer.store.size).toBe(1);
  });

  it('reads of another scope do not use a scoped informer', async () => {
    const cache = running();
    await cache.informer(ConfigMap, { labelSelector: 'a=b' });
    await answer(ConfigMap, [configMap('a', '3')]);
    const read = cache.find(ConfigMap, { namespace: 'default', name: 'a' });
    await answer(ConfigMap);
    expect(await read).toBeUndefined();
    // A peek sees the informers of every scope, or that of one.
    const peek = (scope?: object) =>
      cache
        .peek?.(ConfigMap, { namespace: 'default', name: 'a' }, scope)
        .map(({ metadata }) => metadata.resourceVersion);
    expect([peek(), peek({}), peek({ labelSelector: 'a=b' }), peek({ labelSelector: 'c=d' })]).toEqual([
      ['3'],
      [],
      ['3'],
      [],
    ]);
  });

  it('starts informers that were requested before it ran', async () => {
    const cache = createCache({ client: test.fake.client, clock: test.clock });
    const informer = await cache.informer(ConfigMap);
    await test.clock.advance(0);
    expect(test.fake.requests).toEqual([]);
    test.runs.push(cache.run(test.stop.signal));
    await answer(ConfigMap);
    await informer.waitForSync(never);
    expect(await cache.waitForSync(never)).toBe(true);
  });

  it('a list in a handler is not older than its items', async () => {
    const [cache, watch] = await holding([configMap('a', '3')]);
    const lists: Promise<unknown>[] = [];
    const list = async (): Promise<unknown> => {
      const { metadata, items } = await cache.list(ConfigMap);
      return [metadata.resourceVersion, ...items.map((item) => item.metadata.resourceVersion)];
    };
    await cache.subscribe(ConfigMap, { onAdd: ({ initial }) => void (initial || lists.push(list())) });
    watch.send(added(configMap('b', '11')), added(configMap('c', '12')));
    while (lists.length < 2) await new Promise((resolve) => setImmediate(resolve));
    for (const [version, ...versions] of (await Promise.all(lists)) as string[][]) {
      expect(Number(version)).toBe(Math.max(...versions.map(Number)));
    }
  });

  it('a missing object causes the same error as a live read', async () => {
    const [cache] = await holding([]);
    const read = cache.get(ConfigMap, { namespace: 'default', name: 'a' });
    await expect(read).rejects.toThrow('configmaps "a" not found');
    expect(isNotFound(await read.catch((error: unknown) => error))).toBe(true);
    expect(await cache.find(ConfigMap, { namespace: 'default', name: 'a' })).toBeUndefined();
    const deployment = cache.get(Deployment, { namespace: 'default', name: 'web' });
    await answer(Deployment);
    await expect(deployment).rejects.toThrow('deployments.apps "web" not found');
  });

  describe('list', () => {
    const objects = [
      labelled('a', { env: 'prod' }),
      labelled('b', { env: 'test' }),
      labelled('c', { env: 'prod' }, 'other'),
      labelled('d', {}, 'other'),
    ];

    it('selects by namespace, labels and name, and applies a limit', async () => {
      const [cache] = await holding(objects);
      const list = await cache.list(ConfigMap);
      expect(list).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMapList', metadata: { resourceVersion: '10' } });
      expect(names(list)).toEqual(['a', 'b', 'c', 'd']);
      expect(names(await cache.list(ConfigMap, { namespace: 'other' }))).toEqual(['c', 'd']);
      expect(names(await cache.list(ConfigMap, { namespace: '' }))).toHaveLength(4);
      expect(names(await cache.list(ConfigMap, { labelSelector: 'env in (prod)' }))).toEqual(['a', 'c']);
      expect(names(await cache.list(ConfigMap, { labelSelector: 'env!=prod', namespace: 'other' }))).toEqual(['d']);
      expect(names(await cache.list(ConfigMap, { fieldSelector: 'metadata.name=c' }))).toEqual(['c']);
      expect(
        names(await cache.list(ConfigMap, { fieldSelector: 'metadata.namespace==other,metadata.name!=c' })),
      ).toEqual(['d']);
      expect(names(await cache.list(ConfigMap, { limit: 2 }))).toEqual(['a', 'b']);
    });

    it('selects by an index, whether it was created before or after the informer', async () => {
      const [cache] = await holding(objects);
      await cache.indexField(ConfigMap, 'env', ({ metadata }) => [metadata.labels?.['env'] ?? 'none']);
      await cache.indexField(Secret, 'name', ({ metadata }) => [metadata.name]);
      expect(names(await cache.list(ConfigMap, { index: { name: 'env', value: 'prod' } }))).toEqual(['a', 'c']);
      const inOther = { index: { name: 'env', value: 'prod' }, namespace: 'other' };
      expect(names(await cache.list(ConfigMap, inOther))).toEqual(['c']);
      const secrets = cache.list(Secret, { index: { name: 'name', value: 's' } });
      await answer(Secret, [configMap('s', '4'), configMap('t', '5')]);
      expect((await secrets).items).toHaveLength(1);
    });

    it.each([
      '.metadata.labels.env',
      ({ metadata }: DeepReadonly<KubernetesObject>) => [metadata.labels?.['env'] ?? ''],
    ] as const)('CL-4: selects by an index of %s', async (extract) => {
      const [cache] = await holding(objects);
      await cache.indexField(ConfigMap, 'env', extract);
      await cache.indexField(ConfigMap, 'env', extract);
      expect(names(await cache.list(ConfigMap, { index: { name: 'env', value: 'prod' } }))).toEqual(['a', 'c']);
      await expect(cache.indexField(ConfigMap, 'env', '.data')).rejects.toThrow(
        'index "env" of v1 ConfigMap is already registered with another function or path',
      );
    });

    it('CL-4: identical paths are the same index, before and after the informer is created', async () => {
      const [cache] = await holding(objects);
      for (const kind of [ConfigMap, Secret]) {
        const path = ['metadata', 'labels', 'env'];
        await cache.indexField(kind, 'env', path);
        path[2] = 'changed';
        await cache.indexField(kind, 'env', '.metadata.labels.env');
        await expect(cache.indexField(kind, 'env', '.metadata.name')).rejects.toThrow('another function or path');
      }
      expect(names(await cache.list(ConfigMap, { index: { name: 'env', value: 'prod' } }))).toEqual(['a', 'c']);
      const secrets = cache.list(Secret, { index: { name: 'env', value: 'prod' }, namespace: 'other' });
      await answer(Secret, objects);
      expect((await secrets).items).toMatchObject([{ metadata: { name: 'c' } }]);
    });

    it('CL-4: selects by the path of a field in several namespaces', async () => {
      const cache = running({ namespaces: ['default', 'other'] });
      await cache.indexField(ConfigMap, 'env', '.metadata.labels.env');
      const list = cache.list(ConfigMap, { index: { name: 'env', value: 'prod' } });
      for (const namespace of ['default', 'other']) {
        const own = objects.filter(({ metadata }) => metadata.namespace === namespace);
        await answer(ConfigMap, own, namespace);
      }
      expect(names(await list)).toEqual(['a', 'c']);
    });

    it('CL-4: selects objects that match several indexes, also within a namespace', async () => {
      const [cache] = await holding(objects);
      await cache.indexField(ConfigMap, 'env', ({ metadata }) => [metadata.labels?.['env'] ?? 'none']);
      await cache.indexField(ConfigMap, 'name', ({ metadata }) => [metadata.name, 'any']);
      const env = { name: 'env', value: 'prod' };
      const any = { name: 'name', value: 'any' };
      expect(names(await cache.list(ConfigMap, { index: [any, env] }))).toEqual(['a', 'c']);
      expect(names(await cache.list(ConfigMap, { index: [env, any], namespace: 'other' }))).toEqual(['c']);
      expect(names(await cache.list(ConfigMap, { index: [env, any, { name: 'name', value: 'a' }] }))).toEqual(['a']);
      expect(names(await cache.list(ConfigMap, { index: [env, { name: 'name', value: 'b' }] }))).toEqual([]);
      await expect(cache.list(ConfigMap, { index: [env, { name: 'no', value: '' }] })).rejects.toThrow(
        'index "no" does not exist',
      );
      await expect(cache.list(ConfigMap, { index: [] })).rejects.toThrow('option "index" is an empty array');
    });

    it('CL-4: refuses another function for an index, before and after the informer is created', async () => {
      const [cache] = await holding(objects);
      const byEnv = ({ metadata }: DeepReadonly<KubernetesObject>) => [metadata.labels?.['env'] ?? 'none'];
      for (const kind of [ConfigMap, Secret]) {
        await cache.indexField(kind, 'owner', byEnv);
        await cache.indexField(kind, 'owner', byEnv);
        await expect(cache.indexField(kind, 'owner', ({ metadata }) => [metadata.name])).rejects.toThrow(
          `index "owner" of v1 ${kind.kind} is already registered with another function`,
        );
      }
      expect(names(await cache.list(ConfigMap, { index: { name: 'owner', value: 'prod' } }))).toEqual(['a', 'c']);
    });

    it('an index function that throws omits these objects, is logged once, and does not affect others', async () => {
      const levels: string[] = [];
      const logger = {
        ...silentLogger,
        child: () => logger,
        warn: () => void levels.push('warn'),
        error: () => void levels.push('error'),
      };
      const [cache] = await holding(objects, { logger });
      await cache.indexField(ConfigMap, 'env', ({ metadata }) => {
        if (metadata.name === 'a' || metadata.name === 'b') throw new Error('broken');
        return ['x'];
      });
      expect(names(await cache.list(ConfigMap, { index: { name: 'env', value: 'x' } }))).toEqual(['c', 'd']);
      expect(levels).toEqual(['warn']);
    });

    it('S-14: refuses keys and options that would select nothing or everything', async () => {
      const cache = running();
      const wrong = (value: unknown): never => value as never;
      const key = 'expected the key of one object as { namespace, name }';
      await expect(cache.find(ConfigMap, wrong('default'), wrong('a'))).rejects.toThrow(key);
      await expect(cache.get(ConfigMap, wrong(undefined))).rejects.toThrow(key);
      await expect(cache.find(ConfigMap, { name: 'a' })).rejects.toThrow('v1 ConfigMap is namespaced');
      await expect(cache.find(Namespace, { namespace: 'x', name: 'a' })).rejects.toThrow('is cluster-scoped');
      await expect(cache.list(Namespace, { namespace: 'x' })).rejects.toThrow('is cluster-scoped');
      await expect(cache.list(ConfigMap, wrong('default'))).rejects.toThrow('expected options as a plain object');
      await expect(cache.list(ConfigMap, wrong({ ns: 'default' }))).rejects.toThrow('unknown option "ns"');
      await expect(cache.list(ConfigMap, wrong({ labelSelector: { a: 'b' } }))).rejects.toThrow(
        'expected a selector such as "app=web"',
      );
      await expect(cache.list(ConfigMap, { limit: 1.5 })).rejects.toThrow(
        'list of v1 ConfigMap: option "limit": expected a whole number of objects, 0 or more, found 1.5',
      );
    });

    it('S-14: refuses unknown and wrong options of reads and of scopes', async () => {
      const [cache] = await holding(objects);
      const wrong = (value: unknown): never => value as never;
      const object = { namespace: 'default', name: 'a' };
      await expect(cache.get(ConfigMap, object, wrong({ timout: 5 }))).rejects.toThrow(
        'get of v1 ConfigMap: unknown option "timout": use only signal, timeout, retry, resourceVersion',
      );
      await expect(cache.find(ConfigMap, object, wrong({ resourceversion: '9' }))).rejects.toThrow('unknown option');
      await expect(cache.find(ConfigMap, object, wrong('default'))).rejects.toThrow(
        'expected options as a plain object',
      );
      await expect(cache.get(ConfigMap, object, wrong(never))).rejects.toThrow('expected options as a plain object');
      await expect(cache.get(ConfigMap, object, wrong({ resourceVersion: 3 }))).rejects.toThrow(
        'option "resourceVersion": expected a resource version such as "7", which is a string, found a number',
      );
      expect(await cache.get(ConfigMap, object, { signal: never, timeout: 5, retry: 'never' })).toBeDefined();
      await expect(cache.informer(ConfigMap, wrong({ labelselector: 'a=b' }))).rejects.toThrow(
        'informer of v1 ConfigMap: unknown option "labelselector": use only namespaces, labelSelector, fieldSelector',
      );
      await expect(cache.subscribe(ConfigMap, { onAdd() {} }, wrong({ namespace: 'shop' }))).rejects.toThrow(
        'subscription of v1 ConfigMap: unknown option "namespace"',
      );
      expect(test.fake.requests).toHaveLength(1);
    });

    it('does not find an object of a kind without a scope with a key of the other scope', async () => {
      const unscoped = defineKind<ConfigMap>({ apiVersion: 'v1', kind: 'ConfigMap' });
      const cache = running();
      const read = cache.find(unscoped, { name: 'a' });
      await answer(unscoped, [configMap('a', '3')]);
      expect(await read).toBeUndefined();
      expect(await cache.find(unscoped, { namespace: 'default', name: 'a' })).toBeDefined();
    });

    it('refuses unsupported options, and says what to do', async () => {
      const [cache] = await holding(objects);
      await expect(cache.list(ConfigMap, { fieldSelector: 'data.x=y' })).rejects.toThrow(
        'create an index with indexField',
      );
      await expect(cache.list(ConfigMap, { index: { name: 'no', value: '' } })).rejects.toThrow(
        'index "no" does not exist',
      );
      await expect(cache.list(ConfigMap, { continue: 'token' })).rejects.toThrow('does not support option "continue"');
      await expect(cache.list(ConfigMap, { labelSelector: '=' })).rejects.toThrow(
        new SyntaxError('label selector "=": expected a label key, found "="'),
      );
    });
  });

  describe('a read of a kind that does not sync', () => {
    it('fails at its deadline, and names the kind, the cluster and the reason', async () => {
      const cache = running();
      const read = cache.get(ConfigMap, { namespace: 'default', name: 'a' }, { timeout: 500 });
      const outcome = read.catch((error: unknown) => error);
      const refused = new Error('connection refused');
      (await test.fake.server(ConfigMap).nextWatch()).fail(refused);
      await test.clock.advance(500);
      const error = await outcome;
      expect(isCacheNotSynced(error)).toBe(true);
      expect(error).toMatchObject({
        message: 'the cache of cluster "eu-1" has not synced v1 ConfigMap within 500 ms: connection refused',
        cause: refused,
      });
    });

    const failed = (code: number) => new ApiError({ kind: 'Status', code, message: `refused (${code})` });

    it.each([
      ['discovery does not find', new NoKindMatchError(ConfigMap), isNoKindMatch],
      ['has no path on the server', failed(404), isNotFound],
    ])('F-22: fails at once if the kind %s, and succeeds when it is installed', async (_, error, matches) => {
      const cache = running();
      const key = { namespace: 'default', name: 'a' };
      const reads = [cache.find(ConfigMap, key), cache.get(ConfigMap, key), cache.list(ConfigMap)];
      const outcomes = Promise.allSettled(reads);
      const server = test.fake.server(ConfigMap);
      (await server.nextWatch()).fail(error);
      for (const outcome of await outcomes)
        expect(outcome).toMatchObject({ reason: expect.objectContaining({ name: error.name }) });
      expect(matches(await cache.list(ConfigMap).catch((thrown: unknown) => thrown))).toBe(true);
      expect(server.untaken).toBe(0);

      await test.clock.advance(1_000);
      const read = cache.find(ConfigMap, key);
      await answer(ConfigMap, [configMap('a', '3')]);
      expect((await read)?.metadata.name).toBe('a');
    });

    it('F-22: fails at once if neither a watch nor a list is permitted', async () => {
      const read = running().list(ConfigMap);
      const outcome = read.catch((error: unknown) => error);
      const server = test.fake.server(ConfigMap);
      (await server.nextWatch()).fail(failed(403));
      (await server.nextList()).fail(failed(403));
      expect(isForbidden(await outcome)).toBe(true);
    });

    it('F-22: waits for the list if only a watch is forbidden', async () => {
      const read = running().list(ConfigMap);
      const server = test.fake.server(ConfigMap);
      (await server.nextWatch()).fail(failed(403));
      (await server.nextList()).reply('10', [configMap('a', '3')]);
      expect(names(await read)).toEqual(['a']);
    });

    it('F-22: waits after a 401, because credentials may be being rotated', async () => {
      const read = running().list(ConfigMap);
      const server = test.fake.server(ConfigMap);
      (await server.nextWatch()).fail(failed(401));
      await test.clock.advance(1_000);
      await answer(ConfigMap, [configMap('a', '3')]);
      expect(names(await read)).toEqual(['a']);
    });

    it('F-22: serves what it has if the kind is removed after the sync', async () => {
      const [cache, watch] = await holding([configMap('a', '3')]);
      watch.fail(failed(404));
      await test.clock.advance(0);
      expect((await cache.informer(ConfigMap)).lastError).toBeDefined();
      expect(names(await cache.list(ConfigMap))).toEqual(['a']);
    });

    it('F-22: fails at once if one of several namespaces is forbidden', async () => {
      const read = running({ namespaces: ['shop', 'test'] }).list(ConfigMap);
      const outcome = read.catch((error: unknown) => error);
      await answer(ConfigMap, [], 'shop');
      const server = test.fake.server(ConfigMap, 'test');
      (await server.nextWatch()).fail(failed(403));
      (await server.nextList()).fail(failed(403));
      expect(isForbidden(await outcome)).toBe(true);
    });

    it('waits half a minute by default', async () => {
      const outcome = running()
        .list(ConfigMap)
        .catch((error: unknown) => error);
      await test.clock.advance(29_999);
      await test.clock.advance(1);
      expect(await outcome).toMatchObject({ message: expect.stringContaining('within 30000 ms') });
    });

    it('ends when its signal aborts', async () => {
      const caller = new AbortController();
      const read = running().list(ConfigMap, { signal: caller.signal });
      caller.abort(new Error('no longer needed'));
      await expect(read).rejects.toThrow('no longer needed');
    });

    it('ends at once if its signal has aborted, without an unhandled rejection', async () => {
      const unhandled = jest.fn();
      process.once('unhandledRejection', unhandled);
      const signal = AbortSignal.abort(new Error('no longer needed'));
      await expect(running().list(ConfigMap, { signal })).rejects.toThrow('no longer needed');
      await test.clock.advance(0);
      process.off('unhandledRejection', unhandled);
      expect(unhandled).not.toHaveBeenCalled();
    });

    it('FP-2: is observed while it waits, can be aborted by its observer, and is not observed after the sync', async () => {
      const abort = new AbortController();
      const signals: (AbortSignal | undefined)[] = [];
      const cache = running({
        observeWait: (wait, signal) => {
          signals.push(signal);
          return wait(abort.signal);
        },
      });
      const { signal } = new AbortController();
      const outcome = cache.list(ConfigMap, { signal }).catch((error: unknown) => error);
      const reason = new Error('the cluster is parked');
      abort.abort(reason);
      expect(await outcome).toBe(reason);
      await answer(ConfigMap, []);
      await cache.waitForSync(never);
      expect(names(await cache.list(ConfigMap))).toEqual([]);
      expect(signals).toEqual([signal]);
    });

    it('reports that the cache is not running', async () => {
      const read = createCache({ client: test.fake.client, clock: test.clock }).list(ConfigMap, { timeout: 10 });
      const outcome = expect(read).rejects.toThrow(
        'the cache has not synced v1 ConfigMap within 10 ms: the cache is not running',
      );
      await test.clock.advance(10);
      await outcome;
    });

    it('ends when the cache stops', async () => {
      const read = running().list(ConfigMap);
      const outcome = read.catch((error: unknown) => error);
      test.stop.abort();
      expect(isInformerStopped(await outcome)).toBe(true);
      expect(await outcome).toMatchObject({
        message: 'the cache of cluster "eu-1" was stopped before it had synced v1 ConfigMap',
      });
    });
  });

  it('a kind that does not sync does not block another one', async () => {
    const [cache] = await holding([configMap('a', '3')]);
    void cache.list(Secret).catch(() => undefined);
    expect(names(await cache.list(ConfigMap))).toEqual(['a']);
  });

  describe('limited to namespaces', () => {
    it('watches each of them, and refuses reads of others', async () => {
      const cache = running({ namespaces: ['shop', 'test'] });
      const list = cache.list(ConfigMap);
      await answer(ConfigMap, [configMap('a', '3', 'u1', 'shop')], 'shop');
      const watch = await answer(ConfigMap, [configMap('b', '4', 'u2', 'test')], 'test');
      expect(names(await list)).toEqual(['a', 'b']);
      expect(names(await cache.list(ConfigMap, { namespace: 'test' }))).toEqual(['b']);
      expect((await cache.get(ConfigMap, { namespace: 'test', name: 'b' })).metadata.uid).toBe('u2');
      const outside = cache.get(ConfigMap, { namespace: 'kube-system', name: 'b' });
      await expect(outside).rejects.toThrow('holds v1 ConfigMap only in the namespaces shop, test, not in kube-system');
      expect(isNamespaceNotCached(await outside.catch((error: unknown) => error))).toBe(true);

      const calls: string[] = [];
      const registration = (await cache.informer(ConfigMap)).addHandler({
        onAdd: ({ key }) => calls.push(`+${key.name}`),
        onUpdate: ({ metadata }) => calls.push(`${metadata.name}@${metadata.resourceVersion}`),
      });
      await registration.synced;
      const { store } = await cache.informer(ConfigMap);
      expect([store.count(), store.count('test'), store.count('kube-system')]).toEqual([2, 1, 0]);
      expect([...store.keys()].map(({ name }) => name)).toEqual(['a', 'b']);
      expect([...store.keys('test')]).toEqual([{ namespace: 'test', name: 'b' }]);
      expect([...store.keys('kube-system')]).toEqual([]);
      watch.send(modified(configMap('b', '11', 'u2', 'test')));
      await test.clock.advance(0);
      expect(calls).toEqual(['+a', '+b', 'b@11']);
    });

    it('watches all objects of cluster-scoped kinds', async () => {
      const cache = running({ namespaces: ['shop'] });
      const list = cache.list(Namespace);
      await answer(Namespace, [configMap('shop', '3', 'u', '')]);
      expect((await list).items).toHaveLength(1);
    });
  });

  it('removes managed fields and freezes objects by default', async () => {
    const managed = () => {
      const object = configMap('a', '3');
      return { ...object, metadata: { ...object.metadata, managedFields: [{ manager: 'kubectl' }] } };
    };
    const key = { namespace: 'default', name: 'a' };
    const [cache] = await holding([managed()]);
    const object = await cache.get(ConfigMap, key);
    expect(object.metadata.managedFields).toBeUndefined();
    expect(() => Object.assign(object.metadata, { name: 'other' })).toThrow(TypeError);

    const [whole] = await holding([managed()], { dropManagedFields: false, freeze: false });
    const kept = await whole.get(ConfigMap, key);
    expect(kept.metadata.managedFields).toEqual([{ manager: 'kubectl' }]);
    expect(Object.isFrozen(kept)).toBe(false);
  });

  it('CT-3: a removed informer stops, and the next read creates a new one', async () => {
    const [cache, watch] = await holding([configMap('a', '3')]);
    cache.removeInformer(ConfigMap);
    await test.clock.advance(0);
    expect(watch.request.signal.aborted).toBe(true);
    const list = cache.list(ConfigMap);
    await answer(ConfigMap);
    expect(names(await list)).toEqual([]);
  });

  it('waitForSync reports whether everything synced before the signal aborted', async () => {
    const cache = running();
    await cache.informer(ConfigMap);
    const patience = new AbortController();
    const synced = cache.waitForSync(patience.signal);
    patience.abort();
    expect(await synced).toBe(false);
    await answer(ConfigMap);
    expect(await cache.waitForSync(never)).toBe(true);
  });

  it('runs only once, and refuses reads after it has stopped', async () => {
    const cache = running();
    await expect(cache.run(test.stop.signal)).rejects.toThrow('is already running or has stopped');
    test.stop.abort();
    await Promise.all(test.runs);
    await expect(cache.list(ConfigMap)).rejects.toThrow('the cache of cluster "eu-1" has stopped');
    await expect(cache.informer(ConfigMap)).rejects.toThrow('has stopped');
  });

  it('every read that ends because the cache stops has the same class of error', async () => {
    const [cache] = await holding(Array.from({ length: 5_000 }, (_, number) => configMap(`a-${number}`, '3')));
    const informer = await cache.informer(ConfigMap);
    const unsynced = await cache.informer(Secret);
    const reads = [cache.list(ConfigMap), cache.list(Secret), unsynced.waitForSync(never)].map((read) =>
      read.catch((error: unknown) => error),
    );
    await Promise.resolve();
    test.stop.abort();
    await Promise.all(test.runs);
    const later = [cache.list(ConfigMap), cache.informer(ConfigMap)].map((read) =>
      read.catch((error: unknown) => error),
    );
    for (const error of await Promise.all([...reads, ...later])) expect(isInformerStopped(error)).toBe(true);
    expect(() => informer.store.list()).toThrow(InformerStoppedError);
  });

  it('refuses an unknown option', () => {
    const options = { client: test.fake.client, namespace: 'shop', syncTimeout: -1 };
    expect(() => createCache(options)).toThrow(/createCache:.*"namespace".*syncTimeout/s);
  });

  it.each<[object, string]>([
    [{}, 'createCache: option "client": expected a client of createClient, found undefined'],
    [{ client: {}, syncTimeout: Infinity }, 'expected a finite number of milliseconds, found Infinity'],
  ])('refuses %p', (options, message) => {
    expect(() => createCache(options as CacheOptions)).toThrow(message);
  });

  it('a cached client reads from the cache, and uses the client for the rest', async () => {
    const [cache] = await holding([configMap('a', '3')]);
    const created: unknown[] = [];
    const live = { ...test.fake.client, create: (...args: unknown[]) => Promise.resolve(created.push(args)) };
    const client = cachedClient(live as unknown as CacheOptions['client'], cache);
    expect(names(await client.list(ConfigMap))).toEqual(['a']);
    expect((await client.get(ConfigMap, { namespace: 'default', name: 'a' })).metadata.name).toBe('a');
    await client.create(ConfigMap, { metadata: { name: 'b', namespace: 'default' } });
    expect(created).toHaveLength(1);
    expect(await client.find(ConfigMap, { namespace: 'default', name: 'b' })).toBeUndefined();
  });

  it('S-14: a cached client refuses unknown and wrong options', () => {
    const cache = running();
    const make = (options: unknown) => () => cachedClient(test.fake.client, cache, options as never);
    expect(make({ uncachd: [Secret] })).toThrow('cachedClient: unknown option "uncachd": use only uncached');
    expect(make({ uncached: ['Secret'] })).toThrow(
      'cachedClient: option "uncached.0": expected a Kind from defineKind, found a string',
    );
  });

  it('FP-6: a cached client reads uncached kinds from the API server, including their metadata', async () => {
    const [cache] = await holding([configMap('a', '3')]);
    const asked: string[] = [];
    const read = (kind: Kind<KubernetesObject>) => Promise.resolve(asked.push(kindText(kind)));
    const live = { ...test.fake.client, get: read, find: read, list: read } as unknown as CacheOptions['client'];
    const client = cachedClient(live, cache, { uncached: [Secret] });
    const key = { namespace: 'default', name: 'a' };
    await client.get(Secret, key);
    await client.find(partialMetadata(Secret), key);
    await client.list(Secret);
    expect(names(await client.list(ConfigMap))).toEqual(['a']);
    expect(asked).toEqual(['v1 Secret', 'v1 Secret (metadata)', 'v1 Secret']);
  });
});
