/** Inclusive range of code points. */
export type CharRange = readonly [from: number, to: number];

/** A parsed regular expression. */
export type Expression =
  | { readonly type: 'characters'; readonly ranges: readonly CharRange[] }
  | { readonly type: 'start' | 'end' | 'boundary' | 'inside' }
  | { readonly type: 'sequence'; readonly items: readonly Expression[] }
  | { readonly type: 'choice'; readonly items: readonly Expression[] }
  | { readonly type: 'group'; readonly item: Expression; readonly captures: boolean }
  | {
      readonly type: 'repeat';
      readonly item: Expression;
      readonly min: number;
      /** `Infinity` if there is no limit. */
      readonly max: number;
      readonly lazy: boolean;
    };

export const LAST_CODE_POINT = 0x10ffff;

export const DIGITS: readonly CharRange[] = [[0x30, 0x39]];
export const WORD: readonly CharRange[] = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
];
/** White space in JavaScript, which is more than in RE2. */
export const SPACE: readonly CharRange[] = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];
const LINE_ENDS: readonly CharRange[] = [
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x2028, 0x2029],
];

/** Returns the characters outside of the ranges. */
export function complement(ranges: readonly CharRange[]): CharRange[] {
  const rest: CharRange[] = [];
  let next = 0;
  for (const [from, to] of merged(ranges)) {
    if (from > next) rest.push([next, from - 1]);
    next = to + 1;
  }
  if (next <= LAST_CODE_POINT) rest.push([next, LAST_CODE_POINT]);
  return rest;
}

/** Returns the ranges sorted and without overlaps. */
export function merged(ranges: readonly CharRange[]): CharRange[] {
  const sorted = [...ranges].sort(([left], [right]) => left - right);
  const result: CharRange[] = [];
  for (const [from, to] of sorted) {
    const last = result.at(-1);
    if (last && from <= last[1] + 1) result[result.length - 1] = [last[0], Math.max(last[1], to)];
    else result.push([from, to]);
  }
  return result;
}

/** `.` of JavaScript: every character that does not end a line. */
export const NOT_LINE_END: readonly CharRange[] = complement(LINE_ENDS);
