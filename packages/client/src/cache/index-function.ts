import type { DeepReadonly, KubernetesObject } from '../kinds/object.ts';
import type { IndexExtractor } from './cache.ts';

/** Returns the extractor as a function of decoded objects. */
export function indexFunction<T extends KubernetesObject>(
  extract: IndexExtractor<T>,
): (object: DeepReadonly<T>) => readonly string[] {
  if (typeof extract === 'function') return extract;
  const [, ...names] = extract.split('.');
  return (object) => {
    let value: unknown = object;
    for (const name of names) value = fieldOf(value, name);
    if (typeof value === 'string') return [value];
    return typeof value === 'number' || typeof value === 'boolean' ? [String(value)] : [];
  };
}

function fieldOf(value: unknown, name: string): unknown {
  const hasFields = typeof value === 'object' && value !== null && !Array.isArray(value);
  return hasFields && Object.hasOwn(value, name) ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}
