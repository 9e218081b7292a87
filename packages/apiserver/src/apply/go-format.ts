import { goNumber } from '../schema/go-number.ts';
import { isList, isMap } from './atom.ts';

/** Returns a value as Go's verb `%v` prints it. */
export function plainText(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (isList(value)) return `[${value.map(plainText).join(' ')}]`;
  if (isMap(value)) return `map[${sortedEntries(value, plainText).join(' ')}]`;
  return scalarText(value);
}

/** Returns a value as Go's verb `%#v` prints it. */
export function syntaxText(value: unknown): string {
  if (value === null || value === undefined) return 'interface {}(nil)';
  if (isList(value)) return `[]interface {}{${value.map(syntaxText).join(', ')}}`;
  if (isMap(value)) {
    const entries = sortedEntries(value, syntaxText, (key) => JSON.stringify(key));
    return `map[string]interface {}{${entries.join(', ')}}`;
  }
  return typeof value === 'string' ? JSON.stringify(value) : scalarText(value);
}

/** Returns the Go type of a decoded value. */
export function typeText(value: unknown): string {
  if (isList(value)) return '[]interface {}';
  if (isMap(value)) return 'map[string]interface {}';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'number' ? 'float64' : 'string';
}

/** Returns a value with its Go type, as Go prints one that does not fit a verb. */
export function goTypeText(value: unknown): string {
  if (value === null) return '<nil>';
  const type = typeof value === 'number' && Number.isInteger(value) ? 'int64' : typeText(value);
  return `${type}=${plainText(value)}`;
}

function sortedEntries(
  map: Readonly<Record<string, unknown>>,
  text: (value: unknown) => string,
  key: (name: string) => string = (name) => name,
): string[] {
  return Object.keys(map)
    .sort()
    .map((name) => `${key(name)}:${text(map[name])}`);
}

function scalarText(value: unknown): string {
  return typeof value === 'number' ? goNumber(value) : String(value);
}
