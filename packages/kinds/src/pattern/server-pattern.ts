import type { CharRange, Expression } from './expression.ts';
import { complement, DIGITS, LAST_CODE_POINT, WORD } from './expression.ts';
import { parsePattern } from './parse-pattern.ts';
import { UnsupportedPatternError } from './unsupported-pattern-error.ts';

/** Limit of Go's `regexp` on the number of repetitions, also on the product of nested ones. */
const MAX_REPETITIONS = 1000;

/**
 * Translates a regular expression of JavaScript to one of RE2 that matches the same texts. They differ in `.` and `\s`,
 * escapes, and `[` inside of a class. (Upstream: the syntax of Go's `regexp`.)
 *
 * @throws {UnsupportedPatternError} for what RE2 does not have.
 */
export function serverPattern(pattern: RegExp): string {
  return textOf(parsePattern(pattern), MAX_REPETITIONS, pattern);
}

function textOf(expression: Expression, repetitions: number, pattern: RegExp): string {
  switch (expression.type) {
    case 'start':
      return '^';
    case 'end':
      return '$';
    case 'boundary':
      return '\\b';
    case 'inside':
      return '\\B';
    case 'characters':
      return characters(expression.ranges);
    case 'sequence':
      return expression.items
        .map((item) => (item.type === 'choice' ? grouped(item) : textOf(item, repetitions, pattern)))
        .join('');
    case 'choice':
      return expression.items.map((item) => textOf(item, repetitions, pattern)).join('|');
    case 'group':
      return `(${expression.captures ? '' : '?:'}${textOf(expression.item, repetitions, pattern)})`;
    case 'repeat':
      return repeat(expression);
  }

  function grouped(item: Expression): string {
    return `(?:${textOf(item, repetitions, pattern)})`;
  }

  function repeat({ item, min, max, lazy }: Expression & { readonly type: 'repeat' }): string {
    const count = max === Infinity ? min : max;
    const left = count > 1 ? Math.floor(repetitions / count) : repetitions;
    if (left < 1) {
      throw new UnsupportedPatternError(
        `/${pattern.source}/ repeats more than ${MAX_REPETITIONS} times, and the server allows no more`,
        'use * in the expression, and limit the length with .min() and .max()',
      );
    }
    const isAtom = item.type === 'characters' || item.type === 'group';
    const text = textOf(item, left, pattern);
    return `${isAtom ? text : `(?:${text})`}${countText(min, max)}${lazy ? '?' : ''}`;
  }
}

function countText(min: number, max: number): string {
  if (min === 0 && max === Infinity) return '*';
  if (min === 1 && max === Infinity) return '+';
  if (min === 0 && max === 1) return '?';
  if (max === Infinity) return `{${min},}`;
  return min === max ? `{${min}}` : `{${min},${max}}`;
}

const NAMED: readonly (readonly [ranges: readonly CharRange[], text: string])[] = [
  [DIGITS, '\\d'],
  [WORD, '\\w'],
  [complement(DIGITS), '\\D'],
  [complement(WORD), '\\W'],
];

function characters(ranges: readonly CharRange[]): string {
  const [first] = ranges;
  // RE2 has no empty class.
  if (!first) return '[^\\x00-\\x{10FFFF}]';
  if (ranges.length === 1 && first[0] === first[1]) return characterText(first[0], SPECIAL);
  const name = NAMED.find(([named]) => isSame(named, ranges))?.[1];
  if (name !== undefined) return name;
  const others = complement(ranges);
  const isNegated = others.length > 0 && ranges.at(-1)?.[1] === LAST_CODE_POINT;
  return `[${isNegated ? '^' : ''}${(isNegated ? others : ranges).map(rangeText).join('')}]`;
}

function isSame(left: readonly CharRange[], right: readonly CharRange[]): boolean {
  return left.length === right.length && left.every(([from, to], i) => from === right[i]?.[0] && to === right[i][1]);
}

function rangeText([from, to]: CharRange): string {
  const [first, last] = [from, to].map((code) => characterText(code, SPECIAL_IN_CLASS));
  if (first === undefined || last === undefined || from === to) return first ?? '';
  return to === from + 1 ? first + last : `${first}-${last}`;
}

const SPECIAL = '\\^$.|?*+()[]{}';
const SPECIAL_IN_CLASS = '\\^-[]';

const CONTROLS: Readonly<Record<number, string>> = { 9: '\\t', 10: '\\n', 11: '\\v', 12: '\\f', 13: '\\r' };

function characterText(code: number, special: string): string {
  const control = CONTROLS[code];
  if (control !== undefined) return control;
  const text = String.fromCodePoint(code);
  if (special.includes(text)) return `\\${text}`;
  if (code >= 0x20 && code < 0x7f) return text;
  return code < 0x80 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\x{${code.toString(16)}}`;
}
