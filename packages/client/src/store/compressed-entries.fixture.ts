import { testCodec } from './eager-store.fixture.ts';
import { EntryBlock } from './entry-block.ts';
import type { EntryBlock as Entries } from './entry.fixture.ts';
import { entrySizeAt } from './entry.ts';
import { Slab } from './slab.ts';

/** Entries in compressed blocks, in a slab whose free bytes are not 0. The positions are those of their heads. */
export class CompressedEntries extends Slab implements Entries {
  readonly entries: number[] = [];

  constructor(from: Entries) {
    super(from.bytes.length + 64 * 1024);
    this.bytes.fill(0xff);
    const block = new EntryBlock({ ...testCodec, worthwhile: Infinity });
    for (const entry of from.entries) {
      if (block.add(from, entry)) continue;
      this.#write(block);
      block.add(from, entry);
    }
    this.#write(block);
  }

  #write(block: EntryBlock): void {
    const packed = block.pack();
    if (!packed) throw new Error('expected a block');
    const start = this.used;
    for (let index = 0; index < packed.length; index += 1) {
      packed.writeHead(index, this, this.used, start);
      this.entries.push(this.used);
      this.used += entrySizeAt(this, this.used);
    }
    packed.writeBlock(this, this.used);
    this.used += entrySizeAt(this, this.used);
    block.clear();
  }
}
