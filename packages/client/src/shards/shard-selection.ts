import { ENVELOPE, ENVELOPE_SIZE, type PackedBatch } from '../packed/packed-batch.ts';
import { hashBytes, type Halves } from './fnv1a64.ts';
import { HashRanges } from './hash-ranges.ts';
import { KeptBatch } from './kept-batch.ts';
import type { HashRange, ShardField, ShardSelector } from './shard-selector.ts';

/**
 * Maximum number of ranges in a request. Each takes up to 100 bytes of the URL, and many proxies refuse a URL of more
 * than 8 KB.
 */
const SENT_RANGES = 64;
/** Sent if there are no ranges: the grammar has no selector that selects nothing. */
const SMALLEST: readonly HashRange[] = [{ start: 0n, end: 1n }];

/** A {@link ShardSelector}, prepared to be sent to API servers and to be applied to objects. Immutable. */
export class ShardSelection {
  /**
   * The value of the query parameter `shardSelector`, as API servers echo it. It may select more objects than this
   * selection, but never fewer. `undefined` if all objects are selected: then no parameter is needed.
   */
  readonly text: string | undefined;
  readonly selector: ShardSelector;
  readonly #ranges: HashRanges;
  /** Start of the range of the hashed text in an envelope. */
  readonly #column: number;
  readonly #hash: Halves = { high: 0, low: 0 };

  /** @param selector a valid selector. */
  constructor({ field, ranges }: ShardSelector) {
    this.#ranges = new HashRanges(ranges);
    this.selector = { field, ranges: this.#ranges.list };
    this.#column = ENVELOPE[field];
    this.text = this.#ranges.isEverything ? undefined : selectorText(field, this.#ranges);
  }

  /** Reports whether both select the same objects by the same field. */
  equals({ selector: { field, ranges } }: ShardSelection): boolean {
    const own = this.selector;
    if (own.field !== field || own.ranges.length !== ranges.length) return false;
    return own.ranges.every(({ start, end }, index) => start === ranges[index]?.start && end === ranges[index].end);
  }

  /** Reports whether an object is selected. */
  selects(metadata: { readonly uid?: string | undefined; readonly namespace?: string | undefined }): boolean {
    const bytes = Buffer.from(metadata[this.selector.field] ?? '');
    return this.#has(bytes, 0, bytes.length);
  }

  /** Returns the selected objects of a batch, without decoding them. The others are counted as `omitted`. */
  keep(batch: PackedBatch): PackedBatch {
    if (this.text === undefined) return batch;
    const kept: number[] = [];
    for (let index = 0; index < batch.length; index += 1) if (this.#selectsAt(batch, index)) kept.push(index);
    return kept.length === batch.length ? batch : new KeptBatch(batch, kept);
  }

  #selectsAt({ bytes, envelopes }: PackedBatch, index: number): boolean {
    const at = index * ENVELOPE_SIZE + this.#column;
    return this.#has(bytes, envelopes[at] as number, envelopes[at + 1] as number);
  }

  #has(bytes: Uint8Array, start: number, end: number): boolean {
    hashBytes(bytes, start, end, this.#hash);
    return this.#ranges.has(this.#hash);
  }
}

/** Returns a selector in the only form that API servers echo: 16 digits, 17 for 2^64, and one space after each comma. */
function selectorText(field: ShardField, ranges: HashRanges): string {
  const sent = ranges.list.length === 0 ? SMALLEST : ranges.joined(SENT_RANGES);
  return sent
    .map(({ start, end }) => `shardRange(object.metadata.${field}, '${hexText(start)}', '${hexText(end)}')`)
    .join(' || ');
}

function hexText(hash: bigint): string {
  return `0x${hash.toString(16).padStart(16, '0')}`;
}
