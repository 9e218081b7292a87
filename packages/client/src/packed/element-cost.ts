import { COST, OBJECT_LIMITS } from '../json/structure.ts';
import { BACKSLASH, COLON, COMMA, OPEN_ARRAY, QUOTE } from './json-bytes.ts';

/** Size in bytes below which a document cannot exceed the limit: no byte costs more than 6 units. */
const SMALLEST_EXCESS = OBJECT_LIMITS.cost / 6;
/** The bit that distinguishes `{` from `[`, and `}` from `]`. */
const BRACE_BIT = 0x20;

/** Reports whether JSON, which may be incomplete, costs more than {@link OBJECT_LIMITS}. See `json/structure.ts`. */
export function exceedsCost(b: Uint8Array, start: number, end: number): boolean {
  return end - start >= SMALLEST_EXCESS && costOf(b, start, end) > OBJECT_LIMITS.cost;
}

function costOf(b: Uint8Array, start: number, end: number): number {
  let cost = 0;
  for (let at = start; at < end; at += 1) {
    const c = b[at] as number;
    if (c === QUOTE) {
      cost += COST.string;
      for (at += 1; at < end && b[at] !== QUOTE; at += 1) if (b[at] === BACKSLASH) at += 1;
    } else if (c === COMMA) {
      cost += 1;
    } else if (c === COLON) {
      cost += COST.field;
    } else if ((c & ~BRACE_BIT) === OPEN_ARRAY) {
      cost += 1;
    }
  }
  return cost;
}
