import type { StructuralSchema } from '@mcr/kinds';
import { docComment, propertyName, stringLiteral } from './literal.ts';

/** Types of the values of a schema. */
export interface ValueTypes {
  /** Type when they are read: fields with defaults are present. */
  readonly read: string;
  /** Type when they are written: fields with defaults may be missing. */
  readonly written: string;
}

const WIDTH = 120;

/** A field of an interface. */
export interface Field extends ValueTypes {
  readonly field: string;
  readonly schema: StructuralSchema;
  readonly isRequired: boolean;
  readonly hasDefault: boolean;
}

export interface InterfaceOptions {
  /** Whether objects have other fields, too. */
  readonly isOpen: boolean;
  readonly isPresent: (field: Field) => boolean;
  readonly textOf: (field: Field) => string;
}

/** Prints an interface without its name, with the descriptions of its fields: `{ a?: string; }`. */
export function interfaceBody(fields: readonly Field[], { isOpen, isPresent, textOf }: InterfaceOptions): string {
  const lines = fields.flatMap((each) => {
    const comment = docComment(each.schema.description).map((line) => `  ${line}`);
    return [...comment, ...propertyLines(`${propertyName(each.field)}${isPresent(each) ? '' : '?'}`, textOf(each))];
  });
  if (isOpen) lines.push('  [field: string]: unknown;');
  return ['{', ...lines, '}'].join('\n');
}

/** Prints `Omit` of an interface and fields, after `used` characters in its line. */
export function omitted(type: string, fields: readonly Field[], used: number): string {
  const union = fields.map(({ field }) => stringLiteral(field)).join(' | ');
  const flat = `Omit<${type}, ${union}>`;
  if (used + flat.length <= WIDTH) return flat;
  return `Omit<\n  ${type},\n ${printUnion(union, 0, 1)}\n>`;
}

/** Returns the union of the values of an enum without null; empty if there are none. */
export function unionOf(values: readonly unknown[] = []): string {
  return values
    .filter((each) => each !== null)
    .map((each) => (typeof each === 'string' ? stringLiteral(each) : JSON.stringify(each)))
    .join(' | ');
}

/** Length of the longest union that is not a type of its own. */
export const MAX_INLINE_UNION = 60;

function propertyLines(key: string, type: string): string[] {
  return `  ${key}:${printUnion(type, 2, key.length + 3)};`.split('\n');
}

/** Prints a type in the line, in the next line, or with each option in a line of its own. */
export function printUnion(type: string, indent: number, column: number): string {
  if (column + type.length + 2 <= WIDTH || !type.includes(' | ') || type.includes('(')) return ` ${type}`;
  const pad = `\n${' '.repeat(indent + 2)}`;
  if (pad.length + type.length <= WIDTH) return `${pad}${type}`;
  return type
    .split(' | ')
    .map((each) => `${pad}| ${each}`)
    .join('');
}
