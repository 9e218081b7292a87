import { describe, expect, it } from '@jest/globals';
import { ConfigMap, Eviction, Namespace } from '../kinds/builtin.ts';
import { clientAnswered } from './answered-client.fixture.ts';

const object = { metadata: { namespace: 'ns', name: 'a' } };
/** An argument that only plain JavaScript, or an `any`, can pass. */
const wrong = (value: unknown): never => value as never;

describe('arguments of calls', () => {
  it.each([
    ['text', 'a', 'a key that is a string'],
    ['an object', object, 'a name that is undefined'],
    ['no name', { namespace: 'ns' }, 'a name that is undefined'],
    ['an undefined name', { namespace: 'ns', name: undefined }, 'a name that is undefined'],
    ['an empty name', { namespace: 'ns', name: '' }, 'an empty name'],
    ['a name of another type', { namespace: 'ns', name: 7 }, 'a name that is a number'],
    ['a namespace of another type', { namespace: 7, name: 'a' }, 'a namespace that is a number'],
    ['nothing', undefined, 'a key that is undefined'],
  ])('S-14: a key with %s is refused before it becomes the path of a collection', async (_, key, found) => {
    const target = clientAnswered({ body: object });
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
    const target = clientAnswered({ body: object });
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
      'list of v1 ConfigMap: option labelSelector: expected text, for example "app=web", found an object',
    );
    await expect(client.create(ConfigMap, object, wrong({ dryrun: true }))).rejects.toThrow('unknown option "dryrun"');
    await expect(client.update(ConfigMap, object, wrong({ dryrun: true }))).rejects.toThrow('unknown option "dryrun"');
    expect(target.requests).toEqual([]);
  });

  it('K-12: a patch without a type, or with an unknown one, is refused', async () => {
    const target = clientAnswered({ body: object });
    for (const type of [undefined, 'application/json', 'toString']) {
      await expect(target.client.patch(ConfigMap, object.metadata, {}, wrong(type))).rejects.toThrow(
        'patch of v1 ConfigMap: expected the type merge, json or strategic after the patch',
      );
    }
    expect(target.requests).toEqual([]);
  });

  it('S-14: an object without metadata is refused', async () => {
    const { client } = clientAnswered({ body: object });
    for (const draft of [undefined, {}, { metadata: null }]) {
      await expect(client.update(ConfigMap, wrong(draft))).rejects.toThrow('expected an object with metadata');
      await expect(client.create(ConfigMap, wrong(draft))).rejects.toThrow('expected an object with metadata');
    }
  });
});
