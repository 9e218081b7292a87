import { envelopeOfIrregular } from './irregular-object.ts';
import { ENVELOPE, ENVELOPE_SIZE, PACKED_FLAG, type PackedBatch } from './packed-batch.ts';
import { envelope } from './scan-object.ts';
import { scan } from './scan-value.ts';
import type { Window } from './window.ts';

/** Collects the objects of a window in batches. */
export class BatchWriter {
  readonly #window: Window;
  /** Number of objects in the batches that were taken. */
  #taken = 0;
  /** Number of objects. */
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
      const place = this.#window.append(text);
      this.#window.envelopes[at + field] = place;
      this.#window.envelopes[at + field + 1] = place + text.length;
    }
  }

  /** Returns the objects since the last call, or `undefined` if there are none. */
  take(): PackedBatch | undefined {
    if (this.#length === this.#taken) return undefined;
    const batch = this.#window.batch(this.#taken, this.#length);
    this.#taken = this.#length;
    return batch;
  }

  /** Appends the object of `envelope`. Returns the place of its envelope. */
  #append(type: number, flags: number): number {
    const at = this.#window.reachEnvelope(this.#length);
    const { envelopes } = this.#window;
    for (let field: number = ENVELOPE.object; field < ENVELOPE_SIZE; field += 1) {
      envelopes[at + field] = envelope[field] as number;
    }
    envelopes[at] = type;
    envelopes[at + ENVELOPE.flags] = flags;
    this.#length += 1;
    return at;
  }
}
