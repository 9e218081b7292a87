import type { SchemaPath } from './schema-path.ts';

/** Words of CEL that are escaped as names of fields (API reference: `ValidationRule`). */
const RESERVED: ReadonlySet<string> = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);

/**
 * Returns the name of a field in CEL.
 *
 * @throws {SchemaError} if rules cannot refer to a field of this name.
 */
export function celField(name: string, at: SchemaPath): string {
  if (RESERVED.has(name)) return `__${name}__`;
  const escaped = name
    .replaceAll('__', '__underscores__')
    .replaceAll('.', '__dot__')
    .replaceAll('-', '__dash__')
    .replaceAll('/', '__slash__');
  if (!/^[A-Za-z_]\w*$/.test(escaped)) {
    at.fail('rules of the union cannot refer to this name', 'use a name of letters, digits, - and _');
  }
  return escaped;
}

/** Returns a value of an enum in CEL. */
export function celText(value: unknown): string {
  return JSON.stringify(value);
}
