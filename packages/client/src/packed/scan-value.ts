import { OBJECT_LIMITS } from '../json/structure.ts';
import {
  BACKSLASH,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  MINUS,
  NEWLINE,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  SPACE,
  TEXT,
} from './json-bytes.ts';

/** Results of a scan other than the index that follows the value. */
export const SCAN = {
  /** The bytes end before the value. */
  incomplete: -1,
  /** Not JSON. */
  invalid: -2,
  /** Nested more deeply than {@link OBJECT_LIMITS}. */
  tooDeep: -3,
  /** Not checked completely, so the caller must parse it: see `scanObject`. */
  irregular: -4,
} as const;

/**
 * State of the current scan beside its position. Kept in one object, because the functions below run once per value and
 * must not allocate.
 */
export const scan = {
  /** Index of the zero byte that ends the window. */
  limit: 0,
  /** Number of integers of 16 or more digits so far. */
  longIntegers: 0,
  /** Index of the last newline between two tokens; -1 if there is none. */
  newline: -1,
};

/** Prepares the scan of a window. */
export function beginScan(limit: number): void {
  scan.limit = limit;
  scan.longIntegers = 0;
  scan.newline = -1;
}

const DEPTH = OBJECT_LIMITS.depth;
/** Whether each open container is an object: 1, or an array: 0. */
const isObject = new Uint8Array(DEPTH);

/** Number of digits of the smallest integer that may not fit into a number. */
const LONG_INTEGER = 16;
const ZERO = 0x30;
const NINE = 0x39;
const DOT = 0x2e;
const PLUS = 0x2b;
/** `e`, and the bit that distinguishes it from `E`. */
const EXPONENT = 0x65;
const CASE_BIT = 0x20;

/**
 * Checks one JSON value against the whole grammar (RFC 8259), like `JSON.parse`. Uses a stack instead of recursion.
 *
 * This function visits every byte of every list and watch. The loops over names and strings are written out, because
 * most strings are so short that a call costs more than the loop. Each function here has one exit for failures, because
 * the compiler discards code when it first reaches a call.
 *
 * @param at index of the first byte of the value.
 * @param level number of containers around the value.
 * @returns the index that follows the value, or one of {@link SCAN}.
 */
export function scanValue(b: Uint8Array, at: number, level: number): number {
  let depth = level;
  let inObject = false;
  let c = b[at] as number;
  scanning: for (;;) {
    // A field begins at `at` with `c` in an object, a value elsewhere.
    if (inObject) {
      if (c !== QUOTE) break;
      c = b[(at += 1)] as number;
      while (TEXT[c] !== 0) c = b[(at += 1)] as number;
      if (c !== QUOTE) {
        at = endOfString(b, at);
        if (b[at] !== QUOTE) break;
      }
      c = b[(at += 1)] as number;
      if (c <= SPACE) c = b[(at = skipSpace(b, at))] as number;
      if (c !== COLON) break;
      c = b[(at += 1)] as number;
      if (c <= SPACE) c = b[(at = skipSpace(b, at))] as number;
    }
    if (c === QUOTE) {
      c = b[(at += 1)] as number;
      while (TEXT[c] !== 0) c = b[(at += 1)] as number;
      if (c !== QUOTE) {
        at = endOfString(b, at);
        if (b[at] !== QUOTE) break;
      }
      at += 1;
    } else if (c === OPEN_OBJECT || c === OPEN_ARRAY) {
      if (depth >= DEPTH) return SCAN.tooDeep;
      inObject = c === OPEN_OBJECT;
      isObject[depth] = inObject ? 1 : 0;
      depth += 1;
      c = b[(at += 1)] as number;
      if (c <= SPACE) c = b[(at = skipSpace(b, at))] as number;
      if (c !== (inObject ? CLOSE_OBJECT : CLOSE_ARRAY)) continue;
      at += 1;
      depth -= 1;
      inObject = depth > level && isObject[depth - 1] === 1;
    } else {
      at = scanScalar(b, at, c);
      if (at < 0) return at;
    }
    // The value has ended before `at`.
    for (;;) {
      if (depth === level) return at;
      c = b[at] as number;
      if (c <= SPACE) c = b[(at = skipSpace(b, at))] as number;
      if (c === COMMA) break;
      if (c !== (inObject ? CLOSE_OBJECT : CLOSE_ARRAY)) break scanning;
      at += 1;
      depth -= 1;
      inObject = depth > level && isObject[depth - 1] === 1;
    }
    c = b[(at += 1)] as number;
    if (c <= SPACE) c = b[(at = skipSpace(b, at))] as number;
  }
  return failure(at);
}

