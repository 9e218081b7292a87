import { describe, expect, it } from '@jest/globals';
import { ConfigMap, Deployment, Namespace, Scale } from '../kinds/builtin.ts';
import { defineKind, type Kind } from '../kinds/kind.ts';
import type { DeepReadonly, KubernetesObject, ObjectKey } from '../kinds/object.ts';
import type { RestMapper } from '../discovery/rest-mapper.ts';
import type { TransportRequest } from '../transport/transport.ts';
import { clientRespondingWith } from './respond-with.fixture.ts';
import { ApiError } from '../response/api-error.ts';
import type { Client } from './client.ts';
import { createClient } from './create-client.ts';
import { delegatingClient } from './delegating-client.ts';
import { interceptClient } from './intercept-client.ts';
import { namespacedClient } from './namespaced-client.ts';
import { packedReaderOf } from './packed-reader.ts';
import { dryRunClient, withFieldManager, withFieldValidation } from './write-options-client.ts';

const key = { namespace: 'ns', name: 'a' };
const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: key };
const { signal } = new AbortController();

async function drain(events: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of events) continue;
}

/** Every read of a client: of one object, or of the objects in `namespace`. */
const reads = (client: Client, { namespace, name }: { readonly namespace?: string; readonly name: string }) => {
  const place = namespace === undefined ? {} : { namespace };
  return [
    () => client.get(ConfigMap, { ...place, name }),
    () => client.find(ConfigMap, { ...place, name }),
    () => client.subresource('scale', Scale).get(Deployment, { ...place, name }),
    () => client.list(ConfigMap, { ...place, labelSelector: 'a' }),
    () => client.table(ConfigMap, place),
    () => drain(client.watch(ConfigMap, { ...place, signal })),
    () => drain(packedReaderOf(client).list(ConfigMap, { ...place, labelSelector: 'b' })),
    () => drain(packedReaderOf(client).watch(ConfigMap, { ...place, signal })),
  ];
};

/** Every write of a client except deletions. Only applies name a field manager. */
const writes = (
  client: Client,
  target: { readonly namespace?: string; readonly name: string },
  fieldManager = 'me',
) => {
  const draft = { metadata: target };
  const scale = client.subresource('scale', Scale);
  // The key names the namespace.
  const body = { metadata: { name: target.name } };
  return [
    () => client.create(ConfigMap, draft),
    () => client.update(ConfigMap, draft),
    () => client.patch(ConfigMap, target, {}, 'merge'),
    () => client.apply(ConfigMap, draft, { fieldManager }),
    () => client.status.update(ConfigMap, draft),
    () => client.status.patch(ConfigMap, target, {}, 'merge'),
    () => client.status.apply(ConfigMap, draft, { fieldManager }),
    () => scale.create(Deployment, target, body),
    () => scale.update(Deployment, target, body),
    () => scale.patch(Deployment, target, {}, 'merge'),
    () => scale.apply(Deployment, target, body, { fieldManager }),
  ];
};

const deletions = (client: Client, { namespace, name }: { readonly namespace?: string; readonly name: string }) => {
  const place = namespace === undefined ? {} : { namespace };
  return [() => client.delete(ConfigMap, { ...place, name }), () => client.deleteCollection(ConfigMap, place)];
};

const everyCall = (client: Client, target: { readonly namespace?: string; readonly name: string }) => [
  ...reads(client, target),
  ...writes(client, target),
  ...deletions(client, target),
];

/** Returns the requests that `calls` send to the server. */
async function requestsOf(wrap: (client: Client) => Client, calls: (client: Client) => (() => Promise<unknown>)[]) {
  // The body is valid as an object, as a list and as a table, and as a watch without events.
  const target = clientRespondingWith({ body: { ...object, items: [], columnDefinitions: [], rows: [] } });
  const quiet: Client = {
    ...delegatingClient(target.client),
    // The response above is not a watch event.
    watch: (kind, options) => endedQuietly(target.client.watch(kind, options)),
  };
  for (const call of calls(wrap(quiet))) await call();
  return target;
}

