import type { z } from 'zod';
import { foundText } from './found-text.ts';

type RawIssue = z.core.$ZodRawIssue;

/** Maximum length of a wrong string that an error repeats, in characters. */
const MAX_SHOWN = 64;

const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
};

const UNITS: Readonly<Record<string, string>> = { string: 'characters', array: 'entries', set: 'entries' };

/**
 * Describes what a schema expected, for schemas without their own message. Pass it to `safeParse` as `error`. It
 * replaces Zod's messages, which use Zod's names of types and limits.
 */
export function expectationText(issue: RawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `expected ${TYPES[isWholeNumber(issue) ? 'int' : issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `expected ${choiceText(issue.values)}`;
    case 'too_small': {
      const { minimum, origin, inclusive = true } = issue;
      if (Number(minimum) === 1 && origin in UNITS) return `expected ${TYPES[origin] ?? 'a value'} that is not empty`;
      return `expected ${amountText(origin, inclusive ? 'at least' : 'more than', minimum)}`;
    }
    case 'too_big':
      return `expected ${amountText(issue.origin, issue.inclusive === false ? 'less than' : 'at most', issue.maximum)}`;
    case 'invalid_union':
      return unionText(issue);
    case 'unrecognized_keys':
      return unknownText(issue);
    case 'invalid_key':
      return 'has a key that is not valid';
    default:
      return 'is not valid';
  }
}

/** Describes a wrong value by its content if the content shows the fault, otherwise by its type. */
export function wrongValueText(code: string, value: unknown): string {
  if (typeof value === 'number' && (code.startsWith('too_') || !Number.isFinite(value) || !Number.isInteger(value))) {
    return String(value);
  }
  if (typeof value === 'boolean') return String(value);
  if (Array.isArray(value) && code.startsWith('too_')) {
    return value.length === 0
      ? 'an empty array'
      : `an array of ${value.length} ${value.length === 1 ? 'entry' : 'entries'}`;
  }
  if (typeof value === 'string' && code !== 'invalid_type' && code !== 'invalid_union' && code !== 'custom') {
    const isPlain = value.length <= MAX_SHOWN && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(value);
    return isPlain ? JSON.stringify(value) : `a string of ${value.length} characters`;
  }
  return foundText(value);
}

/** Whether `z.int()` raised the issue. It expects `number` for a string, but `int` for 1.5. */
function isWholeNumber({ inst }: Extract<RawIssue, { code: 'invalid_type' }>): boolean {
  const { def } = inst?._zod ?? {};
  return (def as { readonly format?: unknown } | undefined)?.format === 'safeint';
}

function choiceText(values: readonly unknown[]): string {
  const choices = values.map((value) => (typeof value === 'string' ? JSON.stringify(value) : String(value)));
  return choices.length > 1 ? `one of ${choices.join(', ')}` : choices.join('');
}

function amountText(origin: string, relation: string, limit: number | bigint): string {
  const unit = UNITS[origin];
  if (unit !== undefined) return `${TYPES[origin] ?? 'a value'} of ${relation} ${limit} ${unit}`;
  if (relation === 'more than') return `a number greater than ${limit}`;
  return relation === 'less than' ? `a number less than ${limit}` : `a number of ${relation} ${limit}`;
}

/** Lists the alternatives, or describes the fault in the alternative that matches the value best. */
function unionText({ options, errors }: Extract<RawIssue, { code: 'invalid_union' }> & { readonly options?: unknown }) {
  if (Array.isArray(options)) return `expected ${choiceText(options)}`;
  const [deepest] = errors
    .flat()
    .filter(({ path }) => path.length > 0)
    .sort((a, b) => b.path.length - a.path.length);
  if (deepest) return `${deepest.path.join('.')}: ${deepest.message}`;
  const alternatives = errors.flat().map(({ message }) => message.replace(/^expected /, ''));
  return `expected ${[...new Set(alternatives)].join(', or ')}`;
}

function unknownText({ keys, path = [], inst }: Extract<RawIssue, { code: 'unrecognized_keys' }>): string {
  const names = keys.map((key) => JSON.stringify([...path, key].join('.'))).join(', ');
  const { shape = {} } = (inst as { readonly shape?: object } | undefined) ?? {};
  return `unknown ${keys.length === 1 ? 'option' : 'options'} ${names}: use only ${Object.keys(shape).join(', ')}`;
}
