import { durationText, timestampText } from '../time.ts';
import type { Value } from '../values.ts';
import { Duration, EvaluationError, List, MapValue, Timestamp, typeNameOf, TypeValue, Uint } from '../values.ts';
import { doubleText } from './conversions.ts';
import { fixedText, groupedText, scientificText } from './decimal-text.ts';
import type { Clause } from './format-clauses.ts';
import { interpolate, outOfRange, unfit } from './format-clauses.ts';

/** Formats values as cel-go's `string.format` does: `%s %d %f %e %b %x %X %o`. @throws {EvaluationError} */
export function formatText(template: string, { items }: List): string {
  return interpolate(template, {
    count: items.length,
    request(index) {
      if (index >= items.length) throw outOfRange(index);
    },
    format: (clause, index) => clauseText(clause, items[index] ?? null),
  });
}

function clauseText(clause: Clause, value: Value): string {
  const text = textOf(clause, value);
  if (text === undefined) throw unfit(clause, typeNameOf(value));
  return text;
}

/** Returns the text of a value; `undefined` if the clause does not accept it. */
function textOf({ verb, precision }: Clause, value: Value): string | undefined {
  switch (verb) {
    case 's':
      return stringOf(value);
    case 'd':
      return integerText(value, 10);
    case 'f': {
      const number = doubleOf(value);
      return number === undefined ? undefined : groupedText(number, precision);
    }
    case 'e': {
      const number = doubleOf(value);
      return number === undefined ? undefined : scientificText(number, precision);
    }
    case 'b':
      if (typeof value === 'boolean') return value ? '1' : '0';
      return integerText(value, 2);
    case 'o':
      return integerText(value, 8);
    case 'X':
      return hexadecimal(value)?.toUpperCase();
    default:
      return hexadecimal(value);
  }
}

const WORDS: Readonly<Record<string, number>> = { NaN: Number.NaN, Infinity: Infinity, '-Infinity': -Infinity };

function doubleOf(value: Value): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && Object.hasOwn(WORDS, value) ? WORDS[value] : undefined;
}

function integerText(value: Value, base: number): string | undefined {
  if (typeof value === 'bigint') return value.toString(base);
  return value instanceof Uint ? value.value.toString(base) : undefined;
}

function hexadecimal(value: Value): string | undefined {
  if (typeof value === 'string' || value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  return integerText(value, 16);
}

function stringOf(value: Value): string | undefined {
  if (value === null) return 'null';
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
      return doubleText(value);
    case 'bigint':
    case 'boolean':
      return String(value);
    default:
      break;
  }
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  if (value instanceof Duration) return durationText(value);
  if (value instanceof Timestamp) return timestampText(value);
  if (value instanceof TypeValue) return value.name;
  if (value instanceof List) return `[${value.items.map(literalOf).join(', ')}]`;
  return value instanceof MapValue ? mapText(value) : undefined;
}

function mapText({ entries }: MapValue): string {
  const texts = [...entries.values()].map(([key, value]) => {
    if (typeof key === 'number') throw unformattable('map key of type double');
    return [literalOf(key), literalOf(value)] as const;
  });
  const sorted = texts.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${sorted.map(([key, value]) => `${key}:${value}`).join(', ')}}`;
}

/** Digits of a double within a list or map. */
const DOUBLE_DIGITS = 6;

/** Returns a value within a list or map, in the form of a literal. */
function literalOf(value: Value): string {
  if (typeof value === 'number') return doubleLiteral(value);
  if (value instanceof Duration) return `duration(${JSON.stringify(durationText(value))})`;
  if (value instanceof Timestamp) return `timestamp(${JSON.stringify(timestampText(value))})`;
  const text = stringOf(value);
  if (text === undefined) throw unformattable(typeNameOf(value));
  if (typeof value === 'string') return JSON.stringify(text);
  return value instanceof Uint8Array ? `b${JSON.stringify(text)}` : text;
}

function doubleLiteral(value: number): string {
  if (Number.isNaN(value)) return '"NaN"';
  if (!Number.isFinite(value)) return value > 0 ? '"+Inf"' : '"-Inf"';
  return fixedText(value, DOUBLE_DIGITS);
}

function unformattable(what: string): EvaluationError {
  return new EvaluationError(`error during formatting: no formatting function for ${what}`);
}
