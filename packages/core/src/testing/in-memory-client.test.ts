import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, jest } from '@jest/globals';
import {
  ConfigMap,
  CustomResourceDefinition,
  defineKind,
  Deployment,
  draftOf,
  dryRunClient,
  fnv1a64,
  isAlreadyExists,
  isConflict,
  isNotFound,
  Namespace,
  partialMetadata,
  Pod,
  Scale,
} from '@mcr/client';
import { addFinalizer } from '../objects/finalizer/finalizer.ts';
import { createOrPatch } from '../objects/mutation/create-or-patch.ts';
import { Cart, cartDefinition } from './cart.fixture.ts';
import { InMemoryClient } from './in-memory-client.ts';
import { InMemoryCluster } from './in-memory-cluster.ts';

const key = { namespace: 'shop', name: 'cart' };

const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: key, spec: { replicas: 1 } };

function configMap(name: string, namespace = 'shop', labels: Record<string, string> = {}) {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name, labels } };
}

async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe('reads of an in-memory client', () => {
  it('K-10: creates objects, reads them back frozen, and generates names', async () => {
    const client = new InMemoryClient();
    expect(isNotFound(await failureOf(client.get(ConfigMap, key)))).toBe(true);
    expect(await client.find(ConfigMap, key)).toBeUndefined();
    const created = await client.create(ConfigMap, { metadata: key, data: { a: '1' } });
    expect(created.metadata).toMatchObject({ ...key, uid: expect.any(String) });
    expect(isAlreadyExists(await failureOf(client.create(ConfigMap, { metadata: key })))).toBe(true);
    const read = await client.get(ConfigMap, key);
    expect(read).toEqual(created);
    expect(Object.isFrozen(read.data)).toBe(true);
    created.data = {};
    expect((await client.get(ConfigMap, key)).data).toEqual({ a: '1' });
    const generated = await client.create(ConfigMap, { metadata: { namespace: 'shop', generateName: 'cart-' } });
    expect(generated.metadata.name).toMatch(/^cart-.{5}$/);
  });

  it('starts empty, and needs no namespaces', async () => {
    const client = new InMemoryClient();
    await client.create(ConfigMap, { metadata: key });
    expect((await client.list(Namespace)).items).toEqual([]);
    expect((await client.list(Deployment)).items).toEqual([]);
  });

  it('K-4: lists by namespace, labels and fields', async () => {
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: key, spec: { nodeName: 'n-1', containers: [] } };
    const client = new InMemoryClient({
      objects: [
        configMap('a', 'x', { app: 'cart' }),
        configMap('b', 'x', { app: 'till' }),
        configMap('c', 'y', { app: 'cart' }),
        pod,
      ],
    });
    const names = async (options: Parameters<typeof client.list>[1]) =>
      (await client.list(ConfigMap, options)).items.map(({ metadata }) => metadata.name);
    expect(await names({})).toEqual(['a', 'b', 'c']);
    expect(await names({ namespace: 'x', labelSelector: 'app in (cart)' })).toEqual(['a']);
    expect(await names({ fieldSelector: 'metadata.name=a' })).toEqual(['a']);
    await expect(names({ fieldSelector: 'data.a=b' })).rejects.toThrow('"data.a" is not a known field selector');
    expect((await client.list(Pod, { fieldSelector: 'spec.nodeName=n-1' })).items).toHaveLength(1);
    expect((await client.list(Pod, { fieldSelector: 'spec.nodeName=n-2' })).items).toHaveLength(0);
  });

  it('K-3: lists in pages', async () => {
    const client = new InMemoryClient({ objects: ['a', 'b', 'c'].map((name) => configMap(name)) });
    const first = await client.list(ConfigMap, { limit: 2 });
    expect([first.items.length, first.metadata.remainingItemCount]).toEqual([2, 1]);
    const second = await client.list(ConfigMap, { limit: 2, continue: first.metadata.continue ?? '' });
    expect(second.items.map(({ metadata }) => metadata.name)).toEqual(['c']);
  });

  it('CL-4: lists by indexes together with selectors', async () => {
    const client = new InMemoryClient({
      objects: [
        configMap('a', 'x', { app: 'cart' }),
        configMap('b', 'x', { app: 'cart', tier: 'web' }),
        configMap('c', 'y', { app: 'till' }),
      ],
    });
    await client.indexField(ConfigMap, 'app', ['metadata', 'labels', 'app']);
    const index = { name: 'app', value: 'cart' };
    const names = async (options: Parameters<typeof client.list>[1]) =>
      (await client.list(ConfigMap, options)).items.map(({ metadata }) => metadata.name);
    expect(await names({ index })).toEqual(['a', 'b']);
    expect(await names({ index, labelSelector: 'tier=web' })).toEqual(['b']);
    expect((await client.list(ConfigMap, { index, limit: 1 })).metadata.remainingItemCount).toBe(1);
    await expect(names({ index: { name: 'tier', value: 'web' } })).rejects.toThrow('"tier"');
    await expect(names({ index, continue: 'x' })).rejects.toThrow('option "continue"');
  });

  it('K-18: returns tables', async () => {
    const client = new InMemoryClient({ objects: [deployment] });
    const { columnDefinitions, rows } = await client.table(Deployment, { namespace: 'shop' });
    expect(columnDefinitions.map(({ name }) => name)).toEqual(expect.arrayContaining(['Name', 'Ready', 'Age']));
    expect(rows.map(({ cells }) => cells[0])).toEqual(['cart']);
  });

  it('K-5, K-6: watches from the present objects on, until the signal aborts', async () => {
    const client = new InMemoryClient({ objects: [configMap('a')] });
    const end = new AbortController();
    const seen: string[] = [];
    const watching = (async () => {
      for await (const { type, object } of client.watch(ConfigMap, { signal: end.signal, namespace: 'shop' })) {
        seen.push(`${type} ${(object as ConfigMap).metadata.name}`);
        if (type === 'DELETED') end.abort(new Error('enough'));
      }
    })();
    await client.create(ConfigMap, { metadata: key });
    await client.delete(ConfigMap, key);
    await expect(watching).rejects.toThrow('enough');
    expect(seen).toEqual(['ADDED a', 'ADDED cart', 'DELETED cart']);
  });

  it('SH-19: lists by shard selector', async () => {
    const client = new InMemoryClient({ objects: [configMap('a', 'shop'), configMap('a', 'default')] });
    const start = fnv1a64('shop');
    const shardSelector = { field: 'namespace', ranges: [{ start, end: start + 1n }] } as const;
    const { items } = await client.list(ConfigMap, { shardSelector });
    expect(items.map(({ metadata }) => metadata.namespace)).toEqual(['shop']);
  });
});

