import { CLOSE_OBJECT, COLON, COMMA, equals, QUOTE, SPACE, TEXT } from './json-bytes.ts';

/** The name of a field: its text, and its JSON without escapes. */
export class FieldName {
  readonly text: string;
  readonly bytes: Uint8Array;

  constructor(text: string) {
    this.text = text;
    this.bytes = Buffer.from(text);
  }
}

/** Maximum number of bytes of a UTF-16 code unit in JSON, as in `\u0061`. */
const LONGEST_UNIT = 6;

/** Place of a value in its bytes: `start` is inclusive, `end` is exclusive. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * Walks over the fields of a JSON object without decoding it. The bytes must have been checked by a scanner.
 *
 * @example
 * const fields = new FieldCursor(bytes, start);
 * while (fields.next()) if (fields.is(LABELS)) labels = { start: fields.value, end: fields.end };
 */
export class FieldCursor {
  readonly #bytes: Buffer;
  #at: number;
  /** Range of the name, without quotes. */
  nameStart = 0;
  nameEnd = 0;
  /** Whether the name has neither escapes nor characters other than ASCII. */
  isPlain = true;
  /** The decoded name, if it is known. */
  #name: string | undefined;
  /** Range of the value. After the last field, `end` is the end of the object. */
  value = 0;
  end = 0;

  /** @param start index of the brace that begins the object. */
  constructor(bytes: Buffer, start: number) {
    this.#bytes = bytes;
    this.#at = start + 1;
  }

  /** Goes to the next field. Returns `false` if there is none. */
  next(): boolean {
    const b = this.#bytes;
    let at = this.#at;
    while (b[at] !== QUOTE) {
      if (b[at] === CLOSE_OBJECT) {
        this.end = at + 1;
        return false;
      }
      at += 1;
    }
    this.nameStart = at + 1;
    this.#name = undefined;
    do at += 1;
    while (TEXT[b[at] as number] === 1);
    this.isPlain = b[at] === QUOTE;
    if (!this.isPlain) at = endOfString(b, at);
    this.nameEnd = at;
    do at += 1;
    while (b[at] !== COLON);
    do at += 1;
    while ((b[at] as number) <= SPACE);
    this.value = at;
    this.end = afterValue(b, at);
    this.#at = this.end;
    return true;
  }

  /** First byte of the value. */
  get first(): number {
    return this.#bytes[this.value] as number;
  }

  is(name: FieldName): boolean {
    const length = this.nameEnd - this.nameStart;
    if (!this.isPlain) {
      // Each code unit of the text needs at least one byte.
      const { text } = name;
      return length >= text.length && length <= text.length * LONGEST_UNIT && this.name() === text;
    }
    return length === name.bytes.length && equals(this.#bytes, this.nameStart, name.bytes);
  }

  /** Goes to the end of the object. Returns the range of the last value with a name, as `JSON.parse` does. */
  last(name: FieldName): Range | undefined {
    let found: Range | undefined;
    while (this.next()) if (this.is(name)) found = { start: this.value, end: this.end };
    return found;
  }

  /** Returns the decoded name. */
  name(): string {
    return (this.#name ??= this.isPlain
      ? this.#bytes.toString('latin1', this.nameStart, this.nameEnd)
      : (JSON.parse(this.#bytes.toString('utf8', this.nameStart - 1, this.nameEnd + 1)) as string));
  }
}

/** Returns the index of the quote that ends a string. @param at index of a byte in the string. */
function endOfString(b: Uint8Array, at: number): number {
  for (;;) {
    while (TEXT[b[at] as number] !== 0) at += 1;
    if (b[at] === QUOTE) return at;
    at += 2;
  }
}

/** Returns the index that follows a value. The bytes must have been checked by a scanner. */
export function afterValue(b: Uint8Array, at: number): number {
  let depth = 0;
  for (;;) {
    const c = b[at] as number;
    if (c === QUOTE) {
      at = endOfString(b, at + 1);
    } else if (isOpening(c)) {
      depth += 1;
    } else if (isClosing(c)) {
      depth -= 1;
    } else if (depth === 0) {
      return afterScalar(b, at);
    }
    at += 1;
    if (depth === 0) return at;
  }
}

function afterScalar(b: Uint8Array, at: number): number {
  let c = b[at] as number;
  while (c > SPACE && c !== COMMA && !isClosing(c)) c = b[(at += 1)] as number;
  return at;
}

/** The bit that distinguishes `{` from `[`, and `}` from `]`. */
const BRACE_BIT = 0x20;

function isOpening(c: number): boolean {
  return (c | BRACE_BIT) === 0x7b;
}

function isClosing(c: number): boolean {
  return (c | BRACE_BIT) === CLOSE_OBJECT;
}
