import { integerOf } from '../schema/exact-integers.ts';

/** Malformed protobuf. The messages are those of gogo/protobuf, which kube-apiserver uses. */
export class WireError extends Error {
  override readonly name = 'WireError';
}

/** Wire types (protobuf encoding, "Message Structure"). */
export const VARINT = 0;
export const FIXED64 = 1;
export const BYTES = 2;
const GROUP_START = 3;
const GROUP_END = 4;
const FIXED32 = 5;

/** A field in wire format: a number for `VARINT` and `FIXED64`, otherwise bytes. */
export type WireField =
  | { readonly number: number; readonly wireType: typeof VARINT | typeof FIXED64; readonly value: number }
  | { readonly number: number; readonly wireType: typeof BYTES; readonly value: Buffer };

/** Reads the fields of one message. */
export class WireReader {
  readonly #bytes: Buffer;
  readonly #message: string;
  readonly #goName: (number: number) => string | undefined;
  #position = 0;

  /**
   * @param message name of the message, for errors.
   * @param goName returns the name of a known field in Go, for errors. Fields that it does not know may have any type.
   */
  constructor(bytes: Buffer, message: string, goName: (number: number) => string | undefined = () => undefined) {
    this.#bytes = bytes;
    this.#message = message;
    this.#goName = goName;
  }

  get done(): boolean {
    return this.#position >= this.#bytes.length;
  }

  /** Returns the next field that has a wire type in use, or `undefined` at the end. @throws {WireError} */
  next(): WireField | undefined {
    while (!this.done) {
      const tag = this.varint();
      // Go keeps 32 bits of the number of a field.
      const number = Math.floor(tag / 8) | 0;
      const wireType = tag & 7;
      if (wireType === GROUP_END) throw new WireError(`proto: ${this.#message}: wiretype end group for non-group`);
      if (number <= 0) throw new WireError(`proto: ${this.#message}: illegal tag ${number} (wire type ${tag})`);
      switch (wireType) {
        case VARINT:
          return { number, wireType, value: this.varint() };
        case FIXED64: {
          const at = this.#advance(8);
          return { number, wireType, value: this.#bytes.readDoubleLE(at) };
        }
        case BYTES: {
          const length = this.varint();
          if (length < 0) throw new WireError('proto: negative length found during unmarshaling');
          const at = this.#advance(length);
          return { number, wireType, value: this.#bytes.subarray(at, at + length) };
        }
        default:
          this.#skipUnused(number, wireType);
      }
    }
    return undefined;
  }

  /** Skips a value of a wire type that no known field has. */
  #skipUnused(number: number, wireType: number): void {
    const name = this.#goName(number);
    if (name !== undefined) throw new WireError(`proto: wrong wireType = ${wireType} for field ${name}`);
    if (wireType === GROUP_START) this.#skipGroup();
    else if (wireType === FIXED32) this.#advance(4);
    else throw new WireError(`proto: illegal wireType ${wireType}`);
  }

  /** Reads a signed 64-bit number. Beyond 2^53 it is rounded: fields with such a number are refused. */
  varint(): number {
    let value = 0;
    let scale = 1;
    for (let index = 0; index < 7; index++) {
      const byte = this.#byte();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 0x80;
    }
    let large = BigInt(value);
    for (let shift = 49n; shift < 64n; shift += 7n) {
      const byte = this.#byte();
      large |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return Number(BigInt.asIntN(64, large));
    }
    throw new WireError('proto: integer overflow');
  }

  #byte(): number {
    const byte = this.#bytes[this.#position];
    if (byte === undefined) throw new WireError('unexpected EOF');
    this.#position += 1;
    return byte;
  }

  /** Skips bytes. Returns the position before. */
  #advance(length: number): number {
    const at = this.#position;
    if (at + length > this.#bytes.length) throw new WireError('unexpected EOF');
    this.#position = at + length;
    return at;
  }

  #skipGroup(): void {
    for (let depth = 1; depth > 0;) {
      switch (this.varint() & 7) {
        case VARINT:
          this.varint();
          break;
        case FIXED64:
          this.#advance(8);
          break;
        case BYTES: {
          const length = this.varint();
          if (length < 0) throw new WireError('proto: negative length found during unmarshaling');
          this.#advance(length);
          break;
        }
        case GROUP_START:
          depth += 1;
          break;
        case GROUP_END:
          depth -= 1;
          break;
        case FIXED32:
          this.#advance(4);
          break;
        default:
          throw new WireError('proto: illegal wireType');
      }
    }
  }
}

/**
 * Writes fields from the last to the first, so that the length of a message is known when its tag is written. (Go's
 * generated encoders do the same.)
 */
export class BackwardWriter {
  #buffer: Buffer;
  #start: number;

  /** @param capacity initial size of the buffer, in bytes. */
  constructor(capacity = 1024) {
    this.#buffer = Buffer.allocUnsafe(capacity);
    this.#start = capacity;
  }

  /** Number of bytes written. */
  get length(): number {
    return this.#buffer.length - this.#start;
  }

  tag(number: number, wireType: number): void {
    this.varint(number * 8 + wireType);
  }

  bytes(value: Uint8Array): void {
    this.#reserve(value.length);
    this.#buffer.set(value, this.#start);
  }

  string(value: string): void {
    const length = Buffer.byteLength(value);
    this.#reserve(length);
    this.#buffer.write(value, this.#start);
  }

  double(value: number): void {
    this.#reserve(8);
    this.#buffer.writeDoubleLE(value, this.#start);
  }

  /** @param value an integer; a negative one takes ten bytes. */
  varint(value: number): void {
    if (value >= 0 && value < 0x80) {
      this.#reserve(1);
      this.#buffer[this.#start] = value;
      return;
    }
    const septets: number[] = [];
    if (value > 0 && Number.isSafeInteger(value)) {
      for (let rest = value; rest > 0; rest = Math.floor(rest / 0x80)) septets.push(rest % 0x80);
    } else {
      for (let rest = BigInt.asUintN(64, integerOf(value)); rest > 0n; rest >>= 7n) septets.push(Number(rest & 0x7fn));
    }
    this.#reserve(septets.length);
    for (const [index, septet] of septets.entries()) {
      this.#buffer[this.#start + index] = index === septets.length - 1 ? septet : septet | 0x80;
    }
  }

  finish(): Buffer {
    return this.#buffer.subarray(this.#start);
  }

  #reserve(length: number): void {
    if (length > this.#start) {
      const written = this.finish();
      const grown = Buffer.allocUnsafe((written.length + length) * 2);
      grown.set(written, grown.length - written.length);
      this.#start = grown.length - written.length;
      this.#buffer = grown;
    }
    this.#start -= length;
  }
}
