import { describe, expect, it } from '@jest/globals';
import { ConfigMap, Deployment, Eviction, Namespace, Scale } from '../kinds/builtin.ts';
import { partialMetadata, type Kind } from '../kinds/kind.ts';
import { clientRespondingWith } from './respond-with.fixture.ts';
import type { Client, WatchOptions } from './client.ts';
import { interceptClient } from './intercept-client.ts';
import { namespacedClient } from './namespaced-client.ts';
import { dryRunClient } from './write-options-client.ts';

const object = { metadata: { namespace: 'ns', name: 'a' } };
/** Passes an argument that only plain JavaScript or an `any` can pass. */
const wrong = (value: unknown): never => value as never;

async function watchOnce(client: Client, kind: Kind<ConfigMap>, options: WatchOptions): Promise<void> {
  for await (const _ of client.watch(kind, options)) return;
}

describe('arguments of calls', () => {
  it.each([
    ['text', 'a', 'a key that is a string'],
    ['an object', object, 'an object with metadata: pass its metadata'],
    ['no name', { namespace: 'ns' }, 'a name that is undefined'],
    ['an undefined name', { namespace: 'ns', name: undefined }, 'a name that is undefined'],
    ['an empty name', { namespace: 'ns', name: '' }, 'an empty name'],
    ['a name of another type', { namespace: 'ns', name: 7 }, 'a name that is a number'],
    ['a namespace of another type', { namespace: 7, name: 'a' }, 'a namespace that is a number'],
    ['nothing', undefined, 'a key that is undefined'],
  ])('S-14: a key with %s is refused before it is used as the path of a collection', async (_, key, found) => {
    const target = clientRespondingWith({ body: object });
    const { client } = target;
    const calls = [
      () => client.get(ConfigMap, wrong(key)),
      () => client.find(Namespace, wrong(key)),
      () => client.delete(ConfigMap, wrong(key)),
      () => client.delete(Namespace, wrong(key)),
      () => client.patch(ConfigMap, wrong(key), {}, 'merge'),
    ];
    for (const call of calls) {
      await expect(call()).rejects.toThrow(
        new RegExp(`expected the key of one object as \\{ namespace, name \\}, found ${found}$`),
      );
    }
    const ofSubresources = [
      () => client.status.patch(ConfigMap, wrong(key), {}, 'merge'),
      () => client.subresource('eviction', Eviction).get(ConfigMap, wrong(key)),
    ];
    for (const call of ofSubresources) await expect(call()).rejects.toThrow('expected the key of one object');
    expect(target.requests).toEqual([]);
  });

  it('S-14: unknown options are refused before anything is selected or written', async () => {
    const target = clientRespondingWith({ body: object });
    const { client } = target;
    const key = object.metadata;
    const known = 'propagationPolicy, gracePeriodSeconds, dryRun';
    await expect(client.delete(ConfigMap, key, wrong({ dryrun: true }))).rejects.toThrow(
      `delete of v1 ConfigMap: unknown option "dryrun": use only signal, timeout, retry, ${known}, preconditions`,
    );
    await expect(
      client.deleteCollection(ConfigMap, wrong({ namespace: 'ns', labelSelectors: 'no=match' })),
    ).rejects.toThrow('deleteCollection of v1 ConfigMap: unknown option "labelSelectors"');
    await expect(client.list(ConfigMap, wrong({ ns: 'default' }))).rejects.toThrow(
      'list of v1 ConfigMap: unknown option',
    );
    await expect(client.list(ConfigMap, wrong('default'))).rejects.toThrow('expected options as a plain object');
    await expect(client.list(ConfigMap, wrong({ labelSelector: { a: 'b' } }))).rejects.toThrow(
      'list of v1 ConfigMap: option "labelSelector": expected a selector such as "app=web", found an object',
    );
    await expect(client.create(ConfigMap, object, wrong({ dryrun: true }))).rejects.toThrow('unknown option "dryrun"');
    await expect(client.update(ConfigMap, object, wrong({ dryrun: true }))).rejects.toThrow('unknown option "dryrun"');
    expect(target.requests).toEqual([]);
  });

  it('K-12: a patch without a type, or with an unknown one, is refused', async () => {
    const target = clientRespondingWith({ body: object });
    for (const type of [undefined, 'application/json', 'toString']) {
      await expect(target.client.patch(ConfigMap, object.metadata, {}, wrong(type))).rejects.toThrow(
        'patch of v1 ConfigMap: expected the type merge, json or strategic after the patch',
      );
    }
    expect(target.requests).toEqual([]);
  });

  it('S-14: a write of a whole object is refused for a metadata-only kind, and a patch is not', async () => {
    const target = clientRespondingWith({ body: object });
    const Meta = partialMetadata(ConfigMap);
    for (const client of [target.client, namespacedClient(target.client, 'ns'), dryRunClient(target.client)]) {
      const writes = [
        () => client.create(Meta, object),
        () => client.update(Meta, object),
        () => client.status.update(Meta, object),
        () => client.subresource('scale', partialMetadata(Scale)).create(Deployment, object.metadata, object),
        () => client.subresource('scale', partialMetadata(Scale)).update(Deployment, object.metadata, object),
      ];
      for (const write of writes) await expect(write()).rejects.toThrow('(metadata): expected a whole object');
      await expect(client.update(Meta, object)).rejects.toThrow(
        'v1 ConfigMap (metadata): expected a whole object to create or update, found a kind with metadata only: ' +
          'use patch or apply, because the server would remove the other fields of the object',
      );
    }
    expect(target.requests).toEqual([]);
    const patch = { metadata: { finalizers: ['example.com/a'] } };
    await target.client.patch(Meta, object.metadata, patch, 'merge');
    await target.client.apply(Meta, object, { fieldManager: 'me' });
    await target.client.subresource('eviction', Eviction).create(Meta, object.metadata, object);
    expect(target.requests.map(({ method }) => method)).toEqual(['PATCH', 'PATCH', 'POST']);
  });

  it('S-14: an object without metadata is refused', async () => {
    const { client } = clientRespondingWith({ body: object });
    for (const draft of [undefined, {}, { metadata: null }]) {
      await expect(client.update(ConfigMap, wrong(draft))).rejects.toThrow('expected an object with metadata');
      await expect(client.create(ConfigMap, wrong(draft))).rejects.toThrow('expected an object with metadata');
    }
  });

  describe.each<[string, (client: Client) => Client]>([
    ['a client', (client) => client],
    ['a namespaced client', (client) => namespacedClient(client, 'ns')],
    ['a dry-run client', dryRunClient],
    ['a client with an interceptor', (client) => interceptClient(client, () => ({}))],
  ])('%s', (_, wrapped) => {
    const target = clientRespondingWith({ body: object });
    const client = wrapped(target.client);
    const key = object.metadata;
    const scale = () => client.subresource('scale', Scale);

    it.each<[string, () => unknown, string]>([
      ['get without arguments', () => client.get(wrong(undefined), key), 'expected a kind, found undefined'],
      [
        'get of a name',
        () => client.get(wrong('ConfigMap'), key),
        'expected a kind, found a string: pass a kind such as',
      ],
      [
        'get with swapped arguments',
        () => client.get(wrong(key), wrong(ConfigMap)),
        'expected a kind, found an object',
      ],
      ['get without a key', () => client.get(ConfigMap, wrong(undefined)), 'expected the key of one object'],
      ['list without a kind', () => client.list(wrong(undefined)), 'expected a kind, found undefined'],
      ['list of a namespace', () => client.list(ConfigMap, wrong('ns')), 'list of v1 ConfigMap: expected options'],
      ['table without a kind', () => client.table(wrong(undefined)), 'expected a kind, found undefined'],
      ['table with an unknown option', () => client.table(ConfigMap, wrong({ ns: 'a' })), 'unknown option "ns"'],
      [
        'create of an object alone',
        () => client.create(wrong(object), wrong(undefined)),
        'expected a kind, found an object',
      ],
      [
        'create without an object',
        () => client.create(ConfigMap, wrong(undefined)),
        'with metadata, found undefined: pass the kind first, then the object',
      ],
      [
        'create with swapped arguments',
        () => client.create(wrong(object), wrong(ConfigMap)),
        'expected a kind, found an object',
      ],
      ['update without a kind', () => client.update(wrong(undefined), object), 'expected a kind, found undefined'],
      ['update of a name', () => client.update(ConfigMap, wrong('a')), 'with metadata, found a string'],
      [
        'patch without a kind',
        () => client.patch(wrong(undefined), key, {}, 'merge'),
        'expected a kind, found undefined',
      ],
      [
        'patch without a patch',
        () => client.patch(ConfigMap, key, undefined, 'merge'),
        'patch of v1 ConfigMap: expected a patch after the key, found undefined',
      ],
      [
        'patch with swapped arguments',
        () => client.patch(ConfigMap, key, 'merge', wrong({})),
        'expected a patch after the key, found a string',
      ],
      [
        'apply of an object alone',
        () => client.apply(wrong(object), wrong(undefined)),
        'expected a kind, found an object',
      ],
      [
        'apply of a manifest alone',
        () => client.apply({ apiVersion: 'v1', kind: 'ConfigMap', ...object }, wrong({ fieldManager: 'me' })),
        'v1 ConfigMap: expected an object with metadata, found metadata that is undefined: pass the kind first',
      ],
      [
        'apply with a manager that is not text',
        () => client.apply(ConfigMap, object, wrong({ fieldManager: 7 })),
        'apply of v1 ConfigMap: option "fieldManager": expected the name of the owner of the applied fields, found a number: pass { fieldManager: "my-controller" }',
      ],
      [
        'apply with a name as its options',
        () => client.apply(ConfigMap, object, wrong('me')),
        'write of v1 ConfigMap: ',
      ],
      ['delete without a kind', () => client.delete(wrong(undefined), key), 'expected a kind, found undefined'],
      [
        'delete of an object',
        () => client.delete(ConfigMap, wrong(object)),
        'an object with metadata: pass its metadata',
      ],
      [
        'deleteCollection without a kind',
        () => client.deleteCollection(wrong(undefined)),
        'expected a kind, found undefined',
      ],
      [
        'status.update without a kind',
        () => client.status.update(wrong(undefined), object),
        'expected a kind, found undefined',
      ],
      [
        'status.patch without a patch',
        () => client.status.patch(ConfigMap, key, undefined, 'merge'),
        'expected a patch after the key',
      ],
      [
        'status.apply of nothing',
        () => client.status.apply(ConfigMap, wrong(undefined)),
        'with metadata, found undefined',
      ],
      [
        'subresource without a name',
        () => client.subresource(wrong(undefined), Scale),
        'subresource: expected its name, for example "scale", as the first argument, found undefined',
      ],
      [
        'subresource without a kind',
        () => client.subresource('scale', wrong(undefined)),
        'subresource("scale", kind): expected a kind, found undefined',
      ],
      [
        'get of a subresource without a kind',
        () => scale().get(wrong(undefined), key),
        'expected a kind, found undefined',
      ],
      [
        'update of a subresource without a key',
        () => scale().update(Deployment, wrong(undefined), object),
        'expected the key of one object',
      ],
      [
        'patch of a subresource without a patch',
        () => scale().patch(Deployment, key, undefined, 'merge'),
        'expected a patch after the key',
      ],
      [
        'watch without a kind',
        () => watchOnce(client, wrong(undefined), { signal: AbortSignal.abort() }),
        'expected a kind, found undefined',
      ],
      [
        'watch without options',
        () => watchOnce(client, ConfigMap, wrong(undefined)),
        'watch of v1 ConfigMap: option "signal": expected an AbortSignal, found undefined: pass { signal } to end the watch',
      ],
      [
        'watch with a signal as its options',
        () => watchOnce(client, ConfigMap, wrong(AbortSignal.abort())),
        'watch of v1 ConfigMap: ',
      ],
    ])('S-14: %s is refused with an error that says what to pass', async (_title, call, message) => {
      const error: unknown = await (async () => call())().then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect(error).toBeInstanceOf(TypeError);
      expect((error as Error).message).toContain(message);
      expect(target.requests).toEqual([]);
    });
  });
});
