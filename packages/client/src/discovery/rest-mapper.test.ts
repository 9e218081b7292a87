import { afterEach, describe, expect, it } from '@jest/globals';
import { isApiError } from '../response/api-error.ts';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { createTransport } from '../transport/create-transport.ts';
import { startPlainServer } from '../transport/server.fixture.ts';
import type { Transport } from '../transport/transport.ts';
import { ConfigMap } from '../kinds/builtin.ts';
import { defineKind } from '../kinds/kind.ts';
import { isNoKindMatch } from '../kinds/no-kind-match-error.ts';
import { createRestMapper } from './rest-mapper.ts';

const Widget = defineKind({ apiVersion: 'example.com/v1', kind: 'Widget' });
const Gadget = defineKind({ apiVersion: 'tools.example.com/v1beta1', kind: 'Gadget' });
const widgets = { name: 'widgets', kind: 'Widget', namespaced: true };

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** Returns a group of an aggregated document. */
function group(name: string, version: string, ...resources: readonly object[]) {
  return { metadata: { name }, versions: [{ version, freshness: 'Current', resources }] };
}

function aggregated(kind: string, resource: string, fields: object = {}) {
  return { resource, responseKind: { group: '', version: '', kind }, scope: 'Namespaced', verbs: ['get'], ...fields };
}

function aggregatedList(...items: object[]) {
  return { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {}, items };
}

interface Document {
  readonly status?: number;
  readonly etag?: string;
  readonly body: unknown;
}

const resources: AsyncDisposable[] = [];
afterEach(async () => {
  while (resources.length > 0) await resources.pop()?.[Symbol.asyncDispose]();
});

/** Disables retries, because they wait in real time. */
function tryingOnce(transport: Transport): Transport {
  return {
    send: (request) => transport.send({ ...request, retry: 'never' }),
    rotate: (config) => transport.rotate(config),
    onCredentials: (listener) => transport.onCredentials(listener),
    close: () => transport.close(),
    [Symbol.asyncDispose]: () => transport.close(),
  };
}

/**
 * Starts a server with documents by path and a mapper. `requested` contains the requested paths, `accepted` their `Accept`
 * headers.
 */
async function startMapper(documents: Readonly<Record<string, Document>>) {
  const requested: string[] = [];
  const accepted: (string | undefined)[] = [];
  const server = await startPlainServer((request, response) => {
    requested.push(request.url);
    accepted.push(request.headers.accept);
    const { status = 200, etag, body } = documents[request.url] ?? { status: 404, body: { kind: 'Status', code: 404 } };
    if (etag && request.headers['if-none-match'] === etag) {
      requested.push('not modified');
      response.writeHead(304);
      response.end();
      return;
    }
    response.writeHead(status, etag ? { etag } : {});
    response.end(JSON.stringify(body));
  });
  const transport = createTransport({ server: `http://127.0.0.1:${server.port}` });
  resources.push(server, transport);
  const clock = new VirtualClock();
  const once = tryingOnce(transport);
  return { mapper: createRestMapper(once, { clock }), requested, accepted, clock };
}

function discoveryOf(fields: object) {
  const resource = { resource: 'widgets', scope: 'Namespaced', ...fields };
  return { kind: 'APIGroupDiscoveryList', items: [{ versions: [{ version: 'v1', resources: [resource] }] }] };
}

