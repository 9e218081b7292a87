import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ApiClient, Client, DeepReadonly, KubernetesObject } from '@mcr/client';
import {
  ConfigMap,
  cachedClient,
  createCache,
  createClient,
  Deployment,
  interceptClient,
  isConflict,
  partialMetadata,
  draftOf,
} from '@mcr/client';
import { VirtualClock } from '@mcr/client/testing';
import type { ControlPlane } from '@mcr/envtest';
import { createControlPlane } from '@mcr/envtest';
import { createOrPatch } from './create-or-patch.ts';
import { createOrUpdate } from './create-or-update.ts';
import { mergePatchOf, replacesList } from './merge-patch.ts';

const key = { namespace: 'default', name: 'settings' };

describe('createOrUpdate and createOrPatch', () => {
  let controlPlane: ControlPlane;
  let client: ApiClient;
  /** Writes by verb and body. */
  let writes: [verb: string, body: unknown][];
  let recording: Client;

  beforeAll(async () => {
    controlPlane = await createControlPlane();
    client = createClient(controlPlane.config);
  });
  afterAll(async () => {
    await client.close();
    await controlPlane.stop();
  });
  beforeEach(async () => {
    for (const kind of [ConfigMap, Deployment]) {
      const { items } = await client.list<KubernetesObject>(kind, { namespace: 'default' });
      for (const { metadata } of items) await client.delete(kind, { ...key, name: metadata.name });
    }
    writes = [];
    const record = (verb: string, body: unknown) => void writes.push([verb, body]);
    recording = interceptClient(client, ({ status }) => ({
      create: (kind, object, options) => (record('create', object), client.create(kind, object, options)),
      update: (kind, object, options) => (record('update', object), client.update(kind, object, options)),
      patch: (kind, target, patch, type, options) => (
        record('patch', patch),
        client.patch(kind, target, patch, type, options)
      ),
      status: {
        ...status,
        patch: (kind, target, patch, type, options) => (
          record('patch status', patch),
          status.patch(kind, target, patch, type, options)
        ),
      },
    }));
  });

  const stored = async () => (await client.get(ConfigMap, key)).data;
  const both = { createOrUpdate, createOrPatch };

  describe.each(Object.entries(both))('%s', (_, createOr) => {
    it('creates a missing object, writes a different one, and does not write an equal one', async () => {
      const settle = (colour: string) =>
        createOr(recording, ConfigMap, key, (configMap) => {
          configMap.data = { ...configMap.data, colour };
        });
      const created = await settle('red');
      expect(created.result).toBe('created');
      expect(created.object.metadata.uid).toBeTruthy();
      expect(await settle('red')).toMatchObject({ result: 'unchanged', object: { data: { colour: 'red' } } });
      expect(await settle('blue')).toMatchObject({ result: 'updated', object: { data: { colour: 'blue' } } });
      expect(writes.map(([verb]) => verb)).toEqual(['create', createOr === createOrPatch ? 'patch' : 'update']);
      expect(await stored()).toEqual({ colour: 'blue' });
    });

    it('refuses missing and swapped arguments, and a promise of a client', async () => {
      const call = createOr as (...args: readonly unknown[]) => Promise<unknown>;
      const mutate = () => undefined;
      await expect(call(recording, ConfigMap, key)).rejects.toThrow(
        'expected a function that changes the object, found undefined',
      );
      await expect(call(recording, key, mutate)).rejects.toThrow('expected a kind');
      await expect(call(Promise.resolve(recording), ConfigMap, key, mutate)).rejects.toThrow(
        'expected a client first, found an object of class Promise: pass one such as cluster.client, and await it',
      );
    });

    it('changes a copy, not the object that was read', async () => {
      await client.create(ConfigMap, { metadata: key, data: { colour: 'red' } });
      const read = await client.get(ConfigMap, key);
      const before = JSON.stringify(read);
      const ofCache = { ...recording, find: async () => read as DeepReadonly<never> };
      await createOr(ofCache, ConfigMap, key, (configMap) => void (configMap.data = { colour: 'blue' }));
      expect(JSON.stringify(read)).toBe(before);
    });

    it('refuses a mutation that changes the name or namespace', async () => {
      const rename = createOr(recording, ConfigMap, key, ({ metadata }) => void (metadata.name = 'other'));
      await expect(rename).rejects.toThrow(/default\/other after the mutation: expected .* default\/settings/);
      expect(writes).toEqual([]);
    });

    it('retries a conflict with the newer object', async () => {
      await client.create(ConfigMap, { metadata: key, data: { colour: 'red' } });
      let interrupt: (() => Promise<unknown>) | undefined = () =>
        client.patch(ConfigMap, key, { metadata: { finalizers: ['a/other'] } }, 'merge');
      const { result, object } = await createOr(recording, ConfigMap, key, async ({ metadata }) => {
        metadata.finalizers = [...(metadata.finalizers ?? []), 'a/mine'];
        await interrupt?.();
        interrupt = undefined;
      });
      expect(result).toBe('updated');
      expect(object.metadata.finalizers).toEqual(['a/other', 'a/mine']);
      await client.patch(ConfigMap, key, { metadata: { finalizers: [] } }, 'merge');
    });

    it('treats an object that the cache does not contain yet as a conflict', async () => {
      const clock = new VirtualClock();
      await client.create(ConfigMap, { metadata: key, data: { size: '1' } });
      let reads = 0;
      const behind: Client = {
        ...recording,
        find: async (...args) => (reads++ < 2 ? undefined : client.find(...args)),
      };
      const outcome = createOr(behind, ConfigMap, key, (configMap) => void (configMap.data = { colour: 'red' }), {
        clock,
      });
      outcome.catch(() => undefined);
      while (reads < 3) await clock.advance(50);
      expect((await outcome).result).toBe('updated');
      expect(await stored()).toEqual({ colour: 'red' });
      expect(clock.pendingTimers).toBe(0);
    });

    it('fails after five conflicts, and at once when its signal aborts', async () => {
      const clock = new VirtualClock();
      await client.create(ConfigMap, { metadata: key });
      const read = await client.get(ConfigMap, key);
      await client.patch(ConfigMap, key, { data: { size: '2' } }, 'merge');
      const stuck: Client = { ...recording, find: async () => read as DeepReadonly<never> };
      const failed = (signal?: AbortSignal) =>
        createOr(stuck, ConfigMap, key, ({ metadata }) => void (metadata.finalizers = ['a/b']), {
          clock,
          ...(signal && { signal }),
        }).then(
          () => 'succeeded',
          (error: unknown) => error,
        );
      const outcome = failed();
      await clock.advance(0);
      while (writes.length < 5) await clock.advance(100);
      expect(isConflict(await outcome)).toBe(true);
      expect(writes).toHaveLength(5);

      const end = new AbortController();
      const aborted = failed(end.signal);
      while (clock.pendingTimers === 0) await clock.advance(0);
      end.abort(new Error('the reconcile ends'));
      expect(await aborted).toEqual(new Error('the reconcile ends'));
      expect(clock.pendingTimers).toBe(0);
    });
  });

  it('S-14: createOrUpdate refuses a metadata-only kind, and createOrPatch keeps the other fields', async () => {
    await client.create(ConfigMap, { metadata: key, data: { colour: 'red' } });
    const Meta = partialMetadata(ConfigMap);
    const label = ({ metadata }: { metadata: { labels?: Record<string, string> } }) =>
      void (metadata.labels = { app: 'cart' });
    await expect(createOrUpdate(recording, Meta, key, label)).rejects.toThrow('found a kind with metadata only');
    expect(await createOrPatch(recording, Meta, key, label)).toMatchObject({ result: 'updated' });
    expect(writes).toEqual([['patch', { metadata: { labels: { app: 'cart' } } }]]);
    expect(await stored()).toEqual({ colour: 'red' });
  });

  it('createOrPatch writes only the difference, and keeps concurrent changes', async () => {
    await client.create(ConfigMap, { metadata: key, data: { colour: 'red', size: '1' } });
    const { object } = await createOrPatch(recording, ConfigMap, key, async (configMap) => {
      configMap.data = { ...configMap.data, colour: 'blue' };
      await client.patch(ConfigMap, key, { data: { size: '2' } }, 'merge');
    });
    expect(writes).toEqual([['patch', { data: { colour: 'blue' } }]]);
    expect(object.data).toEqual({ colour: 'blue', size: '2' });
  });

  it('createOrPatch writes the status to its subresource after the rest', async () => {
    const settle = (replicas: number, existing: number) =>
      createOrPatch(recording, Deployment, key, (deployment) => {
        const labels = { app: 'cart' };
        // The server has set defaults in a template that exists.
        const template = deployment.spec?.template ?? {
          metadata: { labels },
          spec: { containers: [{ name: 'cart', image: 'cart' }] },
        };
        deployment.spec = { ...deployment.spec, replicas, selector: { matchLabels: labels }, template };
        deployment.status = { ...deployment.status, replicas: existing };
      });
    expect(await settle(1, 1)).toMatchObject({ result: 'created', object: { status: { replicas: 1 } } });
    expect(writes.map(([verb]) => verb)).toEqual(['create', 'patch status']);
    writes = [];
    expect(await settle(1, 2)).toMatchObject({ result: 'updated', object: { status: { replicas: 2 } } });
    expect(writes).toEqual([['patch status', { status: { replicas: 2 } }]]);
    expect((await settle(1, 2)).result).toBe('unchanged');
  });

  it('draftOf copies a frozen object of the cache, so that it can be changed and written', async () => {
    await client.create(ConfigMap, { metadata: key, data: { colour: 'red' } });
    const end = new AbortController();
    const cache = createCache({ client });
    const running = cache.run(end.signal);
    const cached = cachedClient(client, cache);
    const object = await cached.get(ConfigMap, key);
    const draft = draftOf(object);
    draft.data = { colour: 'blue' };
    await cached.update(ConfigMap, draft);
    expect(object.data).toEqual({ colour: 'red' });
    expect(await stored()).toEqual({ colour: 'blue' });
    end.abort();
    await running;
  });
});

