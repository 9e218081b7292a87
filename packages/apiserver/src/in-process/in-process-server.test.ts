import { getEventListeners } from 'node:events';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { RestMapper } from '@mcr/client';
import { ConfigMap, createCache, createClient, createRestMapper, defineKind, Deployment, Namespace } from '@mcr/client';
import { builtInTypes } from '../resources/kind-table.ts';
import { apiVersionOf } from '../resources/resource-type.ts';
import type { InProcessServerOptions } from './in-process-server.ts';
import { createInProcessServer } from './in-process-server.ts';

const key = { namespace: 'shop', name: 'cart' };

function setUp(options?: InProcessServerOptions) {
  const server = createInProcessServer(options);
  const { transport } = server;
  const discovering = createRestMapper(transport);
  const restMapper: RestMapper = {
    resolve: async (kind) => server.locate(kind) ?? discovering.resolve(kind),
    forget: () => undefined,
    resources: () => discovering.resources(),
  };
  const client = createClient({ server: 'https://in-process.invalid' }, { transport, restMapper });
  return { server, transport, restMapper, client };
}

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

describe('a server in the process of its client', () => {
  afterEach(() => void jest.useRealTimers());

  it('K-17, K-20: serves documents and every built-in kind, from an empty start', async () => {
    const { client, transport, restMapper } = setUp();
    expect((await client.list(Namespace)).items).toEqual([]);
    for (const path of ['/version', '/openapi/v2', '/readyz', '/apis'] as const) {
      expect((await transport.send({ method: 'GET', path })).status).toBe(200);
    }
    const served = new Set((await restMapper.resources()).map(({ apiVersion, kind }) => `${apiVersion} ${kind}`));
    for (const type of builtInTypes) expect(served).toContain(`${apiVersionOf(type)} ${type.kind}`);
  });

  it('K-10: creates objects in namespaces that do not exist, and not in those that are deleted', async () => {
    const { client } = setUp();
    await client.create(ConfigMap, { metadata: key });
    await client.create(Namespace, { metadata: { name: 'till' } });
    await client.create(ConfigMap, { metadata: { namespace: 'till', name: 'a', finalizers: ['example.com/a'] } });
    await client.delete(Namespace, { name: 'till' });
    const late = client.create(ConfigMap, { metadata: { namespace: 'till', name: 'b' } });
    await expect(late).rejects.toThrow('because it is being terminated');
  });

  it('K-3: sends a list that is larger than a chunk, and fails to read it after a cancellation', async () => {
    const { client, transport } = setUp();
    const data = { text: 'x'.repeat(100_000) };
    for (let index = 0; index < 30; index++) {
      await client.create(ConfigMap, { metadata: { namespace: 'shop', name: `cart-${index}` }, data });
    }
    expect((await client.list(ConfigMap)).items).toHaveLength(30);
    const response = await transport.send({ method: 'GET', path: '/api/v1/configmaps' });
    expect(response.headers).toMatchObject({ 'content-type': 'application/json' });
    expect(JSON.parse(await textOf(response.body))).toMatchObject({ kind: 'ConfigMapList' });
    const unread = await transport.send({ method: 'GET', path: '/api/v1/configmaps' });
    unread.cancel();
    await expect(textOf(unread.body)).rejects.toThrow('the server ended the response early');
  });

  it('K-5: ends a watch when its signal aborts, and removes its listeners', async () => {
    const { client, transport } = setUp();
    await client.create(ConfigMap, { metadata: key });
    const end = new AbortController();
    const path = '/api/v1/configmaps?watch=true';
    const { body } = await transport.send({ method: 'GET', path, streaming: true, signal: end.signal });
    const lines = body[Symbol.asyncIterator]();
    expect(Buffer.from((await lines.next()).value as Uint8Array).toString()).toContain('"type":"ADDED"');
    end.abort(new Error('enough'));
    await expect(lines.next()).rejects.toThrow('enough');
    expect(getEventListeners(end.signal, 'abort')).toEqual([]);
    const refused = transport.send({ method: 'GET', path, streaming: true, signal: end.signal });
    await expect(refused).rejects.toThrow('enough');
  });

  it('fails at the deadline of a request that has to wait, and not while a watch is open', async () => {
    const { client, transport } = setUp();
    const path = '/api/v1/configmaps';
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance', 'Date'] });
    const future = transport.send({ method: 'GET', path: `${path}?resourceVersion=2`, timeout: 20 });
    const late = expect(future).rejects.toMatchObject({ code: 'deadline' });
    await jest.advanceTimersByTimeAsync(20);
    await late;
    await client.create(ConfigMap, { metadata: { ...key, name: 'second-version' } });
    const end = new AbortController();
    const request = { method: 'GET', path: `${path}?watch=true`, streaming: true, timeout: 20 } as const;
    const { body } = await transport.send({ ...request, signal: end.signal });
    const line = body[Symbol.asyncIterator]().next();
    await jest.advanceTimersByTimeAsync(40);
    await client.create(ConfigMap, { metadata: key });
    expect(Buffer.from((await line).value as Uint8Array).toString()).toContain('"type":"ADDED"');
    end.abort();
  });

  it('calls beforeSend before the request is served', async () => {
    const { client, transport } = setUp();
    const body = JSON.stringify({ metadata: { name: 'shop' } });
    const refuse = (): never => {
      throw new Error('not now');
    };
    const path = '/api/v1/namespaces';
    await expect(transport.send({ method: 'POST', path, body, beforeSend: refuse })).rejects.toThrow('not now');
    expect((await client.list(Namespace)).items).toEqual([]);
  });

  it('ends open responses when it is closed, and refuses later requests', async () => {
    const { server, transport } = setUp();
    const path = '/api/v1/configmaps?watch=true';
    const { body } = await transport.send({ method: 'GET', path, streaming: true });
    const read = textOf(body).catch((error: unknown) => error);
    await server.close();
    expect(await read).toMatchObject({ code: 'reset' });
    await expect(transport.send({ method: 'GET', path })).rejects.toMatchObject({ code: 'closed' });
  });

  it('K-8: syncs the cache of a client', async () => {
    const { client, restMapper } = setUp();
    await client.create(ConfigMap, { metadata: key });
    const cache = createCache({ client, restMapper });
    const end = new AbortController();
    const running = cache.run(end.signal);
    expect((await cache.list(ConfigMap)).items).toHaveLength(1);
    end.abort();
    await running;
  });

  it('K-20: stores an initial object of every built-in kind that has only a name', () => {
    for (const type of builtInTypes) {
      if (type.review || type.kind === 'CustomResourceDefinition') continue;
      const metadata = { name: 'a', ...(type.scope === 'Namespaced' && { namespace: 'shop' }) };
      createInProcessServer({ objects: [{ apiVersion: apiVersionOf(type), kind: type.kind, metadata }] });
    }
  });

  it('K-19: keeps the scope of a kind that its first object determined', async () => {
    const { server } = setUp();
    const Board = defineKind({ apiVersion: 'example.com/v1', kind: 'Policy' });
    expect(server.locate(Board)).toMatchObject({ plural: 'policies', scope: 'Namespaced' });
    expect(server.locate(Board, 'Cluster')).toMatchObject({ scope: 'Cluster', path: '/apis/example.com/v1' });
    expect(server.locate(Board)).toMatchObject({ scope: 'Cluster' });
    expect(() => server.locate(Board, 'Namespaced')).toThrow(
      'Policy is used with a namespace, but an initial object or an earlier call has none: set it in all of them',
    );
    expect(server.locate(Deployment)).toMatchObject({ plural: 'deployments', path: '/apis/apps/v1' });
  });

  it('K-19: replaces a kind without a definition by one that is created later', async () => {
    const { client } = setUp();
    const Board = defineKind<{ spec?: object }>({ apiVersion: 'example.com/v1', kind: 'Board' });
    await client.create(Board, { metadata: key, spec: { a: 1 } });
    const schema = { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object' } } } };
    const definition = {
      metadata: { name: 'boards.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { kind: 'Board', plural: 'boards' },
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    };
    const Definition = defineKind({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' });
    await client.create(Definition, definition);
    expect((await client.create(Board, { metadata: { ...key, name: 'b' }, spec: { a: 1 } })).spec).toEqual({});
    await expect(client.status.patch(Board, key, { status: {} }, 'merge')).rejects.toThrow('not found');
  });

  it.each<[object, string]>([
    [{ object: [] }, 'createInProcessServer: unknown option "object"'],
    [{ objects: [{ kind: 'Pod' }] }, 'option "objects.0.apiVersion"'],
    [
      { crds: [{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } }] },
      'crds[0]: v1 Pod a: expected a CustomResourceDefinition',
    ],
  ])('refuses the options %j', (options, message) => {
    expect(() => createInProcessServer(options)).toThrow(message);
  });
});
