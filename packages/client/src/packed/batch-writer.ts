import { keepIntegers, keepMemory, memoryFor } from './batch-memory.ts';
import { envelopeOfIrregular } from './irregular-object.ts';
import { ENVELOPE, ENVELOPE_SIZE, PACKED_FLAG, type PackedBatch } from './packed-batch.ts';
import { envelope } from './scan-object.ts';
import { scan } from './scan-value.ts';
import type { Window } from './window.ts';

/** Envelopes of the batch that is being written. One array is enough, because a batch is written synchronously. */
let envelopes = new Int32Array(256 * ENVELOPE_SIZE);

/** Collects objects of a window in a batch, without the bytes between them. */
export class BatchWriter {
  readonly #window: Window;
  #bytes: Buffer = Buffer.alloc(0);
  /** Number of bytes in use. */
  #size = 0;
  #length = 0;

  constructor(window: Window) {
    this.#window = window;
  }

  /** Adds the object that `scanObject` has just accepted. @param type one of `PACKED_TYPE`. */
  add(type: number): void {
    this.#append(type, scan.longIntegers > 0 ? PACKED_FLAG.longInteger : 0);
  }

  /** Adds an object that `scanObject` does not accept, after its grammar and its shape have been checked. */
  addIrregular(type: number, start: number, end: number): void {
    const { flags, texts } = envelopeOfIrregular(this.#window.bytes, start, end);
    const at = this.#append(type, flags);
    for (const [field, text] of texts) {
      this.#reserve(text.length);
      this.#bytes.set(text, this.#size);
      envelopes[at + field] = this.#size;
      envelopes[at + field + 1] = this.#size + text.length;
      this.#size += text.length;
    }
  }

  /** Returns the objects since the last call, or `undefined` if there are none. */
  take(): PackedBatch | undefined {
    if (this.#length === 0) return undefined;
    const batch = {
      bytes: keepMemory(this.#bytes, this.#size),
      envelopes: keepIntegers(envelopes.subarray(0, this.#length * ENVELOPE_SIZE)),
      length: this.#length,
    };
    this.#bytes = Buffer.alloc(0);
    this.#size = 0;
    this.#length = 0;
    return batch;
  }

  /** Appends the object of `envelope`. Returns the place of its envelope. */
  #append(type: number, flags: number): number {
    const start = envelope[ENVELOPE.object] as number;
    const end = envelope[ENVELOPE.object + 1] as number;
    this.#reserve(end - start);
    this.#window.bytes.copy(this.#bytes, this.#size, start, end);
    const at = this.#length * ENVELOPE_SIZE;
    if (at === envelopes.length) envelopes = doubled(envelopes);
    envelopes[at] = type;
    envelopes[at + ENVELOPE.flags] = flags;
    const shift = this.#size - start;
    for (let field: number = ENVELOPE.object; field < ENVELOPE_SIZE; field += 1) {
      const index = envelope[field] as number;
      envelopes[at + field] = index === 0 ? 0 : index + shift;
    }
    // Index 0 of the window is not an unset field here.
    envelopes[at + ENVELOPE.object] = this.#size;
    this.#length += 1;
    this.#size += end - start;
    return at;
  }

  /** Makes room for more bytes: at first, for all that follow in the window. */
  #reserve(size: number): void {
    const needed = this.#size + size;
    if (needed <= this.#bytes.length) return;
    const rest = this.#window.limit - (envelope[ENVELOPE.object] as number);
    const larger = memoryFor(Math.max(needed, this.#size + rest));
    larger.set(this.#bytes.subarray(0, this.#size));
    this.#bytes = larger;
  }
}

function doubled(array: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(2 * array.length);
  larger.set(array);
  return larger;
}
