import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { BlockReader } from './block-reader.ts';
import { CompressedEntries } from './compressed-entries.fixture.ts';
import { testCodec } from './eager-store.fixture.ts';
import { BLOCK_SIZE, EntryBlock } from './entry-block.ts';
import { blockOf, type EntryBlock as Entries, type SentObject } from './entry.fixture.ts';
import { ENTRY, ENTRY_FLAG, ENTRY_HEADER, entrySizeAt, entryText, HEAD, isDeletingEntry, isHead } from './entry.ts';
import { OpenedBlocks } from './opened-blocks.ts';
import { isSameEntry } from './same-version.ts';

const TEXTS = [ENTRY.name, ENTRY.namespace, ENTRY.uid, ENTRY.resourceVersion] as const;

const sent = (name: string, metadata: SentObject['metadata'] = {}) => ({
  metadata: { name, namespace: 'shop', uid: `u-${name}`, resourceVersion: '7', ...metadata },
  data: { text: 'the quick brown fox '.repeat(40) },
});

const OBJECTS = [
  sent('a', { generation: 12, labels: { app: 'web' } }),
  sent('b "quoted" ü', { deletionTimestamp: '2026-01-01T00:00:00Z' }),
  sent('c', { deletionTimestamp: '', namespace: '' }),
  sent('d', { deletionTimestamp: null as never, uid: '', resourceVersion: '' }),
];

describe('a compressed block', () => {
  it('PC-8: has the texts of its entries in plain heads', () => {
    const entries = blockOf(OBJECTS);
    const { slab, heads } = pack(entries);
    expect(heads.every((head) => isHead(slab, head))).toBe(true);
    for (const text of TEXTS) {
      const expected = entries.entries.map((entry) => entryText(entries, entry, text));
      expect(heads.map((head) => entryText(slab, head, text))).toEqual(expected);
    }
    expect(heads.map((head) => isDeletingEntry(slab, head))).toEqual([false, true, false, false]);
    expect(heads.map((head) => slab.ints[(head >> 2) + ENTRY.generation] !== 0)).toEqual([true, false, false, false]);
    for (const column of [ENTRY.json, ENTRY.keyLengths, ENTRY.versionLengths]) {
      const expected = entries.entries.map((entry) => entries.ints[(entry >> 2) + column]);
      expect(heads.map((head) => slab.ints[(head >> 2) + column])).toEqual(expected);
    }
  });

  it('PC-8: gives its entries back', () => {
    const entries = blockOf(OBJECTS, { listed: true, longInteger: true });
    const { slab, heads } = pack(entries);
    const reader = new BlockReader(new OpenedBlocks());
    for (const [index, head] of heads.entries()) {
      const { memory, entry } = reader.whole(slab, head);
      const original = entries.entries[index] as number;
      expect(isSameEntry(memory, entry, entries, original)).toBe(true);
      const [from, to] = [original >> 2, (original + ENTRY_HEADER) >> 2];
      expect(memory.ints.slice(entry >> 2, (entry + ENTRY_HEADER) >> 2)).toEqual(entries.ints.slice(from, to));
    }
    expect(reader.opens).toBe(1);
    const [first = 0] = entries.entries;
    expect(reader.whole(entries, first)).toEqual({ memory: entries, entry: first });
  });

  it('its heads stand for all of its bytes', () => {
    const { slab, heads } = pack(blockOf(OBJECTS));
    const bytes = heads.map((head) => entrySizeAt(slab, head) + (slab.ints[(head >> 2) + HEAD.share] as number));
    expect(bytes.reduce((sum, each) => sum + each, 0)).toBe(slab.used);
    const block = slab.ints[((heads[0] as number) >> 2) + HEAD.block] as number;
    expect(block + entrySizeAt(slab, block)).toBe(slab.used);
    expect(slab.ints[(block >> 2) + ENTRY.flags]).toBe(ENTRY_FLAG.block);
    expect(slab.ints[(block >> 2) + ENTRY.record]).toBe(-1);
  });

  it('takes up to 32 KiB of entries, or one that is larger', () => {
    const block = new EntryBlock(testCodec);
    const object = { ...sent('large'), data: { text: 'x'.repeat(2 * BLOCK_SIZE) } };
    const large = blockOf([object]);
    expect(block.add(large, 0)).toBe(true);
    expect(block.add(blockOf(OBJECTS), 0)).toBe(false);
    expect(block.pack()).toHaveLength(1);
    block.clear();
    expect(block.pack()).toBeUndefined();
    const small = blockOf(OBJECTS);
    let count = 0;
    while (block.add(small, 0)) count += 1;
    expect(count).toBe(Math.floor(BLOCK_SIZE / entrySizeAt(small, 0)));
  });

  it('P-6: blocks use the same memory one after the other, and never at the same time', () => {
    const packed: Uint8Array[] = [];
    const compress = (bytes: Uint8Array) => {
      packed.push(bytes);
      return bytes;
    };
    const blocks = ['first', 'second'].map((name) => {
      const block = new EntryBlock({ compress, worthwhile: Infinity });
      block.add(blockOf([sent(name)]), 0);
      return block;
    });
    for (const block of blocks) block.pack();
    expect(packed.map((bytes) => Buffer.from(bytes).includes('second'))).toEqual([false, true]);
    for (const block of blocks) block.clear();
    const next = new EntryBlock({ compress, worthwhile: Infinity });
    next.add(blockOf([sent('third')]), 0);
    next.pack();
    expect(packed[2]?.buffer).toBe(packed[1]?.buffer);
  });

  it('is not made of what compression hardly makes smaller', () => {
    const random = { ...sent('random'), data: { text: randomBytes(500).toString('base64') } };
    expect(packedOf(blockOf([random]), testCodec)).toBeUndefined();
    expect(packedOf(blockOf([sent('text')]), testCodec)).toBeDefined();
  });

  it('is not made if the compressor fails', () => {
    const compress = (): never => {
      throw new Error('out of memory');
    };
    expect(packedOf(blockOf(OBJECTS), { ...testCodec, compress })).toBeUndefined();
  });
});

function packedOf(entries: Entries, codec: typeof testCodec) {
  const block = new EntryBlock(codec);
  for (const entry of entries.entries) block.add(entries, entry);
  return block.pack();
}

function pack(entries: Entries) {
  const slab = new CompressedEntries(entries);
  return { slab, heads: slab.entries };
}