describe('writes of an in-memory client', () => {
  it.each<[string, (client: InMemoryClient, stale: ConfigMap) => Promise<unknown>]>([
    ['an update', (client, stale) => client.update(ConfigMap, stale)],
    [
      'a patch',
      (client, { metadata: { resourceVersion } }) =>
        client.patch(ConfigMap, key, { metadata: { resourceVersion } }, 'merge'),
    ],
    [
      'a delete',
      (client, { metadata: { resourceVersion } }) =>
        client.delete(ConfigMap, key, { preconditions: { resourceVersion } }),
    ],
    ['a delete by uid', (client) => client.delete(ConfigMap, key, { preconditions: { uid: 'other' } })],
  ])('K-11: %s of a version that is not the present one is a conflict', async (_, write) => {
    const client = new InMemoryClient();
    const stale = await client.create(ConfigMap, { metadata: key });
    await client.patch(ConfigMap, key, { data: { a: '1' } }, 'merge');
    expect(isConflict(await failureOf(write(client, stale)))).toBe(true);
    expect((await client.get(ConfigMap, key)).data).toEqual({ a: '1' });
  });

  it('K-12: patches with JSON patches, merge patches and strategic merge patches', async () => {
    const client = new InMemoryClient();
    await client.create(ConfigMap, { metadata: key, data: { a: '1', b: '2' } });
    expect((await client.patch(ConfigMap, key, { data: { a: null, c: '3' } }, 'merge')).data).toEqual({
      b: '2',
      c: '3',
    });
    const operations = [
      { op: 'test', path: '/data/b', value: '2' },
      { op: 'replace', path: '/data/b', value: '4' },
    ];
    expect((await client.patch(ConfigMap, key, operations, 'json')).data).toEqual({ b: '4', c: '3' });
    await expect(client.patch(ConfigMap, key, operations, 'json')).rejects.toMatchObject({
      status: 422,
      reason: 'Invalid',
    });
    const container = (name: string, image: string) => ({ name, image });
    await client.create(Pod, { metadata: key, spec: { containers: [container('a', 'a:1'), container('b', 'b:1')] } });
    const patched = await client.patch(Pod, key, { spec: { containers: [container('b', 'b:2')] } }, 'strategic');
    expect(patched.spec?.containers.map(({ image }) => image)).toEqual(['a:1', 'b:2']);
    await client.create(Cart, { metadata: key });
    await expect(client.patch(Cart, key, { spec: {} }, 'strategic')).rejects.toThrow('media type');
  });

  it('K-13: applies, reports conflicts with the manager, and removes fields that are no longer applied', async () => {
    const client = new InMemoryClient();
    const apply = (fieldManager: string, data: Record<string, string>, force = false) =>
      client.apply(ConfigMap, { metadata: key, data }, { fieldManager, force });
    await apply('one', { a: '1', b: '1' });
    const conflict = await failureOf(apply('two', { a: '2' }));
    expect(isConflict(conflict)).toBe(true);
    expect((conflict as Error).message).toContain('conflict with "one": .data.a');
    expect((await apply('two', { a: '2' }, true)).data).toEqual({ a: '2', b: '1' });
    const { data, metadata } = await apply('one', {});
    expect(data).toEqual({ a: '2' });
    expect(metadata.managedFields?.map(({ manager }) => manager).sort()).toEqual(['one', 'two']);
    await expect(client.apply(ConfigMap, { metadata: key })).rejects.toThrow('fieldManager');
    const status = client.status.apply(Cart, { metadata: key, status: { phase: 'Ready' } }, { fieldManager: 'one' });
    expect(isNotFound(await failureOf(status))).toBe(true);
  });

  it('K-13: applies to an initial object, whose fields have no manager until then', async () => {
    const client = new InMemoryClient({ objects: [{ ...configMap('cart'), data: { a: '1' } }] });
    expect((await client.get(ConfigMap, key)).metadata.managedFields).toBeUndefined();
    const options = { fieldManager: 'one' };
    expect((await client.apply(ConfigMap, { metadata: key, data: { b: '2' } }, options)).data).toEqual({
      a: '1',
      b: '2',
    });
    await expect(client.apply(ConfigMap, { metadata: key, data: { a: '2' } }, options)).rejects.toThrow(
      'conflict with "before-first-apply"',
    );
  });

  it('K-11: writes status separately from everything else', async () => {
    const client = new InMemoryClient({ objects: [deployment] });
    const settle = (replicas: number) =>
      createOrPatch(client, Deployment, key, (draft) => {
        draft.metadata.labels = { app: 'cart' };
        draft.status = { replicas };
      });
    expect(await settle(1)).toMatchObject({ result: 'updated', object: { status: { replicas: 1 } } });
    const draft = draftOf(await client.get(Deployment, key));
    draft.status = { replicas: 7 };
    expect((await client.update(Deployment, draft)).status).toEqual({ replicas: 1 });
    const current = draftOf(await client.get(Deployment, key));
    current.metadata.labels = {};
    current.status = { replicas: 2 };
    const { status, metadata } = await client.status.update(Deployment, current);
    expect([status, metadata.labels]).toEqual([{ replicas: 2 }, { app: 'cart' }]);
    const created = await client.create(Cart, { metadata: key, status: { phase: 'Ready' } });
    expect(created.status).toBeUndefined();
    expect((await client.status.patch(Cart, key, { status: { phase: 'New' } }, 'merge')).status).toEqual({
      phase: 'New',
    });
  });

  it('K-11: increases the generation with the spec, and not for metadata and status', async () => {
    const client = new InMemoryClient({
      objects: [{ ...deployment, metadata: { ...key, finalizers: ['example.com/a'] } }],
    });
    const patched = async (patch: object) => (await client.patch(Deployment, key, patch, 'merge')).metadata.generation;
    expect(await patched({ metadata: { labels: { a: 'b' } } })).toBe(1);
    expect(await patched({ spec: { replicas: 2 } })).toBe(2);
    expect(await patched({ spec: { replicas: 2 } })).toBe(2);
    const { metadata } = await client.status.patch(Deployment, key, { status: { replicas: 2 } }, 'merge');
    expect(metadata.generation).toBe(2);
    await client.delete(Deployment, key);
    expect((await client.get(Deployment, key)).metadata.generation).toBe(3);
  });

  it('K-13: reads and writes the scale of a built-in kind and of a definition', async () => {
    const client = new InMemoryClient({ objects: [deployment], crds: [cartDefinition] });
    const scale = client.subresource('scale', Scale);
    expect((await scale.get(Deployment, key)).spec?.replicas).toBe(1);
    await scale.patch(Deployment, key, { spec: { replicas: 3 } }, 'merge');
    expect((await client.get(Deployment, key)).spec?.replicas).toBe(3);
    await client.create(Cart, { metadata: key, spec: { size: 2 } });
    await scale.patch(Cart, key, { spec: { replicas: 4 } }, 'merge');
    expect((await client.get(Cart, key)).spec?.size).toBe(4);
  });

  it('K-14: keeps an object that is being deleted until its last finalizer is removed', async () => {
    const client = new InMemoryClient();
    const draft = await client.create(ConfigMap, { metadata: key });
    addFinalizer(draft, 'example.com/a');
    await client.update(ConfigMap, draft);
    await client.delete(ConfigMap, key);
    const released = draftOf(await client.get(ConfigMap, key));
    expect(released.metadata.deletionTimestamp).toBeDefined();
    released.metadata.finalizers = [];
    await client.update(ConfigMap, released);
    expect(await client.find(ConfigMap, key)).toBeUndefined();
    await client.create(ConfigMap, { metadata: key });
    await client.delete(ConfigMap, key);
    expect(await client.find(ConfigMap, key)).toBeUndefined();
  });

  it('K-14: deletes selected objects of a namespace', async () => {
    const client = new InMemoryClient({
      objects: [configMap('a', 'shop', { name: 'a' }), configMap('b'), configMap('a', 'other')],
    });
    await client.deleteCollection(ConfigMap, { namespace: 'shop', labelSelector: 'name=a' });
    const names = (await client.list(ConfigMap)).items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
    expect(names).toEqual(['other/a', 'shop/b']);
    await expect(client.deleteCollection(ConfigMap)).rejects.toThrow('options.namespace is missing');
  });

  it('K-15: does not store a dry run', async () => {
    const client = new InMemoryClient();
    const dry = dryRunClient(client);
    expect((await dry.create(ConfigMap, { metadata: key, data: { a: '1' } })).data).toEqual({ a: '1' });
    expect(await client.find(ConfigMap, key)).toBeUndefined();
    const created = await client.create(ConfigMap, { metadata: key });
    expect((await dry.patch(ConfigMap, key, { data: { a: '2' } }, 'merge')).data).toEqual({ a: '2' });
    await dry.update(ConfigMap, { metadata: key, data: { a: '3' } });
    await dry.delete(ConfigMap, key);
    await dry.deleteCollection(ConfigMap, { namespace: 'shop' });
    expect(await client.get(ConfigMap, key)).toEqual(created);
  });

  it('S-14: refuses whole objects of a metadata-only kind', async () => {
    const client = new InMemoryClient();
    await client.create(ConfigMap, { metadata: key, data: { a: '1' } });
    const Meta = partialMetadata(ConfigMap);
    const refused = 'found a kind with metadata only';
    await expect(client.create(Meta, { metadata: key })).rejects.toThrow(refused);
    await expect(client.update(Meta, { metadata: key })).rejects.toThrow(refused);
    await expect(client.status.update(Meta, { metadata: key })).rejects.toThrow(refused);
    await client.patch(Meta, key, { metadata: { labels: { app: 'cart' } } }, 'merge');
    expect((await client.get(ConfigMap, key)).data).toEqual({ a: '1' });
    expect(await client.get(Meta, key)).not.toHaveProperty('data');
  });

  it('S-14: refuses unknown options', async () => {
    const client = new InMemoryClient();
    const misspelt = { dryrun: true, labelselector: 'a=b' } as object;
    const object = { metadata: key };
    const calls = [
      () => client.get(ConfigMap, key, misspelt),
      () => client.find(ConfigMap, key, misspelt),
      () => client.list(ConfigMap, misspelt),
      () => client.create(ConfigMap, object, misspelt),
      () => client.update(ConfigMap, object, misspelt),
      () => client.patch(ConfigMap, key, {}, 'merge', misspelt),
      () => client.status.update(ConfigMap, object, misspelt),
      () => client.status.patch(ConfigMap, key, {}, 'merge', misspelt),
      () => client.delete(ConfigMap, key, misspelt),
      () => client.deleteCollection(ConfigMap, misspelt),
      () => client.table(ConfigMap, misspelt),
    ];
    for (const call of calls) await expect(call()).rejects.toThrow('unknown options "dryrun", "labelselector"');
    expect(() => new InMemoryClient({ crd: [] } as object)).toThrow('InMemoryClient: unknown option "crd"');
    expect(() => new InMemoryClient([] as object)).toThrow(
      'InMemoryClient: expected options as a plain object such as { objects: [...] }, found',
    );
  });

  it('K-16: reports what the server refuses, with its reasons', async () => {
    const client = new InMemoryClient();
    await expect(client.create(Deployment, { metadata: key })).rejects.toThrow('spec.selector: Required value');
    const pod = client.create(Pod, { metadata: key, spec: { containers: [{ name: 'a', image: 'a' }] } });
    await expect(pod).resolves.toMatchObject({ status: { phase: 'Pending' } });
    const scale = client.subresource('scale', Scale).get(Cart, key);
    expect(isNotFound(await failureOf(scale))).toBe(true);
    const misnamed = client.create(ConfigMap, { metadata: { namespace: 'shop', name: 'A_B' } });
    await expect(misnamed).rejects.toMatchObject({ status: 422, reason: 'Invalid' });
  });
});

