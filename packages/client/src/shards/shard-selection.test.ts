import { describe, expect, it } from '@jest/globals';
import { ConfigMap } from '../kinds/builtin.ts';
import { packObjects, packTexts } from '../packed/pack-objects.ts';
import type { PackedBatch } from '../packed/packed-batch.ts';
import { ENVELOPE, ENVELOPE_SIZE } from '../packed/packed-batch.ts';
import { fnv1a64 } from './fnv1a64.ts';
import { ShardSelection } from './shard-selection.ts';
import { HASH_SPACE } from './shard-selector.ts';
import { HIGH, LOW, uidsIn } from './shard.fixture.ts';

const object = (name: string, metadata: object): ConfigMap => ({
  apiVersion: 'v1',
  kind: ConfigMap.kind,
  metadata: { name, resourceVersion: '1', ...metadata } as ConfigMap['metadata'],
});

function namesIn({ bytes, envelopes, length }: PackedBatch): string[] {
  return Array.from({ length }, (_, index) => {
    const at = index * ENVELOPE_SIZE + ENVELOPE.name;
    return bytes.toString('utf8', envelopes[at], envelopes[at + 1]);
  });
}

describe('ShardSelection', () => {
  it('SH-19: is sent in the form that API servers echo', () => {
    const { text } = new ShardSelection({
      field: 'uid',
      ranges: [
        { start: 0xc000_0000_0000_0000n, end: HASH_SPACE },
        { start: 0n, end: 0x0abc_0000_0000_0000n },
      ],
    });
    expect(text).toBe(
      "shardRange(object.metadata.uid, '0x0000000000000000', '0x0abc000000000000') || " +
        "shardRange(object.metadata.uid, '0xc000000000000000', '0x10000000000000000')",
    );
    expect(new ShardSelection({ field: 'namespace', ranges: LOW }).text).toBe(
      "shardRange(object.metadata.namespace, '0x0000000000000000', '0x8000000000000000')",
    );
  });

  it('is not sent if it selects everything, and selects the smallest range if it selects nothing', () => {
    expect(new ShardSelection({ field: 'uid', ranges: [...HIGH, ...LOW] }).text).toBeUndefined();
    const nothing = new ShardSelection({ field: 'uid', ranges: [] });
    expect(nothing.text).toBe("shardRange(object.metadata.uid, '0x0000000000000000', '0x0000000000000001')");
    expect(nothing.selects({ uid: 'any' })).toBe(false);
    expect(nothing.keep(packObjects('listed', [object('a', { uid: 'u' })]))).toMatchObject({ length: 0, omitted: 1 });
  });

  it('SH-19: sends at most 64 ranges that contain all of its own', () => {
    const slot = HASH_SPACE / 1024n;
    const ranges = Array.from({ length: 512 }, (_, index) => {
      const start = BigInt(index * 2) * slot;
      return { start, end: start + slot };
    });
    const selection = new ShardSelection({ field: 'uid', ranges });
    const sent = [...(selection.text ?? '').matchAll(/'(0x[0-9a-f]+)', '(0x[0-9a-f]+)'/g)].map(([, start, end]) => ({
      start: BigInt(start ?? ''),
      end: BigInt(end ?? ''),
    }));
    expect(sent).toHaveLength(64);
    expect(new URLSearchParams({ shardSelector: selection.text ?? '' }).toString().length).toBeLessThan(8_000);
    for (const { start, end } of ranges) {
      expect(sent.some((range) => range.start <= start && end <= range.end)).toBe(true);
    }
    const [outside = ''] = uidsIn('low', 200).filter((uid) => (fnv1a64(uid) / slot) % 2n === 1n);
    expect(selection.selects({ uid: outside })).toBe(false);
  });

  it('SH-19: keeps the selected objects of a batch, and counts the others', () => {
    const [a = '', b = ''] = uidsIn('low', 2);
    const [c = ''] = uidsIn('high', 1);
    const batch = packObjects('listed', [object('a', { uid: a }), object('c', { uid: c }), object('b', { uid: b })]);
    const low = new ShardSelection({ field: 'uid', ranges: LOW });
    const kept = low.keep(batch);
    expect([namesIn(kept), kept.omitted]).toEqual([['a', 'b'], 1]);
    const all = packObjects('ADDED', [object('a', { uid: a })]);
    expect(low.keep(all)).toBe(all);
  });

  it('selects by namespace, where a cluster-scoped object has an empty one', () => {
    const isHigh = (namespace: string): boolean => fnv1a64(namespace) >= HASH_SPACE / 2n;
    const high = new ShardSelection({ field: 'namespace', ranges: HIGH });
    const objects = ['shop', 'default', 'a', 'kube-system'].map((namespace) =>
      object(namespace, { namespace, uid: '' }),
    );
    const batch = packObjects('listed', [...objects, object('scopeless', {})]);
    const names = ['shop', 'default', 'a', 'kube-system'].filter(isHigh);
    expect(isHigh('')).toBe(true);
    expect(namesIn(high.keep(batch))).toEqual([...names, 'scopeless']);
    expect(high.selects({})).toBe(true);
    expect(high.selects({ namespace: undefined })).toBe(true);
  });

  it('hashes a uid with escapes as its decoded text', () => {
    const [uid = ''] = uidsIn('high', 1);
    const escaped = `\\u00${uid.charCodeAt(0).toString(16)}${uid.slice(1)}`;
    const json = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","uid":"${escaped}"}}`;
    const batch = packTexts('listed', [Buffer.from(json)]);
    expect(new ShardSelection({ field: 'uid', ranges: HIGH }).keep(batch)).toBe(batch);
    expect(new ShardSelection({ field: 'uid', ranges: LOW }).keep(batch).length).toBe(0);
  });
});
