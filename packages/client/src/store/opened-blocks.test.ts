import { describe, expect, it } from '@jest/globals';
import { testCodec } from './eager-store.fixture.ts';
import { BLOCK, ENTRY, ENTRY_HEADER, type EntryMemory } from './entry.ts';
import { OpenedBlocks } from './opened-blocks.ts';

/** Memory with a block at position 0, of `size` bytes when it is opened. */
function block(id: number, size: number): EntryMemory {
  const compressed = testCodec.compress(Buffer.alloc(size, id));
  const bytes = Buffer.alloc(ENTRY_HEADER + compressed.length + 4);
  bytes.set(compressed, ENTRY_HEADER);
  const ints = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2);
  ints[ENTRY.length] = compressed.length;
  ints[BLOCK.id] = id;
  ints[BLOCK.opened] = size;
  return { bytes, ints };
}

describe('OpenedBlocks', () => {
  it('PC-8: opens a block once while it is kept', () => {
    const opened = new OpenedBlocks();
    const first = opened.open(block(1, 4_000), 0);
    expect(first.bytes).toEqual(Buffer.alloc(4_000, 1));
    expect(first.ints[0]).toBe(0x01010101);
    expect(opened.open(block(1, 4_000), 0)).toBe(first);
    expect([opened.opens, opened.used]).toEqual([1, 4_000]);
  });

  it('PC-8: closes the blocks that were read longest ago when its budget is used up', () => {
    const opened = new OpenedBlocks({ budget: 10_000 });
    const blocks = [1, 2, 3].map((id) => block(id, 4_000));
    const open = (index: number) => opened.open(blocks[index] as EntryMemory, 0);
    const [first, second] = [open(0), open(1)];
    expect(open(0)).toBe(first);
    open(2);
    expect(opened.used).toBe(8_000);
    expect(open(0)).toBe(first);
    expect(open(1)).not.toBe(second);
    expect(opened.opens).toBe(4);
  });

  it('PC-8: does not keep a block that is larger than its budget', () => {
    const opened = new OpenedBlocks({ budget: 1_000 });
    expect(opened.open(block(1, 4_000), 0).bytes).toHaveLength(4_000);
    expect(opened.used).toBe(0);
  });
});
