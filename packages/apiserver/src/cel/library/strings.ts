import { compileExpression } from '../../schema/regular-expression.ts';
import type { Overload } from '../functions.ts';
import { overload } from '../functions.ts';
import { EvaluationError, List, typeNameOf } from '../values.ts';
import { formatText } from './format-text.ts';

const ILLEGAL = 'Illegal regex: ';

/** Positions count code points. */
function letters(text: string): string[] {
  return Array.from(text);
}

function charAt(text: string, index: bigint): string {
  const all = letters(text);
  if (index < 0n || index > BigInt(all.length)) throw outOfRange(index);
  return all[Number(index)] ?? '';
}

function outOfRange(index: bigint): EvaluationError {
  return new EvaluationError(`index out of range: ${index}`);
}

function indexOf(text: string, part: string, offset = 0n): bigint {
  const [all, wanted] = [letters(text), letters(part)];
  if (offset < 0n) throw outOfRange(offset);
  if (wanted.length === 0) return offset;
  if (offset >= BigInt(all.length)) return -1n;
  for (let at = Number(offset); at + wanted.length <= all.length; at++) {
    if (wanted.every((letter, index) => all[at + index] === letter)) return BigInt(at);
  }
  return -1n;
}

function lastIndexOf(text: string, part: string, offset?: bigint): bigint {
  const [all, wanted] = [letters(text), letters(part)];
  if (offset !== undefined && offset < 0n) throw outOfRange(offset);
  if (wanted.length === 0) return offset ?? BigInt(all.length);
  if (offset !== undefined && offset >= BigInt(all.length)) return -1n;
  const start = all.length - wanted.length;
  for (let at = offset === undefined ? start : Math.min(Number(offset), start); at >= 0; at--) {
    if (wanted.every((letter, index) => all[at + index] === letter)) return BigInt(at);
  }
  return -1n;
}

function replace(text: string, from: string, to: string, limit = -1n): string {
  if (limit === 0n) return text;
  const count = limit < 0n ? Infinity : Number(limit);
  if (from === '') {
    const all = letters(text);
    const parts = all.map((letter, index) => (index < count ? to + letter : letter));
    return parts.join('') + (all.length < count ? to : '');
  }
  const parts = text.split(from);
  const last = Math.min(count, parts.length - 1);
  return parts.reduce((sum, part, index) => (index === 0 ? part : sum + (index <= last ? to : from) + part), '');
}

function split(text: string, separator: string, limit = -1n): List {
  if (limit === 0n) return new List([]);
  if (limit === 1n) return new List([text]);
  const parts = separator === '' ? letters(text) : text.split(separator);
  const count = limit < 0n ? Infinity : Number(limit);
  if (parts.length <= count) return new List(parts);
  return new List([...parts.slice(0, count - 1), parts.slice(count - 1).join(separator)]);
}

function substring(text: string, start: bigint, end?: bigint): string {
  const all = letters(text);
  const last = end ?? BigInt(all.length);
  if (end !== undefined && start > end) {
    throw new EvaluationError(`invalid substring range. start: ${start}, end: ${end}`);
  }
  if (start < 0n || start > BigInt(all.length)) throw outOfRange(start);
  if (last < 0n || last > BigInt(all.length)) throw outOfRange(last);
  return all.slice(Number(start), Number(last)).join('');
}

function join({ items }: List, separator = ''): string {
  return items
    .map((item) => {
      if (typeof item !== 'string') throw new EvaluationError(`join: invalid input: ${typeNameOf(item)}`);
      return item;
    })
    .join(separator);
}

const QUOTED: Readonly<Record<string, string>> = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
};

function quote(text: string): string {
  return `"${letters(text.toWellFormed())
    .map((letter) => QUOTED[letter] ?? letter)
    .join('')}"`;
}

const ascii = (text: string, pattern: RegExp, change: (letter: string) => string): string =>
  text.replaceAll(pattern, change);

function findAll(text: string, pattern: string, limit?: bigint): List {
  if (limit === 0n) return new List([]);
  return new List(expression(pattern).findAll(text, limit === undefined || limit < 0n ? Infinity : Number(limit)));
}

function expression(pattern: string): ReturnType<typeof compileExpression> {
  try {
    return compileExpression(pattern);
  } catch (error) {
    throw new EvaluationError(ILLEGAL + (error instanceof Error ? error.message : String(error)));
  }
}

/** cel-go's `ext.Strings` in version 2, and Kubernetes' functions for regular expressions. */
export const stringLibrary: readonly Overload[] = [
  overload('string_char_at_int charAt: string.(int)->string', charAt),
  overload('string_index_of_string indexOf: string.(string)->int', indexOf),
  overload('string_index_of_string_int indexOf: string.(string,int)->int', indexOf),
  overload('string_last_index_of_string lastIndexOf: string.(string)->int', lastIndexOf),
  overload('string_last_index_of_string_int lastIndexOf: string.(string,int)->int', lastIndexOf),
  overload('string_lower_ascii lowerAscii: string.()->string', (text: string) =>
    ascii(text, /[A-Z]+/g, (part) => part.toLowerCase()),
  ),
  overload('string_upper_ascii upperAscii: string.()->string', (text: string) =>
    ascii(text, /[a-z]+/g, (part) => part.toUpperCase()),
  ),
  overload('string_replace_string_string replace: string.(string,string)->string', replace),
  overload('string_replace_string_string_int replace: string.(string,string,int)->string', replace),
  overload('string_split_string split: string.(string)->list(string)', split),
  overload('string_split_string_int split: string.(string,int)->list(string)', split),
  overload('string_substring_int substring: string.(int)->string', substring),
  overload('string_substring_int_int substring: string.(int,int)->string', substring),
  overload('string_trim trim: string.()->string', (text: string) => text.replaceAll(/^[\s\u0085]+|[\s\u0085]+$/gu, '')),
  overload('list_join join: list(string).()->string', join),
  overload('list_join_string join: list(string).(string)->string', join),
  overload('string_format format: string.(list(dyn))->string', formatText),
  overload('strings_quote strings.quote: (string)->string', quote),
  overload(
    'string_find_string find: string.(string)->string',
    (text: string, pattern: string) => expression(pattern).findAll(text, 1)[0] ?? '',
  ),
  overload('string_find_all_string findAll: string.(string)->list(string)', findAll),
  overload('string_find_all_string_int findAll: string.(string,int)->list(string)', findAll),
];