/** Returns requests with their bodies parsed, so that the order of fields does not matter. */
const plain = (requests: readonly TransportRequest[]) =>
  requests.map(({ method, path, headers, body = 'null' }) => ({
    method,
    path,
    headers,
    body: JSON.parse(body) as unknown,
  }));

async function* failing(error: Error): AsyncGenerator<never, void, undefined> {
  yield* [];
  throw await Promise.resolve(error);
}

async function* endedQuietly<T>(events: AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
  try {
    yield* events;
  } catch {
    // See above.
  }
}

describe('delegatingClient', () => {
  it('passes every call on unchanged', async () => {
    const direct = await requestsOf(
      (client) => client,
      (client) => everyCall(client, key),
    );
    const delegated = await requestsOf(delegatingClient, (client) => everyCall(client, key));
    expect(plain(delegated.requests)).toEqual(plain(direct.requests));
    expect(direct.requests).toHaveLength(21);
  });
});

describe('namespacedClient', () => {
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
    const Team = defineKind({ apiVersion: 'example.com/v1', kind: 'Team' });
    for (const call of [
      namespacedClient(client, 'shop').get(Team, { name: 'a' }),
      namespacedClient(client, 'shop').list(Team),
    ]) {
      await expect(call).rejects.toThrow(
        `example.com/v1 Team is cluster-scoped: remove the namespace (found "shop"), and define the kind with scope: 'Cluster'`,
      );
    }
  });

  const inNamespace = (client: Client) => namespacedClient(client, 'ns');

  it('uses its namespace for calls that name none', async () => {
    const named = await requestsOf(
      (client) => client,
      (client) => everyCall(client, key),
    );
    const unnamed = await requestsOf(inNamespace, (client) => everyCall(client, { name: 'a' }));
    expect(plain(unnamed.requests)).toEqual(plain(named.requests));
    const same = await requestsOf(inNamespace, (client) => everyCall(client, key));
    expect(plain(same.requests)).toEqual(plain(named.requests));
  });

  it('refuses every call to another namespace', async () => {
    const target = clientRespondingWith({ body: object });
    const calls = everyCall(inNamespace(target.client), { namespace: 'other', name: 'a' });
    for (const call of calls) {
      await expect((async () => call())()).rejects.toThrow(
        /in namespace "other": this client is limited to namespace "ns"$/,
      );
    }
    expect(target.requests).toEqual([]);
  });

  it('passes cluster-scoped kinds unchanged, and treats a kind of unknown scope as namespaced', async () => {
    const Widget = defineKind({ apiVersion: 'example.com/v1', kind: 'Widget', plural: 'widgets' });
    const { requestLines } = await requestsOf(inNamespace, (client) => [
      () => client.get(Namespace, { name: 'other' }),
      () => client.create(Namespace, { metadata: { name: 'other' } }),
    ]);
    expect(requestLines).toEqual(['GET /api/v1/namespaces/other', 'POST /api/v1/namespaces']);
    const { client } = clientRespondingWith({ body: object });
    await expect(inNamespace(client).get(Widget, { namespace: 'other', name: 'a' })).rejects.toThrow(
      'limited to namespace "ns"',
    );
    expect(() => namespacedClient(client, '')).toThrow('is empty');
  });
});

describe('dryRunClient', () => {
  it('K-15: makes every write a dry run', async () => {
    const { requests } = await requestsOf(dryRunClient, (client) => [
      ...writes(client, key),
      ...deletions(client, key),
    ]);
    expect(requests).toHaveLength(13);
    for (const { method, path, body = '' } of requests) {
      expect(method === 'DELETE' ? body : path).toMatch(method === 'DELETE' ? /"dryRun":\["All"\]/ : /[?&]dryRun=All/);
    }
  });

  it('K-15: ignores dryRun: false of a call', async () => {
    const { requestLines } = await requestsOf(dryRunClient, (client) => [
      () => client.create(ConfigMap, { metadata: key }, { dryRun: false, fieldManager: 'me' }),
    ]);
    expect(requestLines).toEqual(['POST /api/v1/namespaces/ns/configmaps?fieldManager=me&dryRun=All']);
  });
});

