import { shortened } from '@mcr/client';

/** The first field in which two JSON values differ. */
export interface Difference {
  /** Path of the field, for example `spec.ports[0].name`. Empty for the values themselves. */
  readonly path: string;
  /** The expected value as JSON, at most 300 bytes; `nothing` for a missing field. */
  readonly expected: string;
  /** The found value, like `expected`. */
  readonly found: string;
}

const MAX_VALUE_BYTES = 300;

/** Compares two JSON values. Returns undefined if they are equal. */
export function firstDifference(expected: unknown, found: unknown, path = ''): Difference | undefined {
  if (Object.is(expected, found)) return undefined;
  if (!isNested(expected) || !isNested(found) || Array.isArray(expected) !== Array.isArray(found)) {
    return { path, expected: shown(expected), found: shown(found) };
  }
  for (const name of new Set([...Object.keys(expected), ...Object.keys(found)])) {
    const at = Array.isArray(expected) ? `${path}[${name}]` : memberPath(path, name);
    const difference = firstDifference(ownField(expected, name), ownField(found, name), at);
    if (difference) return difference;
  }
  return undefined;
}

function isNested(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function ownField(object: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function memberPath(path: string, name: string): string {
  if (!/^[\w-]+$/.test(name)) return `${path}[${JSON.stringify(name)}]`;
  return path === '' ? name : `${path}.${name}`;
}

function shown(value: unknown): string {
  return value === undefined ? 'nothing' : shortened(JSON.stringify(value), MAX_VALUE_BYTES);
}
