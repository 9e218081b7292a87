import { durationText, timestampText } from '../time.ts';
import type { Value } from '../values.ts';
import { Duration, EvaluationError, List, MapValue, Timestamp, typeNameOf, TypeValue, Uint } from '../values.ts';
import { doubleText } from './conversions.ts';

/** Formats values as cel-go's `string.format` does: `%s %d %f %e %b %x %X %o`. @throws {EvaluationError} */
export function formatText(template: string, { items }: List): string {
  let next = 0;
  const text = template.replaceAll(/%(?:%|(?:\.(\d+))?(.?))/gsu, (clause, precision?: string, verb?: string) => {
    if (clause === '%%') return '%';
    if (next >= items.length) throw new EvaluationError(`index ${next} out of range`);
    const value = items[next] ?? null;
    next += 1;
    return clauseText(verb ?? '', value, precision === undefined ? 6 : Number(precision));
  });
  return text;
}

function clauseText(verb: string, value: Value, precision: number): string {
  switch (verb) {
    case 's':
      return stringOf(value);
    case 'd':
      if (typeof value === 'bigint') return String(value);
      if (value instanceof Uint) return String(value.value);
      if (typeof value === 'number' && !Number.isFinite(value)) return doubleWord(value);
      throw mistyped('decimal', value, 'integers');
    case 'f':
    case 'e': {
      const number = numberOf(value);
      if (number === undefined) throw mistyped(verb === 'f' ? 'fixed-point' : 'scientific', value, 'doubles');
      if (!Number.isFinite(number)) return doubleWord(number);
      if (verb === 'f') return number.toFixed(precision);
      return number.toExponential(precision).replace(/e([+-])(\d)$/, 'e$10$2');
    }
    case 'b':
      if (typeof value === 'boolean') return value ? '1' : '0';
      return integer(value, 2, 'binary', 'integers and bools');
    case 'o':
      return integer(value, 8, 'octal', 'integers');
    case 'x':
    case 'X': {
      const text = hexadecimal(value);
      return verb === 'x' ? text : text.toUpperCase();
    }
    default:
      throw new EvaluationError(`could not parse formatting clause: unrecognized formatting clause "${verb}"`);
  }
}

function numberOf(value: Value): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  return value instanceof Uint ? Number(value.value) : undefined;
}

function doubleWord(value: number): string {
  return Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity';
}

function mistyped(clause: string, value: Value, allowed: string): EvaluationError {
  return new EvaluationError(
    `error during formatting: ${clause} clause can only be used on ${allowed}, was given ${typeNameOf(value)}`,
  );
}

function integer(value: Value, base: number, clause: string, allowed: string): string {
  if (typeof value === 'bigint') return value.toString(base);
  if (value instanceof Uint) return value.value.toString(base);
  throw mistyped(clause, value, allowed);
}

function hexadecimal(value: Value): string {
  if (typeof value === 'string') return Buffer.from(value).toString('hex');
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  return integer(value, 16, 'only integers, byte buffers, and strings can be formatted as hex', 'integers');
}

/** Texts within lists and maps are quoted. */
function quotedOf(value: Value): string {
  return typeof value === 'string' ? JSON.stringify(value) : stringOf(value);
}

function stringOf(value: Value): string {
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
  if (value instanceof List) return `[${value.items.map(quotedOf).join(', ')}]`;
  if (value instanceof MapValue) {
    const entries = [...value.entries.values()].map(([key, child]) => `${quotedOf(key)}:${quotedOf(child)}`);
    return `{${entries.sort().join(', ')}}`;
  }
  throw new EvaluationError(
    `error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given ${typeNameOf(value)}`,
  );
}
