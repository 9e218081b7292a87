const BLOCK = 16 * 1024 * 1024;
const VERSION_FIELD = '"resourceVersion":"';

/** Resource version of the first object. All versions of a run have the same number of digits. */
export const FIRST_VERSION = 1_000_000_000;

/** JSON texts of many objects in few large buffers. Their resource versions can be replaced in place. */
export class ObjectShelf {
  #block = Buffer.alloc(0);
  #used = 0;
  readonly #blocks: Buffer[] = [];
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  /** Positions of the digits of the resource versions. */
  readonly #versions: number[] = [];
  #bytes = 0;

  get length(): number {
    return this.#blocks.length;
  }

  /** Size of all texts in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Adds a text whose first `resourceVersion` is the one of its metadata. */
  add(json: string): void {
    const size = Buffer.byteLength(json);
    if (this.#used + size > this.#block.length) {
      this.#block = Buffer.allocUnsafeSlow(Math.max(BLOCK, size));
      this.#used = 0;
    }
    const end = this.#used + this.#block.write(json, this.#used);
    const version = this.#block.indexOf(VERSION_FIELD, this.#used) + VERSION_FIELD.length;
    this.#blocks.push(this.#block);
    this.#starts.push(this.#used);
    this.#ends.push(end);
    this.#versions.push(version);
    this.#used = end;
    this.#bytes += size;
  }

  /** Returns the text of an object: a view that changes with {@link setVersion}. */
  at(index: number): Buffer {
    const block = this.#blocks[index];
    if (!block) throw new RangeError(`no object ${index}`);
    return block.subarray(this.#starts[index], this.#ends[index]);
  }

  setVersion(index: number, version: number): void {
    this.#blocks[index]?.write(String(version), this.#versions[index] ?? 0);
  }
}
