import { describe, expect, it } from '@jest/globals';
import { ConfigMap, Pod } from '../kinds/builtin.ts';
import { partialMetadata } from '../kinds/kind.ts';
import { blockOf } from './entry.fixture.ts';
import { ObjectDecoder } from './object-decoder.ts';

const METADATA = { name: 'web', namespace: 'shop', uid: 'u-1', resourceVersion: '7', labels: { a: 'ä' } };

describe('ObjectDecoder', () => {
  it('PC-2: returns what the server sent', () => {
    const sent = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: METADATA,
      data: { 'a"b': '\u20ac\n', __proto__x: '' },
    };
    const other = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'other' } };
    const block = blockOf([sent, other]);
    const decoder = new ObjectDecoder({ kind: ConfigMap, freeze: true });
    expect(block.entries.map((entry) => decoder.decode(block, entry))).toEqual([sent, other]);
    expect(decoder.decodes).toBe(2);
  });

  it('PC-2: sets the kind of list items, also if they have one', () => {
    const block = blockOf([{ metadata: METADATA }, { apiVersion: 'v0', kind: 'Map', metadata: METADATA } as never], {
      listed: true,
    });
    const decoder = new ObjectDecoder({ kind: ConfigMap, freeze: false });
    const expected = { apiVersion: 'v1', kind: 'ConfigMap', metadata: METADATA };
    expect(block.entries.map((entry) => decoder.decode(block, entry))).toEqual([expected, expected]);
  });

  it('PC-2: reads list items of any size', () => {
    const decoder = new ObjectDecoder({ kind: ConfigMap, freeze: true });
    const sent = Array.from({ length: 400 }, (_, at) => ({
      metadata: { name: `ä-${at}` },
      data: { text: '€'.repeat(10_700 + at), last: String(at) },
    }));
    const block = blockOf(sent, { listed: true });
    const decoded = block.entries.map((entry) => decoder.decode(block, entry));
    expect(decoded).toEqual(sent.map((object) => ({ apiVersion: 'v1', kind: 'ConfigMap', ...object })));
  });

  it('sets the kind of objects with metadata only', () => {
    const sent = { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata', metadata: METADATA };
    const decoder = new ObjectDecoder({ kind: partialMetadata(Pod), freeze: true });
    expect(decoder.decode(blockOf([sent]), 0)).toEqual({ apiVersion: 'v1', kind: 'Pod', metadata: METADATA });
  });

  it('keeps 64-bit integers exact', () => {
    const sent = { apiVersion: 'v1', kind: 'ConfigMap', metadata: METADATA, size: 9_223_372_036_854_775_807n };
    const decoder = new ObjectDecoder({ kind: ConfigMap, freeze: true });
    expect(decoder.decode(blockOf([sent], { longInteger: true }), 0)).toEqual(sent);
  });

  it('freezes objects and metadata, if asked to', () => {
    const block = blockOf([{ metadata: METADATA }]);
    const frozen = new ObjectDecoder({ kind: ConfigMap, freeze: true });
    expect(Object.isFrozen(frozen.decode(block, 0).metadata.labels)).toBe(true);
    expect(Object.isFrozen(frozen.decodeMetadata(block, 0).labels)).toBe(true);
    const open = new ObjectDecoder({ kind: ConfigMap, freeze: false });
    expect(Object.isFrozen(open.decode(block, 0))).toBe(false);
    expect(Object.isFrozen(open.decodeMetadata(block, 0))).toBe(false);
  });

  it('PC-2: reads namespaces that are not ASCII', () => {
    const decoder = new ObjectDecoder({ kind: ConfigMap, freeze: true });
    for (const namespace of ['ñ3o9', 'jfñ3momi', 'énç-çha']) {
      // Its UTF-16 code units are the bytes of the other one, and both have the same hash.
      const twin = Buffer.from(namespace).toString('latin1');
      for (const text of [twin, namespace, twin]) {
        const block = blockOf([{ metadata: { name: 'a', namespace: text } }]);
        expect(decoder.decodeKey(block, 0).namespace).toBe(text);
      }
    }
  });

  it('decodes metadata alone', () => {
    const decoder = new ObjectDecoder({ kind: ConfigMap, freeze: true });
    expect(decoder.decodeMetadata(blockOf([{ metadata: METADATA }]), 0)).toEqual(METADATA);
    expect(decoder).toMatchObject({ decodes: 0, metadataDecodes: 1 });
  });

  it('decodes labels alone', () => {
    const decoder = new ObjectDecoder({ kind: ConfigMap, freeze: true });
    const block = blockOf([{ metadata: METADATA }, { metadata: { name: 'other' } }]);
    expect(block.entries.map((entry) => decoder.decodeLabels(block, entry))).toEqual([{ a: 'ä' }, undefined]);
    expect(decoder).toMatchObject({ decodes: 0, metadataDecodes: 0 });
  });

  it('decodes keys without decoding objects', () => {
    const namespaces = ['shop', 'shop', 'ünï', 'ünï', 'ship', undefined];
    const block = blockOf(
      namespaces.map((namespace, at) => ({ metadata: { name: `web-${at}`, ...(namespace && { namespace }) } })),
    );
    const decoder = new ObjectDecoder({ kind: ConfigMap, freeze: true });
    const keys = block.entries.map((entry) => decoder.decodeKey(block, entry));
    expect(keys).toEqual(namespaces.map((namespace, at) => ({ name: `web-${at}`, ...(namespace && { namespace }) })));
    expect(decoder).toMatchObject({ decodes: 0, metadataDecodes: 0 });
  });
});