describe('initial objects of an in-memory client', () => {
  it('keep their status and the metadata that a server sets', async () => {
    const metadata = {
      ...key,
      uid: 'uid-1',
      generation: 4,
      creationTimestamp: '2026-01-01T00:00:00Z',
      deletionTimestamp: '2026-01-02T00:00:00Z',
      finalizers: ['example.com/a'],
    };
    const client = new InMemoryClient({
      objects: [{ ...deployment, metadata, status: { replicas: 1, observedGeneration: 3 } }],
    });
    const read = await client.get(Deployment, key);
    expect(read).toMatchObject({ metadata, spec: { replicas: 1 }, status: { replicas: 1, observedGeneration: 3 } });
    expect(read.metadata.resourceVersion).toMatch(/^\d+$/);
    await client.patch(Deployment, key, { metadata: { finalizers: null } }, 'merge');
    expect(await client.find(Deployment, key)).toBeUndefined();
  });

  it('may be incomplete, and writes may leave them so', async () => {
    const client = new InMemoryClient({ objects: [deployment] });
    const labelled = await client.patch(Deployment, key, { metadata: { labels: { app: 'cart' } } }, 'merge');
    expect(labelled.spec?.selector).toBeUndefined();
    await expect(client.patch(Deployment, key, { spec: { replicas: -1 } }, 'merge')).rejects.toThrow(
      'Deployment.apps "cart" is invalid: spec.replicas: Invalid value: -1',
    );
  });

  it('are copied', async () => {
    const labels: Record<string, string> = { app: 'cart' };
    const client = new InMemoryClient({ objects: [configMap('cart', 'shop', labels)] });
    labels['app'] = 'till';
    expect((await client.get(ConfigMap, key)).metadata.labels).toEqual({ app: 'cart' });
  });

  it.each<[string, object, string]>([
    ['the wrong type of a field', { ...deployment, spec: { replicas: 'one' } }, 'objects[0]: apps/v1 Deployment cart:'],
    ['no namespace', { ...deployment, metadata: { name: 'cart' } }, 'Deployment is namespaced: set metadata.namespace'],
    [
      'a deletion without finalizers',
      { ...deployment, metadata: { ...key, deletionTimestamp: '2026-01-02T00:00:00Z' } },
      'metadata.deletionTimestamp is set, but no finalizer: add one, or leave the object out',
    ],
    ['no name', { ...deployment, metadata: { namespace: 'shop' } }, 'option "objects.0.metadata.name"'],
  ])('are refused by every call with %s', async (_, object, message) => {
    const client = new InMemoryClient({ objects: [object as typeof deployment] });
    await expect(client.list(Deployment)).rejects.toThrow(message);
    await expect(client.find(Deployment, key)).rejects.toThrow(message);
  });
});