describe('RestMapper', () => {
  it('uses the plural and scope of a kind without a request', async () => {
    const { mapper, requested } = await startMapper({});
    expect(await mapper.resolve(ConfigMap)).toEqual({
      group: '',
      version: 'v1',
      plural: 'configmaps',
      scope: 'Namespaced',
      path: '/api/v1',
    });
    expect(requested).toEqual([]);
  });

  it('K-17: discovers all kinds with one document', async () => {
    const { mapper, requested, accepted } = await startMapper({
      '/apis': {
        body: aggregatedList(
          group('example.com', 'v1', aggregated('Widget', 'widgets', { scope: 'Cluster' })),
          group('tools.example.com', 'v1beta1', aggregated('Gadget', 'gadgets'), {
            resource: 'oddities',
            scope: 'Cluster',
          }),
        ),
      },
    });
    const [widget, gadget] = await Promise.all([
      mapper.resolve(Widget),
      mapper.resolve(Gadget),
      mapper.resolve(Widget),
    ]);
    expect(widget).toEqual({
      group: 'example.com',
      version: 'v1',
      plural: 'widgets',
      scope: 'Cluster',
      path: '/apis/example.com/v1',
    });
    expect(gadget).toMatchObject({ plural: 'gadgets', scope: 'Namespaced', path: '/apis/tools.example.com/v1beta1' });
    expect(requested).toEqual(['/apis']);
    expect(accepted).toEqual([`${AGGREGATED},${AGGREGATED.replace('v2', 'v2beta1')},application/json`]);
  });

  it('S-8: ignores resources and versions whose names lead to another path', async () => {
    const names = ['../../../other/api/v1/secrets', '..', 'a/b', 'a%2fb', 'a?b', 'a#b', ''];
    const lies = names.map((name) => aggregated('Widget', name));
    const { mapper, requested } = await startMapper({
      '/api': { body: { kind: 'APIVersions', versions: ['../../other/api/v1', 'v1'] } },
      '/api/v1': {
        body: { resources: names.map((name) => ({ name, kind: 'Lie', namespaced: true })) },
      },
      '/apis': {
        body: aggregatedList(
          group('example.com', 'v1', ...lies),
          group('example.com', '../../../other/v1', aggregated('Widget', 'widgets')),
          group('..', 'v1', aggregated('Widget', 'widgets')),
        ),
      },
    });
    await expect(mapper.resolve(Widget)).rejects.toThrow('does not serve kind Widget of example.com/v1');
    expect(await mapper.resources()).toEqual([]);
    expect(requested.filter((url) => url.includes('..'))).toEqual([]);
  });

  it('K-17: discovers kinds of the core group, which has its own document', async () => {
    const { mapper, requested } = await startMapper({
      '/api': { body: aggregatedList(group('', 'v1', aggregated('Binding', 'bindings'))) },
    });
    const Binding = defineKind({ apiVersion: 'v1', kind: 'Binding' });
    expect(await mapper.resolve(Binding)).toMatchObject({ plural: 'bindings', path: '/api/v1' });
    expect(requested).toEqual(['/api']);
  });

  it.each([
    ['that has the plain list of groups', { body: { kind: 'APIGroupList', groups: [] } }],
    ['that refuses the list of groups', { status: 403, body: { kind: 'Status' } }],
    ['that cannot answer in that form', { status: 406, body: { kind: 'Status' } }],
    ['that has no list of groups', { status: 404, body: 'not found' }],
  ])('requests the document of the group version from a server %s', async (_, document) => {
    const { mapper, requested } = await startMapper({
      '/apis': document,
      '/apis/example.com/v1': {
        body: {
          resources: [
            { name: 'widgets/status', kind: 'Widget', namespaced: true },
            { ...widgets, namespaced: false },
          ],
        },
      },
    });
    expect(await mapper.resolve(Widget)).toMatchObject({ plural: 'widgets', scope: 'Cluster' });
    await mapper.resolve(Widget);
    await expect(mapper.resolve(Gadget)).rejects.toThrow('does not serve kind Gadget');
    expect(requested).toEqual(['/apis', '/apis/example.com/v1', '/apis/tools.example.com/v1beta1']);
  });

  it.each([
    null,
    {},
    { kind: 'APIGroupDiscoveryList', items: [{ versions: [{ resources: [{ resource: 7 }] }] }] },
    { kind: 'APIGroupList', groups: [{ versions: [{}] }] },
    { kind: 'APIVersions', versions: [1] },
    { kind: 'APIGroupDiscoveryList', items: [{ metadata: { name: {} }, versions: [] }] },
    { kind: 'APIGroupDiscoveryList', items: [{ versions: [{ version: 'v1', freshness: 7 }] }] },
    discoveryOf({ responseKind: { kind: {} } }),
    discoveryOf({ verbs: 7 }),
    discoveryOf({ shortNames: [{}] }),
  ])('refuses %j as a discovery document', async (body) => {
    const { mapper } = await startMapper({ '/apis': { body } });
    const error: unknown = await mapper.resolve(Widget).catch((reason: unknown) => reason);
    expect(isApiError(error)).toBe(true);
    expect(error).toMatchObject({ message: 'GET /apis: invalid response: the document is not a discovery document' });
  });

  it.each([
    null,
    {},
    { resources: null },
    { resources: [{ ...widgets, name: 7 }] },
    { resources: [{ ...widgets, verbs: {} }] },
  ])('refuses %j as the document of a group version', async (body) => {
    const { mapper } = await startMapper({ '/apis/example.com/v1': { body } });
    const error: unknown = await mapper.resolve(Widget).catch((reason: unknown) => reason);
    expect(isApiError(error)).toBe(true);
    expect(error).toMatchObject({
      message: 'GET /apis/example.com/v1: invalid response: the document is not a list of resources',
    });
  });

  it('names a missing kind in the error, and finds it within 10 s after it is added', async () => {
    const documents: Record<string, Document> = { '/apis': { body: aggregatedList(), etag: '"1"' } };
    const { mapper, requested, clock } = await startMapper(documents);
    const error: unknown = await mapper.resolve(Widget).catch((reason: unknown) => reason);
    expect(isNoKindMatch(error)).toBe(true);
    expect(String(error)).toContain('the cluster does not serve kind Widget of example.com/v1');

    await clock.advance(10_000);
    await expect(mapper.resolve(Widget)).rejects.toThrow('does not serve kind Widget');
    expect(requested).toEqual(['/apis', '/apis', 'not modified']);

    documents['/apis'] = {
      body: aggregatedList(group('example.com', 'v1', aggregated('Widget', 'widgets'))),
      etag: '"2"',
    };
    await clock.advance(9_999);
    await expect(mapper.resolve(Widget)).rejects.toThrow('does not serve kind Widget');
    expect(requested).toHaveLength(3);
    await clock.advance(1);
    const both = await Promise.all([mapper.resolve(Widget), mapper.resolve(Widget)]);
    expect(both[1].plural).toBe('widgets');
    expect(requested).toHaveLength(4);
  });

  it('K-17: requests a stale version separately, and does not report its kinds as not served', async () => {
    const documents: Record<string, Document> = {
      '/api': { body: aggregatedList() },
      '/apis': {
        body: aggregatedList({
          metadata: { name: 'example.com' },
          versions: [{ version: 'v1', freshness: 'Stale', resources: [aggregated('Former', 'formers')] }],
        }),
      },
      '/apis/example.com/v1': { status: 503, body: { kind: 'Status', reason: 'ServiceUnavailable' } },
    };
    const { mapper } = await startMapper(documents);
    const unavailable = { status: 503, reason: 'ServiceUnavailable' };
    await expect(mapper.resolve(Widget)).rejects.toMatchObject(unavailable);
    await expect(mapper.resources()).rejects.toMatchObject(unavailable);
    expect(await mapper.resolve({ ...Widget, kind: 'Former' })).toMatchObject({ plural: 'formers' });

    documents['/apis/example.com/v1'] = { body: { resources: [widgets] } };
    expect(await mapper.resolve(Widget)).toMatchObject({ plural: 'widgets' });
    expect(await mapper.resources()).toMatchObject([{ apiVersion: 'example.com/v1', plural: 'widgets' }]);
  });

  it('repeats discovery after a failure', async () => {
    const documents: Record<string, Document> = { '/apis': { status: 500, body: {} } };
    const { mapper } = await startMapper(documents);
    await expect(mapper.resolve(Widget)).rejects.toMatchObject({ status: 500 });
    documents['/apis'] = { body: aggregatedList(group('example.com', 'v1', aggregated('Widget', 'widgets'))) };
    expect((await mapper.resolve(Widget)).plural).toBe('widgets');
  });

  it('lists served resources from one document per root or from many', async () => {
    const verbs = ['get', 'list'];
    const whole = await startMapper({
      '/api': { body: aggregatedList(group('', 'v1', aggregated('Pod', 'pods', { verbs, shortNames: ['po'] }))) },
      '/apis': { body: aggregatedList(group('example.com', 'v1', aggregated('Widget', 'widgets', { verbs }))) },
    });
    const split = await startMapper({
      '/api': { body: { kind: 'APIVersions', versions: ['v1'] } },
      '/api/v1': { body: { resources: [{ name: 'pods', kind: 'Pod', namespaced: true, verbs, shortNames: ['po'] }] } },
      '/apis': { body: { kind: 'APIGroupList', groups: [{ versions: [{ groupVersion: 'example.com/v1' }] }] } },
      '/apis/example.com/v1': { body: { resources: [{ ...widgets, verbs }] } },
    });
    const expected = [
      { apiVersion: 'v1', kind: 'Pod', plural: 'pods', scope: 'Namespaced', verbs, shortNames: ['po'] },
      { apiVersion: 'example.com/v1', kind: 'Widget', plural: 'widgets', scope: 'Namespaced', verbs, shortNames: [] },
    ];
    expect(await whole.mapper.resources()).toEqual(expected);
    expect(await split.mapper.resources()).toEqual(expected);
    expect(whole.requested).toHaveLength(2);
  });
});
