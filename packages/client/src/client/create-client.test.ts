import { describe, expect, it } from '@jest/globals';
import { ConfigMap, Namespace } from '../kinds/builtin.ts';
import { defineKind, partialMetadata } from '../kinds/kind.ts';
import { clientRespondingWith, type Answer } from './respond-with.fixture.ts';
import {
  isAlreadyExists,
  isApiError,
  isConflict,
  isGone,
  isInvalid,
  isNotFound,
  isTooManyRequests,
} from '../response/api-error.ts';
import type { CallOptions, Client } from './client.ts';
import { unpacked } from '../packed/unpacked.fixture.ts';
import { createClient } from './create-client.ts';
import { packedReaderOf } from './packed-reader.ts';

const Widget = defineKind({ apiVersion: 'example.com/v1', kind: 'Widget' });
const metadata = {
  name: 'a',
  namespace: 'ns',
  uid: 'u',
  resourceVersion: '7',
  creationTimestamp: '2026-01-01T00:00:00Z',
};
const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { k: 'v' } };

describe('paths', () => {
  it('reads and writes a namespaced object of the core group', async () => {
    const target = clientRespondingWith({ body: object });
    const key = { namespace: 'ns', name: 'a' };
    await target.client.get(ConfigMap, key, { resourceVersion: '0' });
    await target.client.create(ConfigMap, { metadata: key });
    await target.client.update(ConfigMap, object, { fieldManager: 'me', dryRun: true, fieldValidation: 'Strict' });
    await target.client.status.update(ConfigMap, object);
    await target.client.patch(ConfigMap, key, {}, 'merge');
    await target.client.status.patch(ConfigMap, key, [], 'json');
    await target.client.delete(ConfigMap, key);
    expect(target.requestLines).toEqual([
      'GET /api/v1/namespaces/ns/configmaps/a?resourceVersion=0',
      'POST /api/v1/namespaces/ns/configmaps',
      'PUT /api/v1/namespaces/ns/configmaps/a?fieldManager=me&dryRun=All&fieldValidation=Strict',
      'PUT /api/v1/namespaces/ns/configmaps/a/status',
      'PATCH /api/v1/namespaces/ns/configmaps/a',
      'PATCH /api/v1/namespaces/ns/configmaps/a/status',
      'DELETE /api/v1/namespaces/ns/configmaps/a',
    ]);
  });

  it('reads cluster-scoped objects and objects of a named group', async () => {
    const Widget = defineKind({ apiVersion: 'example.com/v1', kind: 'Widget', plural: 'widgets', scope: 'Cluster' });
    const target = clientRespondingWith({ body: object });
    await target.client.get(Namespace, { name: 'ns' });
    await target.client.get(Widget, { namespace: '', name: 'system:x y' });
    expect(target.requestLines).toEqual([
      'GET /api/v1/namespaces/ns',
      'GET /apis/example.com/v1/widgets/system%3Ax%20y',
    ]);
  });

  it.each(['.', '..', 'a/b', '../secrets/x', '%2e%2e'])(
    'refuses the name %j before sending a request',
    async (name) => {
      const target = clientRespondingWith({ body: object });
      await expect(target.client.get(ConfigMap, { namespace: 'ns', name })).rejects.toThrow(
        /is not a valid name: expected/,
      );
      await expect(target.client.list(ConfigMap, { namespace: name })).rejects.toThrow(
        /is not a valid namespace: expected/,
      );
      expect(target.requests).toEqual([]);
    },
  );

  it('refuses a namespace that does not match the scope of the kind', async () => {
    const { client } = clientRespondingWith({ body: object });
    await expect(client.get(ConfigMap, { name: 'a' })).rejects.toThrow('v1 ConfigMap is namespaced');
    await expect(client.create(ConfigMap, { metadata: { name: 'a' } })).rejects.toThrow('v1 ConfigMap is namespaced');
    await expect(client.get(Namespace, { namespace: 'x', name: 'a' })).rejects.toThrow(
      'v1 Namespace is cluster-scoped',
    );
  });
});