describe('mergePatchOf', () => {
  it.each([
    [
      'undefined for equal objects, whatever the order of their fields',
      { a: 1, b: { c: [1, { d: 2 }] } },
      { b: { c: [1, { d: 2 }] }, a: 1 },
      undefined,
    ],
    ['nested differences', { a: { b: 1, c: 2 } }, { a: { b: 1, c: 3 } }, { a: { c: 3 } }],
    ['null for removed fields', { a: { b: 1, c: 2 } }, { a: { b: 1 } }, { a: { c: null } }],
    ['an undefined or null field as absent', { a: undefined, b: null }, { a: null }, undefined],
    ['lists as a whole', { a: [1, 2] }, { a: [1, 3] }, { a: [1, 3] }],
    ['a longer list', { a: [1] }, { a: [1, 2] }, { a: [1, 2] }],
    ['a value of another type', { a: { b: 1 } }, { a: 'b' }, { a: 'b' }],
    ['a list that was a map', { a: { b: 1 } }, { a: [1] }, { a: [1] }],
    ['an added map', {}, { a: { b: 1 } }, { a: { b: 1 } }],
  ])('gives %s', (_, before, after, patch) => {
    expect(mergePatchOf(before, after)).toEqual(patch);
  });

  it('detects a patch that replaces a list', () => {
    expect(replacesList({ a: { b: [1] } })).toBe(true);
    expect(replacesList({ a: { b: null } })).toBe(false);
  });
});
