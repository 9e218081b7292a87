import { describe, expect, it } from '@jest/globals';
import { ConfigMap } from '../kinds/builtin.ts';
import { unpacked } from '../packed/unpacked.fixture.ts';
import type { Client } from './client.ts';
import { delegatingClient } from './delegating-client.ts';
import { packedReaderOf } from './packed-reader.ts';
import { clientRespondingWith, type Answer } from './respond-with.fixture.ts';

const { signal } = new AbortController();
const metadata = { name: 'a', namespace: 'ns', uid: 'u', resourceVersion: '3' };
const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata };

/** Reads a list to its end. */
async function listed(client: Client) {
  const batches = packedReaderOf(client).list(ConfigMap, {});
  const objects: unknown[] = [];
  let next = await batches.next();
  for (; !next.done; next = await batches.next()) objects.push(...unpacked(next.value).map((each) => each.object));
  return { objects, metadata: next.value };
}

async function watched(client: Client): Promise<unknown[]> {
  const events: unknown[] = [];
  for await (const items of packedReaderOf(client).watch(ConfigMap, { signal })) {
    for (const item of items) {
      if (item.type === 'objects') events.push(...unpacked(item.batch).map((each) => [each.type, each.object]));
      else events.push([item.type, item.object]);
    }
  }
  return events;
}

describe('packed reader', () => {
  const list = { metadata: { resourceVersion: '10', continue: 'more' }, items: [object] };
  const bookmark = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { resourceVersion: '9' } };
  const stream = [
    { type: 'ADDED', object },
    { type: 'BOOKMARK', object: bookmark },
    { type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } },
  ];
  const lines = stream.map((event) => `${JSON.stringify(event)}\n`).join('');

  it.each([
    ['a client that has one', (client: Client) => client],
    ['a wrapper, by the results of its own methods', delegatingClient],
  ])('lists and watches with %s', async (_, wrap) => {
    expect(await listed(wrap(clientRespondingWith({ body: list }).client))).toEqual({
      objects: [object],
      metadata: list.metadata,
    });
    expect(await watched(wrap(clientRespondingWith({ body: lines }).client))).toEqual([
      ['ADDED', object],
      ['BOOKMARK', bookmark],
      ['ERROR', { code: 410, reason: 'Expired' }],
    ]);
  });

  it.each<[string, Answer, string]>([
    ['an invalid item', { body: { ...list, items: [{}] } }, 'items[0].metadata is missing'],
    ['no list', { body: object }, 'items is missing'],
    ['no JSON', { body: '{"items":[' }, 'the document is not JSON'],
    [
      'another content type',
      { body: '', headers: { 'content-type': 'text/html; charset=utf-8' } },
      'the content type is text/html; charset=utf-8, expected JSON',
    ],
  ])('refuses a list with %s', async (_, answer, problem) => {
    await expect(listed(clientRespondingWith(answer).client)).rejects.toMatchObject({
      name: 'ApiError',
      message: `list of v1 ConfigMap: invalid response: ${problem}`,
    });
  });

  it('refuses a watch with another content type, and accepts each kind of JSON', async () => {
    const answer = (type: string) => clientRespondingWith({ body: lines, headers: { 'content-type': type } }).client;
    await expect(watched(answer('application/vnd.kubernetes.protobuf'))).rejects.toMatchObject({
      name: 'ApiError',
      message:
        'watch of v1 ConfigMap: invalid response: the content type is application/vnd.kubernetes.protobuf, expected JSON',
    });
    for (const type of ['application/json', 'application/json;stream=watch', 'application/vnd.api+json']) {
      expect(await watched(answer(type))).toHaveLength(3);
    }
  });
});
