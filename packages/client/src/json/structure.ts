/*
 * The time to parse JSON depends more on its number of values than on its length: a megabyte of `{"k1":1},` takes
 * fifty times as long as a megabyte of text. The limits of an object keep one call of the parser at about 100 ms in the
 * worst case. Objects of up to 1.5 MiB (etcd's limit) stay below them
 * if their fields have 16 bytes on average, with names and values: those of `managedFields`, which are short, have more.
 */

/** The structure of a document, as limits or as counts. */
export interface Structure {
  /** Number of arrays, objects and commas. A document has at most one value more. */
  readonly values: number;
  /** Number of fields of all objects. New field names cost the most. */
  readonly fields: number;
  /** Levels of nesting. */
  readonly depth: number;
}

/** Go's `encoding/json`, and so every API server, refuses documents that are nested more deeply. */
export const OBJECT_LIMITS: Structure = { values: 1_100_000, fields: 100_000, depth: 10_000 };

/** A `Status` has a few hundred values. */
export const STATUS_LIMITS: Structure = { values: 20_000, fields: 20_000, depth: 100 };

/** Returns which limit a structure exceeds, or `undefined`. */
export function excessOf({ values, fields, depth }: Structure, limits = OBJECT_LIMITS): string | undefined {
  if (values > limits.values) return `has more than ${limits.values} values`;
  if (fields > limits.fields) return `has more than ${limits.fields} fields`;
  return depth > limits.depth ? `is nested more than ${limits.depth} levels deep` : undefined;
}

/** A document with fewer characters than this cannot exceed {@link OBJECT_LIMITS}: each level has two brackets. */
export const SMALLEST_EXCESS = 2 * OBJECT_LIMITS.depth;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
/** The bit that distinguishes `{` from `[`, and `}` from `]`. */
const BRACE_BIT = 0x20;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Returns which limit a JSON text exceeds, without parsing it. The text need not be valid. */
export function excessIn(text: string, limits = OBJECT_LIMITS): string | undefined {
  let values = 0;
  let fields = 0;
  let level = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at + 1);
    } else if (code === COMMA) {
      values += 1;
    } else if (code === COLON) {
      fields += 1;
      if (fields > limits.fields) break;
    } else if ((code | BRACE_BIT) === OPEN_BRACE) {
      values += 1;
      level += 1;
      if (level > depth) depth = level;
      if (depth > limits.depth) break;
    } else if ((code | BRACE_BIT) === CLOSE_BRACE) {
      level -= 1;
    }
    if (values > limits.values) break;
  }
  return excessOf({ values, fields, depth }, limits);
}

/** Returns the index of the quote that ends a string, or of the last character if there is none. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return end;
  }
  return text.length - 1;
}