/** Checks the colon after a name. Returns the index of the value, or one of {@link SCAN}. */
export function scanColon(b: Uint8Array, at: number): number {
  if (b[at] !== COLON) at = skipSpace(b, at);
  if (b[at] !== COLON) return failure(at);
  at += 1;
  return (b[at] as number) <= SPACE ? skipSpace(b, at) : at;
}

/** Returns the index of the quote that ends a string, or of the first byte that is not allowed in a string. */
export function endOfString(b: Uint8Array, at: number): number {
  for (;;) {
    while (TEXT[b[at] as number] !== 0) at += 1;
    if (b[at] !== BACKSLASH) return at;
    const next = afterEscape(b, at);
    if (next === at) return at;
    at = next;
  }
}

/** Returns the index that follows an escape, or that of its backslash if it is not an escape. */
function afterEscape(b: Uint8Array, at: number): number {
  const { limit } = scan;
  switch (b[at + 1]) {
    case 0x22: // "
    case 0x2f: // /
    case 0x5c: // \
    case 0x62: // b
    case 0x66: // f
    case 0x6e: // n
    case 0x72: // r
    case 0x74: // t
      return at + 2;
    case 0x75: // u
      for (let digit = at + 2; digit < at + 6; digit += 1) {
        if (!isHexadecimal(b[digit] as number)) return digit === limit ? limit : at;
      }
      return at + 6;
    default:
      return at + 1 === limit ? limit : at;
  }
}

function isHexadecimal(c: number): boolean {
  return isDigit(c) || ((c | CASE_BIT) >= 0x61 && (c | CASE_BIT) <= 0x66);
}

function isDigit(c: number): boolean {
  return c >= ZERO && c <= NINE;
}

/** Returns the index of the next byte that is not a space. */
export function skipSpace(b: Uint8Array, at: number): number {
  for (;;) {
    const c = b[at];
    if (c === NEWLINE) scan.newline = at;
    else if (c !== SPACE && c !== 0x09 && c !== 0x0d) return at;
    at += 1;
  }
}

function scanScalar(b: Uint8Array, at: number, first: number): number {
  switch (first) {
    case 0x74: // t
      return scanWord(b, at, 0x72, 0x75, 0x65, 0);
    case 0x66: // f
      return scanWord(b, at, 0x61, 0x6c, 0x73, 0x65);
    case 0x6e: // n
      return scanWord(b, at, 0x75, 0x6c, 0x6c, 0);
    default:
      return scanNumber(b, at);
  }
}

/** Checks the bytes after the first one of `true`, `false` or `null`. @param fifth 0 for a word of four letters. */
function scanWord(b: Uint8Array, at: number, second: number, third: number, fourth: number, fifth: number): number {
  if (b[(at += 1)] !== second || b[(at += 1)] !== third || b[(at += 1)] !== fourth) return failure(at);
  if (fifth === 0) return at + 1;
  return b[(at += 1)] === fifth ? at + 1 : failure(at);
}

function scanNumber(b: Uint8Array, at: number): number {
  if (b[at] === MINUS) at += 1;
  const start = at;
  let c = b[at] as number;
  while (c >= ZERO && c <= NINE) c = b[(at += 1)] as number;
  const digits = at - start;
  if (digits === 0 || (digits > 1 && b[start] === ZERO)) return failure(at);
  if (c !== DOT && (c | CASE_BIT) !== EXPONENT) {
    if (digits >= LONG_INTEGER) scan.longIntegers += 1;
    return at;
  }
  if (c === DOT) {
    at = skipDigits(b, at + 1);
    if (at < 0) return at;
    c = b[at] as number;
  }
  if ((c | CASE_BIT) !== EXPONENT) return at;
  c = b[(at += 1)] as number;
  return skipDigits(b, c === PLUS || c === MINUS ? at + 1 : at);
}

/** Returns the index that follows one or more digits, or one of {@link SCAN}. */
function skipDigits(b: Uint8Array, at: number): number {
  const start = at;
  while (isDigit(b[at] as number)) at += 1;
  return at > start ? at : failure(at);
}

/** Returns why a scan ends at a byte that the grammar does not allow there. */
export function failure(at: number): number {
  return at === scan.limit ? SCAN.incomplete : SCAN.invalid;
}