describe('kinds of an in-memory client', () => {
  const directory = mkdtempSync(join(tmpdir(), 'mcr-crds-'));
  afterAll(() => rmSync(directory, { recursive: true }));

  it('K-19: accept all fields without a definition, in the scope and the versions that calls name', async () => {
    const Board = defineKind<Cart>({ apiVersion: 'example.com/v1', kind: 'Board' });
    const BoardV2 = defineKind<Cart>({ apiVersion: 'example.com/v2', kind: 'Board' });
    const Volume = defineKind<Cart>({ apiVersion: 'v1', kind: 'Volume', scope: 'Cluster' });
    const client = new InMemoryClient({
      objects: [{ apiVersion: 'example.com/v1', kind: 'Cart', metadata: key, spec: { a: 1 } }],
    });
    expect((await client.get(Cart, key)).spec).toEqual({ a: 1 });
    expect((await client.list(Board)).items).toEqual([]);
    await client.create(Board, { metadata: { name: 'a' }, spec: { size: 1 } });
    expect(await client.get(BoardV2, { name: 'a' })).toMatchObject({ apiVersion: 'example.com/v2', spec: { size: 1 } });
    await client.create(Volume, { metadata: { name: 'a' }, spec: { size: 1 } });
    expect(await client.get(Volume, { name: 'a' })).toMatchObject({ apiVersion: 'v1', kind: 'Volume' });
    expect((await client.status.patch(Volume, { name: 'a' }, { status: { phase: 'Ready' } }, 'merge')).status).toEqual({
      phase: 'Ready',
    });
    expect((await client.list(CustomResourceDefinition)).items).toEqual([]);
  });

  it('K-19: are validated, defaulted, pruned and selected by their definition', async () => {
    const client = new InMemoryClient({ crds: [cartDefinition] });
    const spec = { size: 1, unknown: true };
    expect((await client.create(Cart, { metadata: key, spec })).spec).toEqual({ size: 1, colour: 'blue' });
    await expect(client.patch(Cart, key, { spec: { size: 11 } }, 'merge')).rejects.toThrow(
      'spec.size in body should be less than or equal to 10',
    );
    expect((await client.list(Cart, { fieldSelector: 'spec.colour=blue' })).items).toHaveLength(1);
    const Other = defineKind({ apiVersion: 'example.com/v2', kind: 'Cart' });
    await expect(client.list(Other)).rejects.toThrow('example.com/v2');
    expect((await client.list(CustomResourceDefinition)).items).toHaveLength(1);
  });

  it('K-19: have the definitions of files', async () => {
    const file = join(directory, 'carts.yaml');
    writeFileSync(file, `# carts\n---\n${JSON.stringify(cartDefinition)}\n`);
    const client = new InMemoryClient({ crdPaths: [directory] });
    expect((await client.create(Cart, { metadata: key, spec: {} })).spec).toEqual({ colour: 'blue' });
    const missing = new InMemoryClient({ crdPaths: [join(directory, 'none')] });
    await expect(missing.list(Cart)).rejects.toThrow(/^crdPaths: .*none: no such file or directory$/);
  });

  it('K-19: name the file and the document of a definition that is refused, behind definitions of the test', async () => {
    const file = join(directory, 'several.yaml');
    const good = { ...cartDefinition, metadata: { name: 'jobs.example.com' } };
    const bad = { ...cartDefinition, metadata: { name: 'cart' } };
    const names = { kind: 'Job', plural: 'jobs' };
    writeFileSync(
      file,
      [{ ...good, spec: { ...good.spec, names } }, bad].map((crd) => JSON.stringify(crd)).join('\n---\n'),
    );
    for (const crds of [[], [cartDefinition]]) {
      const error = await failureOf(new InMemoryClient({ crds, crdPaths: [file] }).list(Cart));
      expect((error as Error).message).toMatch(
        /^crdPaths: .*several\.yaml, document 2: apiextensions.k8s.io\/v1 CustomResourceDefinition cart: .*metadata.name/,
      );
    }
    rmSync(file);
  });

  it('S-14: name the class in errors of initial objects and definitions', async () => {
    const { apiVersion: _, ...nameless } = configMap('cart');
    const client = new InMemoryClient({ objects: [nameless as ReturnType<typeof configMap>] });
    await expect(client.list(ConfigMap)).rejects.toThrow(/^InMemoryClient: option "objects\.0\.apiVersion": /);
    const { client: ofCluster } = new InMemoryCluster({ objects: [nameless as ReturnType<typeof configMap>] });
    await expect(ofCluster.list(ConfigMap)).rejects.toThrow(/^InMemoryCluster: option "objects\.0\.apiVersion": /);
  });

  it('K-19: say which definition is not valid', async () => {
    const client = new InMemoryClient({ crds: [{ ...cartDefinition, metadata: { name: 'cart' } }] });
    await expect(client.list(Cart)).rejects.toThrow(/^crds\[0\]: .*CustomResourceDefinition cart: .*metadata.name/);
  });
});

describe('an in-memory client under fake timers', () => {
  afterEach(() => void jest.useRealTimers());

  it('answers without timers', async () => {
    const client = new InMemoryClient();
    await client.list(ConfigMap);
    jest.useFakeTimers();
    await client.create(ConfigMap, { metadata: key });
    await client.apply(ConfigMap, { metadata: key, data: { a: '1' } }, { fieldManager: 'one' });
    expect((await client.list(ConfigMap)).items).toHaveLength(1);
    expect((await client.get(ConfigMap, key)).data).toEqual({ a: '1' });
    expect(jest.getTimerCount()).toBe(0);
  });
});
