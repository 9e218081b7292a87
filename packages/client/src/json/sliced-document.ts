import { DocumentError } from './document-error.ts';
import { parseJson } from './json.ts';
import { parseDocument } from './parse-document.ts';
import { Pieces } from './pieces.ts';
import { COST, excessOf, SMALLEST_EXCESS } from './structure.ts';

/**
 * Number of bytes of an array that are parsed in one call: large enough for throughput, and parsed within milliseconds.
 */
const SLICE = 256 * 1024;
/** Maximum size of the document without the elements of sliced arrays, in bytes. */
const LARGEST_ENVELOPE = 1024 * 1024;
/** Number of bytes before the bracket of an array that are searched for its name. */
const NAME_WINDOW = 64;
const NAME = /(?<!\\)"(\w+)"\s*:\s*$/;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
/** The bit that distinguishes `{` from `[`, and `}` from `]`. */
const BRACE_BIT = 0x20;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Maximum size of one element. */
export interface ElementLimit {
  readonly bytes: number;
  /** Name of the option that sets it, for errors. Default: it cannot be set. */
  readonly option?: string;
}

export interface SlicedDocumentOptions {
  /** Names of the fields whose arrays are parsed in slices, for example `items`. */
  readonly arrays: ReadonlySet<string>;
  readonly maxElement: ElementLimit;
  /** Receives the text before the first element, so that the caller can use it before the rest arrives. */
  readonly onBegin?: ((text: string) => void) | undefined;
  /** Receives the parsed elements of each slice. Errors that it throws end the parsing. */
  readonly onElements?: ((elements: readonly unknown[]) => void) | undefined;
}

/**
 * Parses a JSON object with long arrays, such as a list, while its bytes arrive. Parses the elements of the arrays in
 * slices, so that no call blocks the thread for long, and refuses an element that is too large before it is complete.
 * The result equals that of {@link parseJson}.
 */
export class SlicedDocument {
  readonly #options: SlicedDocumentOptions;
  /** Everything except the elements. It contains `[]` in place of a sliced array. */
  readonly #envelope = new Pieces();
  /** Last bytes of the envelope. */
  #tail = '';
  readonly #arrays = new Map<string, unknown[]>();
  /** Elements of the current array; `undefined` outside of an array. */
  #elements: unknown[] | undefined;
  /** Bytes of elements that are not parsed yet. */
  readonly #slice = new Pieces();
  /** Whether the slice follows a comma and therefore must contain an element. */
  #afterComma = false;
  #level = 0;
  #inString = false;
  #escaped = false;
  /** Size and structure of the current element. */
  #size = 0;
  #cost = 0;
  #depth = 0;

  constructor(options: SlicedDocumentOptions) {
    this.#options = options;
  }

