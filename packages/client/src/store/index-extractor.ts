import type { DeepReadonly, KubernetesObject } from '../kinds/object.ts';

/**
 * Path of an indexed field: its names with a dot before each, such as `.spec.nodeName`, or an array of its names, which
 * may contain dots.
 *
 * A string, a number or a boolean gives its text as the only value; integers of 64 bits keep all digits. An array gives
 * one value for each of its elements of these types. An object, `null` and a missing field give no value. A path does
 * not lead into the elements of an array.
 */
export type IndexPath = `.${string}` | readonly string[];

/** Returns the values of an object in an index, or names the field that has them. An index by path decodes no objects. */
export type IndexExtractor<T extends KubernetesObject> = ((object: DeepReadonly<T>) => readonly string[]) | IndexPath;

/** Returns the names of a path, the outermost first. */
export function namesOfPath(path: IndexPath): readonly string[] {
  return typeof path === 'string' ? path.split('.').slice(1) : path;
}

/** Returns the values of a decoded field, as {@link IndexPath} describes. */
export function fieldValues(field: unknown): string[] {
  return [field].flat().flatMap((each: unknown) => (isScalar(each) ? [String(each)] : []));
}

/** Returns the extractor as a function of decoded objects. */
export function indexFunction<T extends KubernetesObject>(
  extract: IndexExtractor<T>,
): (object: DeepReadonly<T>) => readonly string[] {
  if (typeof extract === 'function') return extract;
  const names = namesOfPath(extract);
  return (object) => fieldValues(names.reduce<unknown>(fieldOf, object));
}

function isScalar(value: unknown): boolean {
  return ['string', 'number', 'boolean', 'bigint'].includes(typeof value);
}

/** Returns a field of an object. Ignores the fields that objects inherit, and those of arrays. */
function fieldOf(value: unknown, name: string): unknown {
  const hasFields = typeof value === 'object' && value !== null && !Array.isArray(value);
  return hasFields && Object.hasOwn(value, name) ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}
