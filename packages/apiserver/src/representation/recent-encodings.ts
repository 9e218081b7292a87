import type { ResourceType } from '../resources/resource-type.ts';
import type { StoredObject } from '../storage/stored-object.ts';

/** Maximum size of the kept encodings, in bytes. */
const LIMIT = 8 * 1024 * 1024;

/** Encodings of the latest objects: many watches send the same object at the same time. */
export class RecentEncodings {
  readonly #limit: number;
  /** Keyed by object, oldest first, then by format. */
  readonly #encodings = new Map<StoredObject, Map<unknown, Buffer>>();
  #size = 0;

  constructor(limit = LIMIT) {
    this.#limit = limit;
  }

  /**
   * Returns the encoding of an object in a format, and makes it if it is not kept.
   *
   * @param format its name, or the kind whose version and schema determine it.
   */
  get(stored: StoredObject, format: string | ResourceType, encode: () => Buffer): Buffer {
    const present = this.#encodings.get(stored)?.get(format);
    if (present) return present;
    const made = encode();
    const formats = this.#encodings.get(stored) ?? new Map<unknown, Buffer>();
    this.#encodings.set(stored, formats.set(format, made));
    this.#size += made.length;
    for (const [oldest, dropped] of this.#encodings) {
      if (this.#size <= this.#limit) break;
      this.#encodings.delete(oldest);
      for (const { length } of dropped.values()) this.#size -= length;
    }
    return made;
  }
}

/** The encodings of this process. */
export const recentEncodings = new RecentEncodings();