describe('reads', () => {
  it('returns the object as the server sent it, including unknown fields', async () => {
    const { client } = clientRespondingWith({ body: { ...object, unknown: { deep: [1, null] } } });
    expect(await client.get(ConfigMap, { namespace: 'ns', name: 'a' })).toEqual({
      ...object,
      unknown: { deep: [1, null] },
    });
  });

  it('lists with selectors and pages, and sets the kind that the server omits from items', async () => {
    const target = clientRespondingWith({
      body: { metadata: { resourceVersion: '9', continue: 'c' }, items: [{ metadata }] },
    });
    const list = await target.client.list(ConfigMap, {
      namespace: 'ns',
      labelSelector: 'app in (a,b)',
      fieldSelector: 'metadata.name=a',
      resourceVersion: '0',
      resourceVersionMatch: 'NotOlderThan',
      limit: 500,
      continue: 't=',
    });
    expect(list).toEqual({
      metadata: { resourceVersion: '9', continue: 'c' },
      items: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata }],
    });
    expect(target.requestLines).toEqual([
      'GET /api/v1/namespaces/ns/configmaps?labelSelector=app+in+%28a%2Cb%29&fieldSelector=metadata.name%3Da' +
        '&resourceVersion=0&resourceVersionMatch=NotOlderThan&limit=500&continue=t%3D',
    ]);
  });

  it('requests metadata only, and keeps the kind of the objects', async () => {
    const partial = { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata', metadata };
    const target = clientRespondingWith({ body: { metadata: { resourceVersion: '9' }, items: [partial] } });
    const { items } = await target.client.list(partialMetadata(ConfigMap));
    expect(items).toEqual([{ apiVersion: 'v1', kind: 'ConfigMap', metadata }]);
    expect(target.requests[0]?.headers?.['accept']).toBe(
      'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
    );
  });

  it('find returns undefined for a missing object, and throws other errors', async () => {
    const status = { kind: 'Status', reason: 'NotFound', code: 404, message: 'configmaps "a" not found' };
    const missing = clientRespondingWith({ status: 404, body: status }).client;
    expect(await missing.find(ConfigMap, { namespace: 'ns', name: 'a' })).toBeUndefined();
    const forbidden = clientRespondingWith({ status: 403, body: { kind: 'Status', reason: 'Forbidden' } }).client;
    await expect(forbidden.find(ConfigMap, { namespace: 'ns', name: 'a' })).rejects.toMatchObject({ status: 403 });
  });
});

describe('writes', () => {
  it('sets apiVersion and kind, and refuses an object of another kind', async () => {
    const target = clientRespondingWith({ status: 201, body: object });
    expect(
      await target.client.create(ConfigMap, { metadata: { name: 'a', namespace: 'ns' }, data: { k: 'v' } }),
    ).toEqual(object);
    expect(JSON.parse(target.requests[0]?.body ?? '')).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', namespace: 'ns' },
      data: { k: 'v' },
    });
    await expect(target.client.update(ConfigMap, { ...object, kind: 'Secret' })).rejects.toThrow(
      'kind is "Secret": expected an object of v1 ConfigMap',
    );
  });

  it.each([
    ['merge', 'application/merge-patch+json'],
    ['json', 'application/json-patch+json'],
    ['strategic', 'application/strategic-merge-patch+json'],
  ] as const)('K-12: sends a %s patch as %s', async (type, contentType) => {
    const target = clientRespondingWith({ body: object });
    await target.client.patch(ConfigMap, { namespace: 'ns', name: 'a' }, { data: { k: null } }, type);
    expect(target.requests[0]).toMatchObject({
      body: '{"data":{"k":null}}',
      headers: { 'content-type': contentType },
    });
  });

  it('K-14: sends the preconditions and the propagation policy of a deletion', async () => {
    const target = clientRespondingWith({ body: { kind: 'Status', status: 'Success' } });
    const options = { preconditions: { uid: 'u' }, propagationPolicy: 'Foreground', dryRun: true } as const;
    await target.client.delete(ConfigMap, { namespace: 'ns', name: 'a' }, options);
    expect(JSON.parse(target.requests[0]?.body ?? '')).toEqual({
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      preconditions: { uid: 'u' },
      propagationPolicy: 'Foreground',
      dryRun: ['All'],
    });
  });
});

