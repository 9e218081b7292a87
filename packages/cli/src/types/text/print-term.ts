import { keyName, stringLiteral } from './literal.ts';
import type { Argument, Term } from '../terms/term.ts';

/** Maximum length of a line that is not a single long text. */
const WIDTH = 120;

/** Longest name of a property whose long text stays in its line. */
const SHORT_KEY = 4;

/**
 * Prints an expression, as Prettier does with single quotes and lines of 120 characters.
 *
 * @param indent number of spaces before the line.
 * @param used number of characters in the line before the expression, and after it.
 */
export function printTerm(term: Term, indent: number, used: number): string {
  const flat = flatTerm(term);
  if (flat !== undefined && indent + used + flat.length <= WIDTH) return flat;
  const { reference, calls } = term;
  const [call, ...others] = calls;
  if (!call) return reference ?? '';
  if (others.length > 0) return chain(term, indent);
  const start = `${reference ?? ''}${call.name}`;
  return `${start}${printArguments(call.args, indent, indent + used + start.length)}`;
}

function chain({ reference, calls }: Term, indent: number): string {
  const [head, ...others] = calls;
  if (!head) return reference ?? '';
  const dot = head.name.indexOf('.');
  const rest = reference === undefined ? [{ ...head, name: head.name.slice(dot) }, ...others] : calls;
  const lines = rest.map(
    ({ name, args }) => `${' '.repeat(indent + 2)}${name}${printArguments(args, indent + 2, indent + 3 + name.length)}`,
  );
  return [reference ?? head.name.slice(0, dot), ...lines].join('\n');
}

function printArguments(args: readonly Argument[], indent: number, column: number): string {
  const flat = flatArguments(args);
  if (flat !== undefined && column + flat.length <= WIDTH) return flat;
  const last = args.at(-1);
  const others = args.slice(0, -1);
  if (last && isHugged(last)) {
    const flatOthers = others.map(flatArgument);
    if (flatOthers.every((each) => each !== undefined)) {
      const start = flatOthers.map((each) => `${each}, `).join('');
      if (column + start.length + 2 <= WIDTH) return `(${start}${printArgument(last, indent, WIDTH)})`;
    }
  }
  const inner = indent + 2;
  const lines = args.map((each) => `${' '.repeat(inner)}${printArgument(each, inner, 1)},\n`);
  return `(\n${lines.join('')}${' '.repeat(indent)})`;
}

/** Whether the braces of an argument stay beside the parentheses of the call. */
function isHugged(argument: Argument): boolean {
  if (argument.type === 'shape') return true;
  if (argument.type === 'code') return false;
  return argument.type === 'value' && typeof argument.value === 'object' && argument.value !== null;
}

function printArgument(argument: Argument, indent: number, used: number): string {
  switch (argument.type) {
    case 'value':
      return printValue(argument.value, indent, used);
    case 'term':
      return printTerm(argument.term, indent, used);
    case 'code': {
      const args = argument.args.map((value): Argument => ({ type: 'value', value }));
      return `${argument.callee}${printArguments(args, indent, indent + used + argument.callee.length)}`;
    }
    case 'shape':
      return printShape(argument.fields, indent);
  }
}

function printShape(fields: readonly (readonly [name: string, term: Term])[], indent: number): string {
  if (fields.length === 0) return '{}';
  const inner = indent + 2;
  const lines = fields.map(([name, term]) => {
    const key = keyName(name);
    return `${' '.repeat(inner)}${key}: ${printTerm(term, inner, key.length + 3)},\n`;
  });
  return `{\n${lines.join('')}${' '.repeat(indent)}}`;
}

/** Prints a value of JSON; `undefined` in an object stays. */
export function printValue(value: unknown, indent: number, used: number): string {
  const flat = flatValue(value);
  if (indent + used + flat.length <= WIDTH) return flat;
  if (typeof value !== 'object' || value === null) return flat;
  const inner = indent + 2;
  const pad = ' '.repeat(inner);
  const items = Array.isArray(value)
    ? value.map((item: unknown) => `${pad}${printValue(item, inner, 1)},\n`)
    : Object.entries(value).map(([name, item]) => {
        const key = keyName(name);
        return `${pad}${printProperty(key, item, inner)},\n`;
      });
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}\n${items.join('')}${' '.repeat(indent)}${close}`;
}

/**
 * Names that the compiler looks up in `Object` before the index signature, so that it does not check the value against the type
 * of a schema.
 */
const OF_OBJECT = new Set([
  ...['constructor', 'toString', 'toLocaleString', 'valueOf', 'hasOwnProperty', 'isPrototypeOf'],
  'propertyIsEnumerable',
]);

/** Returns what follows a value, so that its texts keep their literal types. */
function constantOf(key: string, value: unknown): string {
  return OF_OBJECT.has(key) && typeof value === 'object' && value !== null ? ' as const' : '';
}

/** Prints a property of an object. A long text is in a line of its own. */
export function printProperty(key: string, value: unknown, indent: number): string {
  const constant = constantOf(key, value);
  const text = printValue(value, indent, key.length + 3 + constant.length) + constant;
  const isLong = typeof value === 'string' && indent + key.length + 3 + text.length > WIDTH;
  return `${key}:${isLong && key.length > SHORT_KEY ? `\n${' '.repeat(indent + 2)}` : ' '}${text}`;
}

/** Returns the expression in one line; `undefined` if it has fields, because each field is a line. */
export function flatTerm({ reference, calls }: Term): string | undefined {
  let text = reference ?? '';
  for (const { name, args } of calls) {
    const flat = flatArguments(args);
    if (flat === undefined) return undefined;
    text += name + flat;
  }
  return text;
}

function flatArguments(args: readonly Argument[]): string | undefined {
  const texts = args.map(flatArgument);
  return texts.every((text) => text !== undefined) ? `(${texts.join(', ')})` : undefined;
}

function flatArgument(argument: Argument): string | undefined {
  switch (argument.type) {
    case 'value':
      return flatValue(argument.value);
    case 'term':
      return flatTerm(argument.term);
    case 'code':
      return `${argument.callee}(${argument.args.map(flatValue).join(', ')})`;
    case 'shape':
      return argument.fields.length === 0 ? '{}' : undefined;
  }
}

function flatValue(value: unknown): string {
  if (typeof value === 'string') return stringLiteral(value);
  if (Array.isArray(value)) return `[${value.map(flatValue).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? '-0' : String(value);
  const entries = Object.entries(value).map(([name, item]) => {
    const key = keyName(name);
    return `${key}: ${flatValue(item)}${constantOf(key, item)}`;
  });
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
}
