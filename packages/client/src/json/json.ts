import { randomUUID } from 'node:crypto';
import { DocumentError } from './document-error.ts';
import { endOfString } from './structure.ts';

/*
 * A JavaScript number holds integers up to 2^53 - 1, and the API has fields of 64 bits. Larger integers become bigint, so
 * that a write sends back the value that was read. For this, such integers pass through the parser and the serializer as
 * strings with a mark that no other text of this process has.
 */
const MARK = `integer ${randomUUID()} `;
const MARKED = new RegExp(`"${MARK}(-?\\d+)"`, 'g');

/** Number of digits of 2^53 - 1, the smallest number of digits of an integer that does not fit into a number. */
const DIGITS = 16;
/** Number of large integers that a document may have. Each takes about a microsecond. */
const MAX_LARGE = 20_000;
/** An integer in JSON with enough digits. Those with more than 19 digits do not fit into 64 bits either. */
const LONG_INTEGER = /^-?[1-9]\d{15,18}$/;

const QUOTE = 0x22;
const ZERO = 0x30;
const NINE = 0x39;

/**
 * Like `JSON.parse`, except that integers of 64 bits which a number cannot hold exactly become bigint. Go's decoder for
 * unstructured objects keeps the same integers exact, and rounds all others.
 *
 * @throws {DocumentError} when the text is not JSON, or has more than 20,000 such integers.
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
    // The parser's own error quotes the text, which may be part of a Secret.
    throw new DocumentError('is not JSON');
  }
}

/**
 * Like `JSON.stringify`, except that a bigint becomes an integer.
 *
 * @throws {TypeError} when the value contains itself.
 */
export function formatJson(value: unknown): string {
  if (!('toJSON' in BigInt.prototype)) {
    try {
      return JSON.stringify(value);
    } catch (error) {
      // It contains a bigint, or itself.
      if (!(error instanceof TypeError)) throw error;
    }
  }
  return JSON.stringify(value, markBigInt).replace(MARKED, '$1');
}

/** Receives the holder as `this`: a program may have given `BigInt.prototype` a `toJSON`, which has run before. */
function markBigInt(this: unknown, name: string, value: unknown): unknown {
  const original = (this as Readonly<Record<string, unknown>>)[name];
  return typeof original === 'bigint' ? `${MARK}${original}` : value;
}

/** Reports whether a text has as many digits in a row as a large integer, by a look at every sixteenth character. */
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

/** Returns the text with marked strings in place of large integers. A text that is not JSON does not become JSON. */
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

/** A name that is not quoted is an error, which a mark would hide. */
function isBeforeColon(text: string, from: number): boolean {
  let at = from;
  while (text.charCodeAt(at) <= 0x20) at += 1;
  return text[at] === ':';
}

type Holder = Record<string, unknown>;

/** Replaces marked strings by their integers, in place. Without recursion, because objects may be nested deeply. */
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

/** Defines the field, because an assignment to `__proto__` sets the prototype. */
function replace(holder: Holder, name: string, value: bigint): void {
  Object.defineProperty(holder, name, { value, enumerable: true, configurable: true, writable: true });
}
