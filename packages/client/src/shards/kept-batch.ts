import { ENVELOPE_SIZE, type PackedBatch } from '../packed/packed-batch.ts';

const NO_BYTES = Buffer.alloc(0);
const NO_ENVELOPES = new Int32Array(0);

/** Some objects of another batch. After its release it refers to nothing, like the other batch. */
export class KeptBatch implements PackedBatch {
  bytes: Buffer;
  envelopes: Int32Array;
  readonly length: number;
  readonly omitted: number;
  readonly #source: PackedBatch;

  /** @param indexes the objects to keep, in ascending order. If there are none, `source` is released. */
  constructor(source: PackedBatch, indexes: readonly number[]) {
    const envelopes = new Int32Array(indexes.length * ENVELOPE_SIZE);
    for (const [to, from] of indexes.entries()) {
      envelopes.set(source.envelopes.subarray(from * ENVELOPE_SIZE, (from + 1) * ENVELOPE_SIZE), to * ENVELOPE_SIZE);
    }
    this.bytes = source.bytes;
    this.envelopes = envelopes;
    this.length = indexes.length;
    this.omitted = (source.omitted ?? 0) + source.length - indexes.length;
    this.#source = source;
    if (this.length === 0) this.release();
  }

  release(): void {
    this.#source.release?.();
    this.bytes = NO_BYTES;
    this.envelopes = NO_ENVELOPES;
  }
}
