import { randomBytes } from 'node:crypto';
import { KeyTable } from './key-table.ts';
import { RowPool } from './row-pool.ts';
import { TextArena } from './text-arena.ts';

/** Chosen by each process, so that a user cannot prepare values with equal hashes. */
const SECRET = randomBytes(8);
const SEED = SECRET.readInt32LE(0);
const FACTOR = SECRET.readInt32LE(4) | 1;

/** Columns of a value. */
export const VALUE = {
  /** Address of the text. */
  text: 0,
  /** Length of the text in UTF-16 code units; its complement (`~length`) if the text is not ASCII. */
  length: 1,
  hash: 2,
  /** Next value of the same bucket; -1 for none. */
  next: 3,
  /** Number of postings. */
  count: 4,
  /** First and last posting; -1 for none. */
  first: 5,
  last: 6,
} as const;

/** The distinct values of an index, as numbers. Neither numbers nor texts are in the heap. */
export class IndexValues {
  readonly #rows = new RowPool(7, VALUE.next);
  readonly #table = new KeyTable(this.#rows, VALUE);
  readonly #texts = new TextArena();

  get size(): number {
    return this.#rows.size;
  }

  get byteLength(): number {
    return this.#rows.byteLength + this.#table.byteLength + this.#texts.byteLength;
  }

  get(value: number, column: number): number {
    return this.#rows.get(value, column);
  }

  set(value: number, column: number, content: number): void {
    this.#rows.set(value, column, content);
  }

  /** Returns the number of a value, or -1 if it does not exist. */
  find(text: string): number {
    const hash = hashOf(text);
    const ascii = isAscii(text);
    const length = ascii ? text.length : ~text.length;
    const rows = this.#rows;
    for (let value = this.#table.first(hash); value >= 0; value = rows.get(value, VALUE.next)) {
      if (rows.get(value, VALUE.hash) !== hash || rows.get(value, VALUE.length) !== length) continue;
      if (this.#texts.isAt(rows.get(value, VALUE.text), text, ascii)) return value;
    }
    return -1;
  }

  /** Adds a value that does not exist, without postings. Returns its number. */
  add(text: string): number {
    const rows = this.#rows;
    const value = rows.take();
    const ascii = isAscii(text);
    rows.set(value, VALUE.text, this.#texts.add(text, ascii));
    rows.set(value, VALUE.length, ascii ? text.length : ~text.length);
    rows.set(value, VALUE.hash, hashOf(text));
    rows.set(value, VALUE.count, 0);
    rows.set(value, VALUE.first, -1);
    rows.set(value, VALUE.last, -1);
    this.#table.insert(value);
    return value;
  }

  remove(value: number): void {
    const rows = this.#rows;
    const length = rows.get(value, VALUE.length);
    this.#table.remove(value);
    this.#texts.remove(rows.get(value, VALUE.text), length < 0 ? ~length : length, length >= 0);
    rows.give(value);
  }
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 0x7f) return false;
  return true;
}

function hashOf(text: string): number {
  let hash = SEED;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), FACTOR);
    hash ^= hash >>> 15;
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return hash ^ (hash >>> 13);
}
