import type { StructuralSchema } from '@mcr/kinds';
import { docComment, propertyName } from './literal.ts';

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
  readonly isOpen: boolean;
  readonly description: string | undefined;
  readonly isPresent: (field: Field) => boolean;
  readonly textOf: (field: Field) => string;
}

/** Prints an interface, with the descriptions of its fields. */
export function interfaceText(
  name: string,
  fields: readonly Field[],
  { isOpen, description, isPresent, textOf }: InterfaceOptions,
): string {
  const lines = fields.flatMap((each) => {
    const comment = docComment(each.schema.description).map((line) => `  ${line}`);
    const type = textOf(each);
    const isOptional = !isPresent(each);
    const whole = isOptional && type !== 'unknown' ? `${type} | undefined` : type;
    return [...comment, ...propertyLines(`${propertyName(each.field)}${isOptional ? '?' : ''}`, whole)];
  });
  if (isOpen) lines.push('  [field: string]: unknown;');
  return [...docComment(description), `export interface ${name} {`, ...lines, '}'].join('\n');
}

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
