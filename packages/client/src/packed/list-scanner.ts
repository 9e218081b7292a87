import { DocumentError } from '../json/document-error.ts';
import { parseJson } from '../json/json.ts';
import { parseDocument } from '../json/parse-document.ts';
import { Pieces } from '../json/pieces.ts';
import { excessOf } from '../json/structure.ts';
import { expected, listMetadataProblem, namedObjectProblem } from '../kinds/object-shape.ts';
import type { KubernetesList } from '../kinds/object.ts';
import { continueTokenIn } from '../response/continue-token.ts';
import { BatchWriter } from './batch-writer.ts';
import { exceedsCost } from './element-cost.ts';
import { BACKSLASH, CLOSE_ARRAY, CLOSE_OBJECT, COMMA, equals, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from './json-bytes.ts';
import { ObjectShapeError } from './object-shape-error.ts';
import { PACKED_TYPE, type PackedBatch } from './packed-batch.ts';
import { scanObject } from './scan-object.ts';
import { beginScan, endOfString, failure, scan, SCAN, scanColon, scanValue, skipSpace } from './scan-value.ts';
import { loadWindow } from './window.ts';

/** Maximum size of the list without its objects, in bytes. */
const LARGEST_ENVELOPE = 1024 * 1024;
/** Number of containers around an object: the list and its array. */
const LEVEL = 2;
const TOO_COSTLY = String(excessOf({ cost: Infinity, depth: 0 }));
const TOO_DEEP = String(excessOf({ cost: 0, depth: Infinity }));

export interface ListScannerOptions {
  /** Maximum size of one object, in bytes. */
  readonly maxItem: number;
  /** Receives the token of the next page while the objects are still arriving, if it comes before them. */
  readonly onContinue?: ((token: string) => void) | undefined;
}

/** The end of a list. */
export interface ListEnd {
  readonly metadata: KubernetesList<never>['metadata'];
  /** Objects that `push` has not returned yet. */
  readonly batch: PackedBatch | undefined;
}

/** The next part of a list. */
type Expected =
  | 'document'
  /** A field, or the end of an object without fields. */
  | 'first field'
  /** A comma and a field, or the end of the object. */
  | 'field'
  /** An object, or the end of an empty array. */
  | 'first item'
  | 'item'
  /** A comma and an item, or the end of the array. */
  | 'comma'
  /** Only space. */
  | 'end'
  /** A document that is not an object. It is parsed at its end. */
  | 'other';

/**
 * Scans a list while its bytes arrive, and returns its objects as soon as they are complete. Fields may come in any
 * order. Keeps only the other fields of the list, and an unfinished object or field, which is scanned again when its
 * size has doubled.
 */
export class ListScanner {
  readonly #options: ListScannerOptions;
  /** The list, with `[]` in place of its objects. */
  readonly #envelope = new Pieces();
  /** Bytes of an unfinished object or field. */
  readonly #tail = new Pieces();
  /** Size of the tail when it was last scanned. */
  #scanned = 0;
  #expected: Expected = 'document';
  #hasItems = false;
  /** Number of objects so far. */
  #count = 0;

  constructor(options: ListScannerOptions) {
    this.#options = options;
  }

  /**
   * Returns the objects that are complete, if there are any.
   *
   * @param chunks must not change later. A call takes about a millisecond for each 512 KiB, unless an object is longer.
   * @throws {DocumentError} if the list is not JSON or exceeds a limit.
   * @throws {ObjectShapeError} if an item is not an object with a name.
   */
  push(...chunks: readonly Uint8Array[]): PackedBatch | undefined {
    for (const chunk of chunks) this.#tail.add(chunk);
    const { size } = this.#tail;
    return size >= 2 * this.#scanned || size > this.#options.maxItem ? this.#scan() : undefined;
  }

  /**
   * Ends the list.
   *
   * @throws {DocumentError} if the document is not JSON.
   * @throws {ObjectShapeError} if it is not a list.
   */
  end(): ListEnd {
    const batch = this.#scan();
    if (this.#expected !== 'end' && this.#expected !== 'other') throw new DocumentError('is not JSON');
    const list = parseDocument(this.#envelope.take().toString('utf8'));
    if (typeof list !== 'object' || list === null) {
      throw new ObjectShapeError(expected('the document', 'an object', list));
    }
    const { metadata, items } = list as { readonly metadata?: unknown; readonly items?: unknown };
    const isArray = items === null || Array.isArray(items);
    const problem = listMetadataProblem(metadata) ?? (isArray ? undefined : expected('items', 'an array', items));
    if (problem !== undefined) throw new ObjectShapeError(problem);
    return { metadata: metadata as ListEnd['metadata'], batch };
  }

  #scan(): PackedBatch | undefined {
    const window = loadWindow(this.#tail.takeAll());
    const { bytes, limit } = window;
    const writer = new BatchWriter(window);
    const hadItems = this.#hasItems;
    beginScan(limit);
    let at = 0;
    for (let next = 0; next >= 0; next = at < limit ? this.#step(bytes, at, writer) : SCAN.incomplete) {
      at = this.#expected === 'other' ? next : skipSpace(bytes, next);
    }
    this.#keepTail(bytes.subarray(at, limit));
    const batch = writer.take();
    window.release();
    const { onContinue } = this.#options;
    if (onContinue && this.#hasItems && !hadItems) this.#passToken(onContinue);
    return batch;
  }

  /** Scans one field or object. Returns the index that follows it, or `SCAN.incomplete`. */
  #step(b: Buffer, at: number, writer: BatchWriter): number {
    switch (this.#expected) {
      case 'document':
        if (b[at] === OPEN_OBJECT) return this.#take(b, at, at + 1, 'first field');
        return this.#take(b, at, scan.limit, 'other');
      case 'other':
        return this.#take(b, at, scan.limit, 'other');
      case 'first field':
      case 'field':
        if (b[at] === CLOSE_OBJECT) return this.#take(b, at, at + 1, 'end');
        return this.#scanField(b, at);
      case 'first item':
        if (b[at] === CLOSE_ARRAY) return this.#take(b, at, at + 1, 'field');
        return this.#scanItem(b, at, writer);
      case 'item':
        return this.#scanItem(b, at, writer);
      case 'comma':
        if (b[at] === CLOSE_ARRAY) return this.#take(b, at, at + 1, 'field');
        if (b[at] !== COMMA) throw new DocumentError('is not JSON');
        this.#expected = 'item';
        return at + 1;
      case 'end':
        throw new DocumentError('is not JSON');
    }
  }

  #scanField(b: Buffer, at: number): number {
    const isFirst = this.#expected === 'first field';
    if (!isFirst && b[at] !== COMMA) throw new DocumentError('is not JSON');
    const name = isFirst ? at : skipSpace(b, at + 1);
    if (b[name] !== QUOTE) return incomplete(failure(name));
    const nameEnd = endOfString(b, name + 1);
    if (b[nameEnd] !== QUOTE) return incomplete(failure(nameEnd));
    const value = scanColon(b, nameEnd + 1);
    if (value < 0) return incomplete(value);
    if (isItems(b, name, nameEnd + 1)) {
      if (b[value] === OPEN_ARRAY) return this.#beginItems(b, at, value + 1);
      // Objects that were returned cannot be taken back.
      if (this.#hasItems) throw new DocumentError('has more than one field named items');
    }
    const end = scanValue(b, value, 1);
    if (end < 0) return incomplete(end);
    // A number may continue.
    return end === scan.limit ? SCAN.incomplete : this.#take(b, at, end, 'field');
  }

  #beginItems(b: Buffer, at: number, end: number): number {
    if (this.#hasItems) throw new DocumentError('has more than one field named items');
    this.#hasItems = true;
    return this.#take(b, at, end, 'first item');
  }

  /** Passes the token of the next page on. The receiver may scan other lists, so this scan must have ended. */
  #passToken(onContinue: (token: string) => void): void {
    const envelope = this.#envelope.take();
    this.#envelope.add(envelope);
    const token = continueTokenIn(envelope.toString('utf8'));
    if (token !== undefined) onContinue(token);
  }

  #scanItem(b: Buffer, at: number, writer: BatchWriter): number {
    let end = scanObject(b, at, LEVEL);
    const isRegular = end >= 0;
    if (end === SCAN.irregular) end = scanValue(b, at, LEVEL);
    if (end < 0) return incomplete(end, 'has an element that ');
    this.#checkItem(b, at, end);
    if (isRegular) {
      writer.add(PACKED_TYPE.listed);
    } else {
      // A number may continue.
      if (end === scan.limit && b[at] !== OPEN_OBJECT) return SCAN.incomplete;
      const problem = namedObjectProblem(parseJson(b.toString('utf8', at, end)), `items[${this.#count}]`);
      if (problem !== undefined) throw new ObjectShapeError(problem);
      writer.addIrregular(PACKED_TYPE.listed, at, end);
    }
    this.#count += 1;
    this.#expected = 'comma';
    return end;
  }

  #checkItem(b: Buffer, start: number, end: number): void {
    const { maxItem } = this.#options;
    if (end - start > maxItem) {
      throw new DocumentError(
        `has an element of more than ${maxItem} bytes: raise limits.object if objects are that large`,
      );
    }
    if (exceedsCost(b, start, end)) throw new DocumentError(`has an element that ${TOO_COSTLY}`);
  }

  /** Adds bytes to the envelope. Returns their end. */
  #take(b: Buffer, start: number, end: number, then: Expected): number {
    this.#envelope.add(Buffer.from(b.subarray(start, end)));
    this.#checkEnvelope(0);
    this.#expected = then;
    return end;
  }

  #checkEnvelope(tail: number): void {
    if (this.#envelope.size + tail <= LARGEST_ENVELOPE) return;
    throw new DocumentError(`has more than ${LARGEST_ENVELOPE} bytes beside its elements`);
  }

  #keepTail(tail: Buffer): void {
    if (this.#expected === 'item' || this.#expected === 'first item') this.#checkItem(tail, 0, tail.length);
    else this.#checkEnvelope(tail.length);
    this.#scanned = tail.length;
    this.#tail.add(Buffer.from(tail));
  }
}

/** Returns `SCAN.incomplete` if that is the result of a scan. @throws {DocumentError} for any other failure. */
function incomplete(result: number, subject = ''): number {
  if (result === SCAN.incomplete) return result;
  throw new DocumentError(result === SCAN.tooDeep ? `${subject}${TOO_DEEP}` : 'is not JSON');
}

const ITEMS = Buffer.from('"items"');

/** Reports whether a name, including its quotes, is `items`. It may have escapes. */
function isItems(b: Buffer, start: number, end: number): boolean {
  if (end - start === ITEMS.length && equals(b, start, ITEMS)) return true;
  const name = b.subarray(start, end);
  return name.includes(BACKSLASH) && JSON.parse(name.toString('utf8')) === 'items';
}
