/** `T` without `readonly` at any depth, the inverse of `DeepReadonly`. */
export type Writable<T> = T extends readonly (infer E)[]
  ? Writable<E>[]
  : T extends object
    ? { -readonly [K in keyof T]: Writable<T[K]> }
    : T;

/**
 * Returns a copy of a cached object that can be changed and written. The cached object itself is shared and immutable.
 * (Upstream: `DeepCopy`.)
 *
 * @example
 * const configMap = draftOf(await client.get(ConfigMap, key));
 * configMap.data = { colour: 'blue' };
 * await client.update(ConfigMap, configMap);
 */
export function draftOf<T extends object>(object: T): Writable<T> {
  return structuredClone(object) as Writable<T>;
}
