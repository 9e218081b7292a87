import { randomInt } from 'node:crypto';

const HIDDEN = '[redacted]';

/** Minimum length of a part of a credential that is redacted, in characters. */
const PART = 8;
/** Minimum length of a secret that is looked for, in characters. Shorter texts occur by chance. */
const SHORTEST = 4;

export interface Secrets {
  /**
   * Redacted as a whole and in every part of at least {@link PART} characters. If a text contains a credential of fewer
   * than {@link SHORTEST} characters, the whole text is redacted.
   */
  readonly credentials?: Iterable<string>;
  /** Redacted only as a whole, unless they are shorter than {@link SHORTEST}. For example, arguments of a plugin. */
  readonly values?: Iterable<string>;
}

/**
 * Removes secrets from texts for errors and logs: also inside words, escaped as in JSON, URLs, HTML or C, in base64 and
 * in hexadecimal. Redact a text before you truncate it, because a truncated secret may not be recognized.
 */
export class Redactor {
  readonly #tiny: readonly string[];
  readonly #whole: readonly string[];
  readonly #parts: Parts;
  /** Length of the longest text that is redacted as a whole, in characters. */
  readonly longest: number;

  constructor({ credentials = [], values = [] }: Secrets) {
    const strict = [...new Set(credentials)].filter(Boolean);
    const whole = [...new Set([...strict, ...values])].filter((secret) => secret.length >= SHORTEST);
    this.#tiny = strict.filter((secret) => secret.length < SHORTEST);
    this.#whole = [...whole, ...whole.flatMap(encodingsOf)];
    this.#parts = new Parts(strict.filter((secret) => secret.length >= PART));
    this.longest = Math.max(0, ...this.#whole.map(({ length }) => length));
  }

  redact(text: string): string {
    if (text.length < SHORTEST && this.#tiny.length === 0) return text;
    let hidden: Uint8Array | undefined;
    for (const view of viewsOf(text)) {
      if (this.#tiny.some((secret) => view.text.includes(secret))) return HIDDEN;
      const hide = (start: number, length: number) => {
        hidden ??= new Uint8Array(text.length);
        hidden.fill(1, view.starts(start), view.starts(start + length));
      };
      for (const secret of this.#whole) forEachOccurrence(view.text, secret, hide);
      this.#parts.forEachIn(view.text, hide);
    }
    return hidden ? without(text, hidden) : text;
  }
}

function without(text: string, hidden: Uint8Array): string {
  let shown = '';
  for (let start = 0; start < text.length;) {
    const isHidden = hidden[start] === 1;
    const next = hidden.indexOf(isHidden ? 0 : 1, start);
    const end = next < 0 ? text.length : next;
    shown += isHidden ? HIDDEN : text.slice(start, end);
    start = end;
  }
  return shown;
}

/** Number of characters that are searched for before a whole secret is compared. */
const PREFIX = 16;

/**
 * Visits the ranges of a text that a secret covers. Occurrences may overlap, but each character is visited once. Takes
 * linear time for every secret and text, unlike `indexOf`. (Algorithm: Knuth, Morris and Pratt.)
 */
function forEachOccurrence(text: string, secret: string, visit: (at: number, length: number) => void): void {
  const prefix = secret.slice(0, PREFIX);
  let at = text.indexOf(prefix);
  if (at < 0 || text.length - at < secret.length) return;
  const borders = bordersOf(secret);
  let matched = 0;
  let covered = 0;
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    while (matched > 0 && secret.charCodeAt(matched) !== code) matched = borders[matched - 1] ?? 0;
    if (secret.charCodeAt(matched) === code) {
      matched += 1;
    } else {
      at = text.indexOf(prefix, at + 1) - 1;
      if (at < 0) return;
    }
    if (matched < secret.length) continue;
    const end = at + 1;
    const start = Math.max(covered, end - secret.length);
    visit(start, end - start);
    covered = end;
    matched = borders[matched - 1] ?? 0;
  }
}

/** Returns, for each prefix of a text, the length of the longest shorter prefix that is also its suffix. */
function bordersOf(text: string): Int32Array {
  const borders = new Int32Array(text.length);
  let length = 0;
  for (let at = 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    while (length > 0 && text.charCodeAt(length) !== code) length = borders[length - 1] ?? 0;
    if (text.charCodeAt(length) === code) length += 1;
    borders[at] = length;
  }
  return borders;
}

/** Finds parts of credentials in texts: by a hash of {@link PART} characters, then by comparison. */
class Parts {
  readonly #all: string;
  /** Maps a hash to the position of a part plus one; 0 means none. */
  readonly #heads: Int32Array;
  /** Maps the position of a part to the next part with the same hash. */
  readonly #next: Int32Array;
  readonly #mask: number;

  constructor(credentials: readonly string[]) {
    this.#all = credentials.join('\0');
    this.#mask = 2 ** Math.ceil(Math.log2(this.#all.length * 2 + 1)) - 1;
    this.#heads = new Int32Array(this.#mask + 1);
    this.#next = new Int32Array(this.#all.length);
    forEachHash(this.#all, (hash, at) => {
      if (this.#find(hash, this.#all, at) >= 0) return;
      const slot = hash & this.#mask;
      this.#next[at] = this.#heads[slot] ?? 0;
      this.#heads[slot] = at + 1;
    });
  }

  forEachIn(text: string, visit: (at: number, length: number) => void): void {
    if (!this.#all) return;
    let end = 0;
    forEachHash(text, (hash, at) => {
      // Skip the rest of a longer match.
      if (at + PART <= end) return;
      const found = this.#find(hash, text, at);
      if (found < 0) return;
      end = at + PART;
      while (end < text.length && text[end] === this.#all[found + end - at] && text[end] !== '\0') end += 1;
      visit(at, end - at);
    });
  }

  /** Returns the position of a part of a text in the credentials, or -1. */
  #find(hash: number, text: string, at: number): number {
    for (let head = this.#heads[hash & this.#mask] ?? 0; head > 0; head = this.#next[head - 1] ?? 0) {
      if (isSamePart(this.#all, head - 1, text, at)) return head - 1;
    }
    return -1;
  }
}

function isSamePart(one: string, start: number, other: string, otherStart: number): boolean {
  for (let at = 0; at < PART; at += 1) {
    if (one.charCodeAt(start + at) !== other.charCodeAt(otherStart + at)) return false;
  }
  return true;
}

/** Random, so that an attacker cannot choose texts whose hashes are equal. */
const BASE = randomInt(2 ** 24, 2 ** 31) | 1;
const BASE_TO_PART = Array.from({ length: PART }).reduce<number>((power) => Math.imul(power, BASE), 1);

/** Calls a function with the rolling hash of every {@link PART} characters of a text. */
function forEachHash(text: string, visit: (hash: number, at: number) => void): void {
  let hash = 0;
  for (let end = 0; end < text.length; end += 1) {
    hash = (Math.imul(hash, BASE) + text.charCodeAt(end)) | 0;
    const start = end + 1 - PART;
    if (start > 0) hash = (hash - Math.imul(text.charCodeAt(start - 1), BASE_TO_PART)) | 0;
    // The low bits alone are poorly distributed.
    if (start >= 0) visit((hash ^ (hash >>> 15)) >>> 0, start);
  }
}

/** Encodes a secret in base64, for each of the three offsets in a longer text, and in hexadecimal. */
function encodingsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const base64 = [0, 1, 2].map((offset) =>
    Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      // Omits the characters that also depend on neighboring bytes.
      .slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6)),
  );
  const hex = bytes.toString('hex');
  const urlSafe = base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  return [...new Set([...base64, ...urlSafe, hex, hex.toUpperCase(), encodeURIComponent(secret.toWellFormed())])];
}

/** A text with some escapes decoded. */
interface View {
  readonly text: string;
  /** Position of each character in the original text. */
  readonly starts: (index: number) => number;
}

const ESCAPE =
  /\\u([\dA-Fa-f]{4})|\\u\{([\dA-Fa-f]{1,6})\}|\\x([\dA-Fa-f]{2})|%([\dA-Fa-f]{2})|&#x([\dA-Fa-f]{1,6});|&#(\d{1,7});|&(amp|lt|gt|quot|apos);|\\([0-3][0-7]{2})|\\(["'\\/nrt])/g;
const NAMED: Readonly<Record<string, string>> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" },
  ...{ n: '\n', r: '\r', t: '\t' },
};

/** Returns the text as is, and with its escapes decoded once and twice (JSON within JSON). */
function viewsOf(text: string): readonly View[] {
  const original: View = { text, starts: (index) => index };
  const once = unescaped(original);
  const twice = once && unescaped(once);
  return [original, ...(once ? [once] : []), ...(twice ? [twice] : [])];
}

function unescaped({ text, starts }: View): View | undefined {
  if (!/[\\%&]/.test(text)) return undefined;
  const places: number[] = [];
  let result = '';
  const copy = (from: number, to: number) => {
    for (let at = from; at < to; at += 1) places.push(starts(at));
    result += text.slice(from, to);
  };
  let end = 0;
  for (const match of text.matchAll(ESCAPE)) {
    copy(end, match.index);
    const [escape, u4, u, x, percent, entityHex, entity, name, octal, simple = ''] = match;
    const hex = u4 ?? u ?? x ?? percent ?? entityHex;
    const code = hex !== undefined ? Number.parseInt(hex, 16) : Number.parseInt(entity ?? octal ?? '', entity ? 10 : 8);
    const decoded = Number.isNaN(code)
      ? (NAMED[name ?? simple] ?? simple)
      : code > 0x10_ff_ff
        ? ''
        : String.fromCodePoint(code);
    for (let unit = 0; unit < decoded.length; unit += 1) places.push(starts(match.index));
    result += decoded;
    end = match.index + escape.length;
  }
  if (end === 0) return undefined;
  copy(end, text.length);
  const length = starts(text.length);
  return { text: result, starts: (index) => places[index] ?? length };
}
