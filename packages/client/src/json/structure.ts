/*
 * The time to parse JSON depends more on its structure than on its length. The parser keeps one copy of each name and
 * of each short string, and looks up each of them: a megabyte of short strings takes a hundred times as long as a
 * megabyte of text. So each document has a cost, in units of about 40 ns, and the limit for an object keeps one parser
 * call below 100 ms in the worst case. Objects of up to 1.5 MiB (etcd's limit) stay below the limit if a field takes at
 * least 22 bytes on average, including name and value, and a string outside of a field at least 8. The short fields of
 * `managedFields` take 16 bytes, but their values are objects, which cost less.
 */

/** The structure of a document, as limits or as counts. */
export interface Structure {
  /** Cost of parsing: 1 for each array, object and comma, plus {@link COST} for strings and fields. */
  readonly cost: number;
  /** Levels of nesting. */
  readonly depth: number;
}

/** A field name also counts as a string. The cost of a field covers the shape of its object. */
export const COST = { string: 8, field: 8 } as const;

/** Go's `encoding/json`, and therefore every API server, refuses documents that are nested more deeply. */
export const OBJECT_LIMITS: Structure = { cost: 1_800_000, depth: 10_000 };

/** A `Status` has a few hundred fields; this limit allows a thousand causes. */
export const STATUS_LIMITS: Structure = { cost: 100_000, depth: 100 };

/** Returns which limit a structure exceeds, or `undefined`. */
export function excessOf({ cost, depth }: Structure, limits = OBJECT_LIMITS): string | undefined {
  if (cost > limits.cost) {
    const { string, field } = COST;
    return `has more than ${limits.cost} values, where a string counts as ${string} and a field as ${string + field}`;
  }
  return depth > limits.depth ? `is nested more than ${limits.depth} levels deep` : undefined;
}

/**
 * Length in characters below which a document cannot exceed {@link OBJECT_LIMITS}: each level has two brackets, and no
 * character costs more than 6 units.
 */
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
  let cost = 0;
  let level = 0;
  let depth = 0;
  for (let at = 0; at < text.length && cost <= limits.cost; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      cost += COST.string;
      at = endOfString(text, at + 1);
    } else if (code === COMMA) {
      cost += 1;
    } else if (code === COLON) {
      cost += COST.field;
    } else if ((code | BRACE_BIT) === OPEN_BRACE) {
      cost += 1;
      level += 1;
      if (level > depth) depth = level;
      if (depth > limits.depth) break;
    } else if ((code | BRACE_BIT) === CLOSE_BRACE) {
      level -= 1;
    }
  }
  return excessOf({ cost, depth }, limits);
}

/** Returns the index of the quote that ends a string, or of the last character if there is none. */
export function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return end;
  }
  return text.length - 1;
}