describe('withFieldManager and withFieldValidation', () => {
  it('K-15: set the field manager of every write, unless the call sets it', async () => {
    const wrap = (client: Client) => withFieldManager(client, 'cart');
    const { requests } = await requestsOf(wrap, (client) => writes(client, key, 'cart'));
    for (const { path } of requests) expect(path).toMatch(/\?fieldManager=cart$/);
    const { requestLines } = await requestsOf(wrap, (client) => [
      () => client.apply(ConfigMap, { metadata: key }),
      () => client.apply(ConfigMap, { metadata: key }, { fieldManager: 'other' }),
    ]);
    expect(requestLines.map((line) => line.split('?')[1])).toEqual(['fieldManager=cart', 'fieldManager=other']);
  });

  it('K-15: set the field validation of every write, unless the call sets it', async () => {
    const wrap = (client: Client) => withFieldValidation(client, 'Strict');
    const { requests } = await requestsOf(wrap, (client) => writes(client, key));
    for (const { path } of requests) expect(path).toMatch(/[?&]fieldValidation=Strict$/);
    const { requestLines } = await requestsOf(wrap, (client) => [
      () => client.create(ConfigMap, { metadata: key }, { fieldValidation: 'Ignore' }),
    ]);
    expect(requestLines).toEqual(['POST /api/v1/namespaces/ns/configmaps?fieldValidation=Ignore']);
  });
});

describe('interceptClient', () => {
  it('calls the hook with the inner client, and that client for all other methods', async () => {
    const target = clientRespondingWith({ body: object });
    const seen: string[] = [];
    const client = interceptClient(target.client, (inner) => ({
      async update(kind, draft, options) {
        seen.push(kind.kind);
        return inner.update(kind, draft, { ...options, fieldManager: 'hook' });
      },
      status: { ...inner.status, patch: () => Promise.reject(new ApiError({ code: 503 })) },
    }));
    await client.update(ConfigMap, object);
    await client.get(ConfigMap, key);
    await expect(client.status.patch(ConfigMap, key, {}, 'merge')).rejects.toMatchObject({ status: 503 });
    await client.status.update(ConfigMap, object);
    expect(seen).toEqual(['ConfigMap']);
    expect(target.requestLines).toEqual([
      'PUT /api/v1/namespaces/ns/configmaps/a?fieldManager=hook',
      'GET /api/v1/namespaces/ns/configmaps/a',
      'PUT /api/v1/namespaces/ns/configmaps/a/status',
    ]);
  });

  it('uses a hook of get for find, and hooks of list and watch for caches', async () => {
    let code = 404;
    const client = interceptClient(clientRespondingWith({ body: object }).client, () => ({
      get: () => Promise.reject(new ApiError({ code })),
      list: () => Promise.reject(new ApiError({ code: 429 })),
      watch: () => failing(new ApiError({ code: 410 })),
    }));
    expect(await client.find(ConfigMap, key)).toBeUndefined();
    code = 500;
    await expect(client.find(ConfigMap, key)).rejects.toMatchObject({ status: 500 });
    const packed = packedReaderOf(client);
    await expect(drain(packed.list(ConfigMap, {}))).rejects.toMatchObject({ status: 429 });
    await expect(drain(packed.watch(ConfigMap, { signal }))).rejects.toMatchObject({ status: 410 });
  });

  it('accepts an instance of a class and binds its methods', async () => {
    class CountedReads implements Pick<Client, 'get'> {
      count = 0;
      readonly #inner: Client;
      constructor(inner: Client) {
        this.#inner = inner;
      }
      get<T extends KubernetesObject>(kind: Kind<T>, objectKey: ObjectKey): Promise<DeepReadonly<T>> {
        this.count += 1;
        return this.#inner.get(kind, objectKey);
      }
    }
    const target = clientRespondingWith({ body: object });
    const reads = new CountedReads(target.client);
    const client = interceptClient(target.client, () => reads);
    await client.get(ConfigMap, key);
    await client.find(ConfigMap, key);
    expect(reads.count).toBe(2);
    expect(target.requestLines).toHaveLength(2);
  });
});
