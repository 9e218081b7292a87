import { randomUUID } from 'node:crypto';
import { formatDeepJson } from './deep-json.ts';
import { DocumentError } from './document-error.ts';
import { endOfString } from './structure.ts';

/*
 * JavaScript numbers hold integers up to 2^53 - 1, but the API has 64-bit fields. Larger integers become bigint, so
 * that a write sends the value that was read. To pass through the JSON parser and serializer, they become strings with
 * a mark that is unique to this process.
 */
const MARK = `integer ${randomUUID()} `;
const MARKED = new RegExp(`"${MARK}(-?\\d+)"`, 'g');

/** Number of digits of 2^53 - 1. Integers with fewer digits fit into a number. */
const DIGITS = 16;
/** Maximum number of large integers in a document. Each takes about a microsecond. */
const MAX_LARGE = 20_000;
/** Matches an integer that may be too large for a number. Integers with more than 19 digits exceed 64 bits as well. */
const LONG_INTEGER = /^-?[1-9]\d{15,18}$/;

const QUOTE = 0x22;
const ZERO = 0x30;
const NINE = 0x39;

/**
 * Like `JSON.parse`, except that 64-bit integers that a number cannot hold exactly become bigint. Go's decoder for
 * unstructured objects also keeps these integers exact and rounds all others.
 *
 * @throws {DocumentError} if the text is not JSON, or has more than 20,000 such integers.
 */
export function parseJson(text: string): unknown {
  const marked = hasManyDigits(text) ? markIntegers(text) : text;
  const value = parse(marked);
  return marked === text ? value : unmarked(value);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // The parser's error quotes the text, which may be part of a Secret.
    throw new DocumentError('is not JSON');
  }
}

/**
 * Like `JSON.stringify`, except that a bigint becomes an integer, and that a value may be nested more deeply than the call
 * stack.
 *
 * @throws {TypeError} if the value contains itself, or is nested more than 10,000 levels deep.
 */
export function formatJson(value: unknown): string {
  try {
    return format(value);
  } catch (error) {
    const isHolder = typeof value === 'object' && value !== null;
    if (error instanceof RangeError && isHolder) return formatDeepJson(value);
    throw error;
  }
}

function format(value: unknown): string {
  if (!('toJSON' in BigInt.prototype)) {
    try {
      return JSON.stringify(value);
    } catch (error) {
      // The value contains a bigint, or itself.
      if (!(error instanceof TypeError)) throw error;
    }
  }
  return JSON.stringify(value, markBigInt).replace(MARKED, '$1');
}

/**
 * Reads the original value from its holder, `this`: if a program has defined `BigInt.prototype.toJSON`, it has already
 * run.
 */
function markBigInt(this: unknown, name: string, value: unknown): unknown {
  const original = (this as Readonly<Record<string, unknown>>)[name];
  return typeof original === 'bigint' ? `${MARK}${original}` : value;
}

/** Reports whether a text may contain a large integer. Checks every sixteenth character and extends from digits. */
function hasManyDigits(text: string): boolean {
  for (let at = DIGITS - 1; at < text.length; at += DIGITS) {
    if (!isDigit(text.charCodeAt(at))) continue;
    let start = at;
    while (start > 0 && isDigit(text.charCodeAt(start - 1))) start -= 1;
    let end = at + 1;
    while (end < text.length && isDigit(text.charCodeAt(end))) end += 1;
    if (end - start >= DIGITS) return true;
    at = end - 1;
  }
  return false;
}

/** Returns the text with large integers as marked strings. Invalid JSON stays invalid. */
function markIntegers(text: string): string {
  const parts: string[] = [];
  let copied = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at + 1);
    if (!isDigit(code)) continue;
    const start = text[at - 1] === '-' ? at - 1 : at;
    while (isPartOfNumber(text.charCodeAt(at + 1))) at += 1;
    const token = text.slice(start, at + 1);
    if (!LONG_INTEGER.test(token) || !isLarge(BigInt(token)) || isBeforeColon(text, at + 1)) continue;
    parts.push(text.slice(copied, start), `"${MARK}${token}"`);
    if (parts.length > 2 * MAX_LARGE) throw new DocumentError(`has more than ${MAX_LARGE} integers above 2^53`);
    copied = at + 1;
  }
  return copied === 0 ? text : parts.join('') + text.slice(copied);
}

function isLarge(integer: bigint): boolean {
  return !Number.isSafeInteger(Number(integer)) && BigInt.asIntN(64, integer) === integer;
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}

/** Reports whether a character continues a number: a digit, or one of `.`, `e`, `E`, `+` and `-`. */
function isPartOfNumber(code: number): boolean {
  return isDigit(code) || code === 0x2e || (code | 0x20) === 0x65 || code === 0x2b || code === 0x2d;
}

/** An unquoted name is an error, which a mark would hide. */
function isBeforeColon(text: string, from: number): boolean {
  let at = from;
  while (text.charCodeAt(at) <= 0x20) at += 1;
  return text[at] === ':';
}

type Holder = Record<string, unknown>;

/** Replaces marked strings with integers, in place. Avoids recursion, because objects may be nested deeply. */
function unmarked(value: unknown): unknown {
  const root: Holder = { value };
  const holders: Holder[] = [root];
  for (let holder = holders.pop(); holder; holder = holders.pop()) {
    for (const name of Object.keys(holder)) {
      const field = holder[name];
      if (typeof field === 'object' && field !== null) holders.push(field as Holder);
      else if (typeof field === 'string' && field.startsWith(MARK))
        replace(holder, name, BigInt(field.slice(MARK.length)));
    }
  }
  return root.value;
}

/** Defines the field instead of assigning it, because an assignment to `__proto__` sets the prototype. */
function replace(holder: Holder, name: string, value: bigint): void {
  Object.defineProperty(holder, name, { value, enumerable: true, configurable: true, writable: true });
}
