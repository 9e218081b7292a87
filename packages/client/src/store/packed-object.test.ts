import { deepStrictEqual } from 'node:assert';
import { format, inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { ConfigMap } from '../kinds/builtin.ts';
import { hasChanged } from '../cache/has-changed.ts';
import type { DeepReadonly, KubernetesObject, ObjectMeta } from '../kinds/object.ts';
import { packTexts } from '../packed/pack-objects.ts';
import { blockOf, type SentObject } from './entry.fixture.ts';
import { EventLeases } from './event-leases.ts';
import { ObjectDecoder } from './object-decoder.ts';
import { PackedAddEvent, PackedDeleteEvent, PackedUpdateEvent } from './packed-event.ts';
import { PackedStore } from './packed-store.ts';
import { PackedObject, type ComparedField } from './packed-object.ts';

const sent = (metadata: SentObject['metadata'], data?: object): SentObject => ({
  ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata },
  ...(data && { data }),
});

describe('PackedObject', () => {
  it('reads the fields of a cache without decoding', () => {
    const { packed, decoder } = setup(
      sent({
        ...{ name: 'web', namespace: 'shop', uid: 'u-1', resourceVersion: '7' },
        ...{ generation: 42, deletionTimestamp: '2026-01-01T00:00:00Z' },
      }),
    );
    expect({ ...packed.key }).toEqual({ name: 'web', namespace: 'shop' });
    expect(packed).toMatchObject({ uid: 'u-1', resourceVersion: '7', generation: 42, isDeleting: true });
    expect(decoder).toMatchObject({ decodes: 0, metadataDecodes: 0 });
  });

  it('reads absent fields', () => {
    const { packed } = setup(sent({ name: 'web' }));
    expect(packed).toMatchObject({ key: { name: 'web' }, uid: '', resourceVersion: '', isDeleting: false });
    expect(packed.generation).toBeUndefined();
  });

  it.each([null, ''])('is not being deleted with a deletionTimestamp of %j', (deletionTimestamp) => {
    const { packed } = setup(sent({ name: 'web', deletionTimestamp: deletionTimestamp as string }));
    expect(packed.isDeleting).toBe(false);
  });

  it('reads a generation at the end of the metadata', () => {
    expect(setup(sent({ name: 'web', generation: 3 })).packed.generation).toBe(3);
  });

  it.each<[string, string, boolean]>([
    ['1', ' 1\n\t', false],
    ['10', '1\r\n ', true],
    ['9007199254740991', '9007199254740990 ', true],
  ])('compares the generations %j and %j in JSON text with spaces', (before, after, expected) => {
    const textOf = (version: number, generation: string) =>
      Buffer.from(
        `{ "kind": "ConfigMap", "metadata": { "name": "web", "resourceVersion": "${version}", "generation" : ${generation}} }`,
      );
    const store = new PackedStore<ConfigMap>({ kind: ConfigMap, freeze: true });
    store.apply(packTexts('ADDED', [textOf(1, before)]), 0);
    const [event] = store.apply(packTexts('MODIFIED', [textOf(2, after)]), 0);
    expect(event).toMatchObject({ type: 'update', packed: { generation: Number(after) } });
    expect((event as PackedUpdateEvent<ConfigMap>).hasChanged('generation')).toBe(expected);
  });

  it.each(['null', '"1"', '{}', '[1,2]', '1,2', 'true'])('refuses a generation of %s on arrival', (generation) => {
    const text = Buffer.from(`{"metadata":{"name":"web","generation":${generation}}}`);
    expect(() => packTexts('ADDED', [text])).toThrow();
  });

  it('decodes once, and takes the metadata from the object', () => {
    const { packed, decoder } = setup(sent({ name: 'web' }, { a: 'b' }));
    expect(packed.object).toEqual(sent({ name: 'web' }, { a: 'b' }));
    expect(packed.object).toBe(packed.object);
    expect(packed.metadata).toBe(packed.object.metadata);
    expect(decoder).toMatchObject({ decodes: 1, metadataDecodes: 0 });
  });

  it('decodes metadata alone, once', () => {
    const { packed, decoder } = setup(sent({ name: 'web' }));
    expect(packed.metadata).toEqual({ name: 'web' });
    expect(packed.metadata).toBe(packed.metadata);
    expect(decoder).toMatchObject({ decodes: 0, metadataDecodes: 1 });
  });

  it.each<[ComparedField, Partial<ObjectMeta>, Partial<ObjectMeta>, boolean]>([
    ['resourceVersion', { resourceVersion: '7' }, { resourceVersion: '7' }, false],
    ['resourceVersion', { resourceVersion: '7' }, { resourceVersion: '8' }, true],
    ['resourceVersion', {}, { resourceVersion: '8' }, true],
    ['generation', { generation: 1 }, { generation: 1, resourceVersion: '8' }, false],
    ['generation', { generation: 1 }, { generation: 2 }, true],
    ['generation', {}, { generation: 1 }, true],
    ['labels', { labels: { a: 'b' } }, { labels: { a: 'b' }, resourceVersion: '8' }, false],
    ['labels', { labels: { a: 'b', c: 'd' } }, { labels: { c: 'd', a: 'b' } }, false],
    ['labels', { labels: { a: 'b' } }, { labels: { a: 'c' } }, true],
    ['labels', { labels: { a: 'b' } }, {}, true],
    ['labels', {}, { labels: {} }, false],
    ['annotations', { annotations: { a: 'b' } }, { annotations: { a: 'b' }, labels: { x: 'y' } }, false],
    ['annotations', { annotations: { a: 'b' } }, { annotations: { a: 'b', c: 'd' } }, true],
    ['annotations', {}, { annotations: { a: 'b' } }, true],
    ['annotations', {}, {}, false],
  ])('compares %s of %j and %j without decoding the objects', (field, before, after, expected) => {
    const { packed: old, decoder: first } = setup(sent({ name: 'web', ...before }));
    const { packed, decoder: second } = setup(sent({ name: 'web', ...after }));
    const update = new PackedUpdateEvent(old, packed);
    expect(update.hasChanged(field)).toBe(expected);
    for (const decoder of [first, second]) expect(decoder).toMatchObject({ decodes: 0, metadataDecodes: 0 });
    // An event without a comparison of its own gives the same result.
    expect(hasChanged({ metadata: update.metadata, oldMetadata: update.oldMetadata }, field)).toBe(expected);
  });

  it('PC-3: returns the object of the store, if the store still has it', () => {
    const own = sent({ name: 'web' }) as KubernetesObject;
    const { packed, decoder } = setup(sent({ name: 'web' }), () => own);
    expect(packed.object).toBe(own);
    expect(decoder.decodes).toBe(0);
  });
});