describe('invalid responses', () => {
  it('reads a list whose items are null as an empty list, because Go encodes a nil slice as null', async () => {
    const { client } = clientRespondingWith({ body: { metadata: { resourceVersion: '7' }, items: null } });
    expect(await client.list(ConfigMap)).toEqual({ metadata: { resourceVersion: '7' }, items: [] });
  });

  it.each([
    ['null', 'null', 'the document is null, expected an object'],
    ['an object', object, 'items is missing'],
    ['a list without metadata', { items: [] }, 'metadata is missing'],
    ['a list of text', { metadata: {}, items: ['c2VjcmV0'] }, 'items[0] is a string, expected an object'],
    ['objects without metadata', { metadata: {}, items: [{ data: {} }] }, 'items[0].metadata is missing'],
    [
      'a name of another type',
      { metadata: {}, items: [{ metadata: { name: [] } }] },
      'items[0].metadata.name is an array, expected a string',
    ],
    ['items of another type', { metadata: {}, items: {} }, 'items is an object, expected an array'],
    [
      'a version of another type',
      { metadata: { resourceVersion: 7 }, items: [] },
      'metadata.resourceVersion is a number, expected a string',
    ],
    [
      'a token of another type',
      { metadata: { continue: {} }, items: [] },
      'metadata.continue is an object, expected a string',
    ],
  ])('S-14: refuses %s as a list', async (_, body, problem) => {
    const message = `list of v1 ConfigMap: invalid response: ${problem}`;
    const error: unknown = await clientRespondingWith({ body })
      .client.list(ConfigMap)
      .catch((reason: unknown) => reason);
    expect(isApiError(error)).toBe(true);
    expect(error).toMatchObject({ status: 200, message });
  });
});

describe('an aborted call', () => {
  it.each([
    ['get', (client: Client, options: CallOptions) => client.get(Widget, { name: 'a' }, options)],
    ['list', (client: Client, options: CallOptions) => client.list(Widget, options)],
    ['create', (client: Client, options: CallOptions) => client.create(Widget, { metadata: {} }, options)],
    ['update', (client: Client, options: CallOptions) => client.update(Widget, { metadata: { name: 'a' } }, options)],
    ['patch', (client: Client, options: CallOptions) => client.patch(Widget, { name: 'a' }, {}, 'merge', options)],
    ['delete', (client: Client, options: CallOptions) => client.delete(Widget, { name: 'a' }, options)],
    [
      'watch',
      (client: Client, { signal = AbortSignal.abort() }: CallOptions) =>
        client.watch(Widget, { signal })[Symbol.asyncIterator]().next(),
    ],
  ])('%s: does not wait for the discovery of its kind', async (_, call) => {
    const pending = () => new Promise<never>(() => undefined);
    const restMapper = { resolve: pending, resources: pending, forget: () => undefined };
    const client = createClient({ server: 'https://h' }, { restMapper });
    const caller = new AbortController();
    const ended = expect(call(client, { signal: caller.signal })).rejects.toThrow('no longer needed');
    caller.abort(new Error('no longer needed'));
    await ended;
  });
});

describe('watch', () => {
  const { signal } = new AbortController();

  it('K-8: requests the initial events, and yields events that arrived together as one batch', async () => {
    const events = [
      { type: 'ADDED', object },
      { type: 'BOOKMARK', object: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { resourceVersion: '9' } } },
    ];
    const target = clientRespondingWith({ body: events.map((event) => `${JSON.stringify(event)}\n`).join('') });
    const batches: unknown[] = [];
    const options = { signal, sendInitialEvents: true, timeoutSeconds: 300, resourceVersion: '5' };
    for await (const items of packedReaderOf(target.client).watch(ConfigMap, options)) {
      batches.push(
        items.flatMap<unknown>((item) =>
          item.type === 'objects' ? unpacked(item.batch).map(({ type, object }) => ({ type, object })) : item,
        ),
      );
    }
    expect(batches).toEqual([events]);
    expect(target.requests[0]).toMatchObject({ streaming: true, signal });
    expect(target.requestLines).toEqual([
      'GET /api/v1/configmaps?watch=true&allowWatchBookmarks=true&resourceVersion=5&sendInitialEvents=true' +
        '&resourceVersionMatch=NotOlderThan&timeoutSeconds=300',
    ]);
  });

  it('yields events one by one, and sets the kind of metadata-only objects', async () => {
    const partial = { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata', metadata };
    const { client } = clientRespondingWith({ body: `${JSON.stringify({ type: 'DELETED', object: partial })}\n` });
    const events: unknown[] = [];
    for await (const event of client.watch(partialMetadata(ConfigMap), { signal })) events.push(event);
    expect(events).toEqual([{ type: 'DELETED', object: { apiVersion: 'v1', kind: 'ConfigMap', metadata } }]);
  });

  it('K-5: throws when the server refuses a version that is too old', async () => {
    const { client } = clientRespondingWith({ status: 410, body: { kind: 'Status', code: 410, reason: 'Expired' } });
    const events = client.watch(ConfigMap, { signal })[Symbol.asyncIterator]();
    const error: unknown = await events.next().catch((reason: unknown) => reason);
    expect(isGone(error)).toBe(true);
  });
});