  /** @throws {DocumentError} if the document exceeds a limit, or a slice of it is not JSON. */
  push(chunk: Uint8Array): void {
    /** Start of the bytes that are not stored yet. */
    let start = 0;
    /** Start of the current element; negative if it began in an earlier chunk. */
    let begin = -this.#size;
    for (let at = this.#scan(chunk, 0); at < chunk.length; at = this.#scan(chunk, at + 1)) {
      const byte = chunk[at];
      if (this.#elements) {
        this.#endElement(at - begin);
        begin = at + 1;
        if (byte === COMMA && this.#slice.size + at - start < SLICE) continue;
        this.#slice.add(chunk.subarray(start, at));
        this.#parseSlice(this.#elements);
        this.#afterComma = true;
        start = begin;
        if (byte === COMMA) continue;
        this.#elements = undefined;
        start = at;
      } else if (byte === OPEN_ARRAY) {
        this.#addToEnvelope(chunk.subarray(start, at + 1));
        start = at + 1;
        begin = start;
        this.#elements = this.#arrayThatBegins();
      }
    }
    const rest = chunk.subarray(start);
    if (!this.#elements) {
      this.#addToEnvelope(rest);
      return;
    }
    this.#size = chunk.length - begin;
    this.#checkElement(this.#size);
    this.#slice.add(rest);
  }

  /**
   * Returns the complete document.
   *
   * @throws {DocumentError} if it is not JSON.
   */
  end(): unknown {
    if (this.#elements) throw new DocumentError('is not JSON');
    const document = parseDocument(this.#envelope.take().toString('utf8'));
    if (typeof document !== 'object' || document === null) return document;
    return Object.assign(document, Object.fromEntries(this.#arrays));
  }

  /**
   * Returns the index of the next byte that begins or ends a value of the document or separates two elements, or the
   * length of the chunk if there is none. Uses local variables for speed: it visits every byte of a large list.
   */
  #scan(chunk: Uint8Array, from: number): number {
    const { length } = chunk;
    if (from >= length) return length;
    let at = this.#inString ? endOfString(chunk, this.#escaped ? from + 1 : from) + 1 : from;
    let level = this.#level;
    let cost = this.#cost;
    let depth = this.#depth;
    for (; at < length; at += 1) {
      const byte = chunk[at] as number;
      if (byte === QUOTE) {
        cost += COST.string;
        at = endOfString(chunk, at + 1);
      } else if (byte === COLON) {
        cost += COST.field;
      } else if (byte === COMMA) {
        cost += 1;
        if (level === 2) break;
      } else if ((byte | BRACE_BIT) === OPEN_BRACE) {
        cost += 1;
        level += 1;
        if (level > depth) depth = level;
        if (level === 2) break;
      } else if ((byte | BRACE_BIT) === CLOSE_BRACE) {
        level -= 1;
        if (level === 1) break;
      }
    }
    this.#level = level;
    this.#cost = cost;
    this.#depth = depth;
    this.#inString = at > length;
    this.#escaped = at > length + 1;
    return Math.min(at, length);
  }

  #addToEnvelope(piece: Uint8Array): void {
    this.#envelope.add(piece);
    if (this.#envelope.size > LARGEST_ENVELOPE) {
      throw new DocumentError(`has more than ${LARGEST_ENVELOPE} bytes beside its elements`);
    }
    const last = piece.subarray(-NAME_WINDOW);
    const text = Buffer.from(last.buffer, last.byteOffset, last.byteLength).toString('latin1');
    this.#tail = (this.#tail + text).slice(-NAME_WINDOW);
  }

  /** Returns the elements array if the bracket at the end of the envelope begins a sliced array. */
  #arrayThatBegins(): unknown[] | undefined {
    const [, name = ''] = NAME.exec(this.#tail.slice(0, -1)) ?? [];
    if (!this.#options.arrays.has(name)) return undefined;
    if (this.#arrays.size === 0 && this.#options.onBegin) {
      const text = this.#envelope.take();
      this.#envelope.add(text);
      this.#options.onBegin(text.toString('utf8'));
    }
    const elements: unknown[] = [];
    this.#arrays.set(name, elements);
    this.#afterComma = false;
    this.#resetCounts();
    return elements;
  }

  #endElement(size: number): void {
    this.#checkElement(size);
    this.#resetCounts();
  }

  #resetCounts(): void {
    this.#cost = 0;
    this.#depth = 0;
  }

  #checkElement(size: number): void {
    if (size < SMALLEST_EXCESS) return;
    const { bytes, option } = this.#options.maxElement;
    if (size > bytes) {
      const advice = option === undefined ? '' : `: raise ${option} if elements are that large`;
      throw new DocumentError(`has an element of more than ${bytes} bytes${advice}`);
    }
    const excess = excessOf({ cost: this.#cost, depth: this.#depth });
    if (excess !== undefined) throw new DocumentError(`has an element that ${excess}`);
  }

  #parseSlice(elements: unknown[]): void {
    const text = this.#slice.take().toString('utf8');
    if (this.#afterComma && text.trim() === '') throw new DocumentError('is not JSON');
    const parsed = parseJson(`[${text}]`) as unknown[];
    this.#options.onElements?.(parsed);
    for (const element of parsed) elements.push(element);
  }
}

/**
 * Returns the index of the quote that ends a string. If the chunk ends first, returns its length, plus one after a
 * backslash.
 */
function endOfString(chunk: Uint8Array, start: number): number {
  let at = start;
  for (; at < chunk.length; at += 1) {
    const byte = chunk[at];
    if (byte === QUOTE) break;
    if (byte === BACKSLASH) at += 1;
  }
  return at;
}