describe('events of a packed store', () => {
  it('have the fields of informer events', () => {
    const old = setup(sent({ name: 'web', resourceVersion: '1' })).packed;
    const { packed } = setup(sent({ name: 'web', resourceVersion: '2' }));
    expect(new PackedAddEvent(packed, { initial: true })).toMatchObject({
      ...{ type: 'add', initial: true, key: { name: 'web' } },
      ...{ object: { metadata: { resourceVersion: '2' } }, metadata: { resourceVersion: '2' } },
    });
    expect(new PackedUpdateEvent(old, packed)).toMatchObject({
      ...{ type: 'update', key: { name: 'web' } },
      ...{ object: { metadata: { resourceVersion: '2' } }, metadata: { resourceVersion: '2' } },
      ...{ oldObject: { metadata: { resourceVersion: '1' } }, oldMetadata: { resourceVersion: '1' } },
    });
    expect(new PackedDeleteEvent(old, { finalStateUnknown: true })).toMatchObject({
      ...{ type: 'delete', finalStateUnknown: true, key: { name: 'web' } },
      ...{ object: { metadata: { resourceVersion: '1' } }, metadata: { resourceVersion: '1' } },
    });
  });
});

describe('an event or a lazy object', () => {
  const secret = sent({ name: 'db', namespace: 'shop', resourceVersion: '7' }, { password: 'canary' });
  const summary = {
    ...{ apiVersion: 'v1', kind: 'ConfigMap', key: { namespace: 'shop', name: 'db' }, resourceVersion: '7' },
  };

  it.each<[string, (packed: PackedObject<KubernetesObject>) => object, object]>([
    ['add', (packed) => new PackedAddEvent(packed, { initial: true }), { type: 'add', initial: true, ...summary }],
    [
      'update',
      (packed) => new PackedUpdateEvent(packed, packed),
      { type: 'update', ...summary, oldResourceVersion: '7' },
    ],
    [
      'delete',
      (packed) => new PackedDeleteEvent(packed, { finalStateUnknown: false }),
      { type: 'delete', finalStateUnknown: false, ...summary },
    ],
    ['object', (packed) => packed, summary],
  ])('is printed with its key and without its object, which is not decoded (%s)', (_, make, expected) => {
    const { packed, decoder } = setup(secret);
    const value = make(packed);
    expect(JSON.parse(JSON.stringify(value))).toEqual(expected);
    expect(inspect(value)).toMatch(/kind: 'ConfigMap',\s+key: \{ namespace: 'shop', name: 'db' \}/);
    expect(
      format('%o %j %s', value, value, value) + inspect(value, { depth: Infinity, showHidden: true }),
    ).not.toContain('canary');
    expect(decoder).toMatchObject({ decodes: 0, metadataDecodes: 0 });
    expect(() => structuredClone(value)).not.toThrow();
  });

  it('keeps the fields that are not getters in a spread and in a clone', () => {
    const event = new PackedAddEvent(setup(secret).packed, { initial: true });
    expect(Object.assign({}, event)).toMatchObject({ type: 'add', initial: true });
    expect(structuredClone(event)).toEqual({ type: 'add', initial: true });
  });

  it('is not deeply equal to another event, or to its fields that are not getters', () => {
    const eventOf = (name: string) => new PackedAddEvent(setup(sent({ name })).packed, { initial: true });
    const [a, b] = [eventOf('a'), eventOf('b')];
    expect(() => deepStrictEqual(a, b)).toThrow();
    expect(a).not.toEqual(b);
    expect(a).not.toEqual({ type: 'add', initial: true });
    expect(a).toEqual(a);
    expect(a).toMatchObject({ type: 'add', key: { name: 'a' } });
    expect(inspect(a)).not.toContain('Symbol');
  });

  it.each(['type', 'initial', 'key', 'object', 'metadata', 'other'])('is read-only: %s', (field) => {
    const event = new PackedAddEvent(setup(secret).packed, { initial: true });
    const write = () => ((event as unknown as Record<string, unknown>)[field] = 'x');
    expect(write).toThrow(TypeError);
    expect(write).toThrow(new RegExp(`${field}|not extensible`));
  });
});

function setup(object: SentObject, held: () => DeepReadonly<KubernetesObject> | undefined = () => undefined) {
  const decoder = new ObjectDecoder<KubernetesObject>({ kind: ConfigMap, freeze: true });
  const block = blockOf([object]);
  const packed = new PackedObject({ decoder, held }, block, 0, new EventLeases().leaseFor(block, 0));
  return { packed, decoder };
}