describe('ApiError', () => {
  const errorOf = async (answer: Answer) => {
    const error: unknown = await clientRespondingWith(answer)
      .client.get(ConfigMap, { namespace: 'ns', name: 'a' })
      .catch((reason: unknown) => reason);
    if (!isApiError(error)) throw new Error('expected an ApiError', { cause: error });
    return error;
  };

  it('K-16: contains the reason, details and message of the Status', async () => {
    const details = { name: 'a', kind: 'configmaps', causes: [{ field: 'data', reason: 'FieldValueInvalid' }] };
    const body = { kind: 'Status', reason: 'Invalid', code: 422, message: 'ConfigMap "a" is invalid', details };
    const error = await errorOf({ status: 422, body });
    expect(error).toMatchObject({ status: 422, reason: 'Invalid', details, message: 'ConfigMap "a" is invalid' });
    expect(isInvalid(error)).toBe(true);
    expect(isNotFound(error)).toBe(false);
  });

  it('distinguishes a conflict from an existing object', async () => {
    const exists = await errorOf({ status: 409, body: { kind: 'Status', reason: 'AlreadyExists' } });
    const conflict = await errorOf({ status: 409, body: { kind: 'Status', reason: 'Conflict' } });
    expect([isAlreadyExists(exists), isConflict(exists)]).toEqual([true, false]);
    expect([isAlreadyExists(conflict), isConflict(conflict)]).toEqual([false, true]);
  });

  it('F-6: contains the retry delay in milliseconds', async () => {
    const busy = await errorOf({ status: 429, headers: { 'retry-after': '3' }, body: 'busy' });
    expect(isTooManyRequests(busy)).toBe(true);
    expect(busy.retryAfter).toBe(3000);
    const status = { kind: 'Status', reason: 'Timeout', details: { retryAfterSeconds: 1 } };
    expect((await errorOf({ status: 504, body: status })).retryAfter).toBe(1000);
    expect((await errorOf({ status: 500, body: 'x' })).retryAfter).toBeUndefined();
  });

  it('S-4: describes a body that is not a Status without repeating it', async () => {
    // Some proxies echo the headers of the request.
    const echoed = { status: 502, headers: { 'content-type': 'text/html; charset=utf-8' } };
    const error = await errorOf({ ...echoed, body: '<html>authorization: Bearer canary</html>' });
    expect(error.message).toBe(
      'get of v1 ConfigMap: the server answered 502 with 41 characters of text/html instead of a Status object',
    );
    expect((await errorOf({ status: 500, body: '' })).message).toBe(
      'get of v1 ConfigMap: the server answered 500 without a body',
    );
    const untyped = await errorOf({ status: 500, body: '{"kind":"List"}' });
    expect(untyped.message).toBe(
      'get of v1 ConfigMap: the server answered 500 with 15 characters of an unknown type instead of a Status object',
    );
  });

  it('names the request and the definition for a 404 without a Status', async () => {
    const headers = { 'content-type': 'text/plain; charset=utf-8' };
    const error = await errorOf({ status: 404, headers, body: '404 page not found\n' });
    expect(error.message).toBe(
      'get of v1 ConfigMap: the server answered 404 with 19 characters of text/plain instead of a Status object, as for a kind that it does not serve: check whether its CustomResourceDefinition is installed',
    );
  });

  it('does not repeat a response that is not an object', async () => {
    const error = await errorOf({ status: 200, body: '{"data":{"password":"c2VjcmV0' });
    expect(error.message).toBe('get of v1 ConfigMap: invalid response: the document is not JSON');
  });
});
