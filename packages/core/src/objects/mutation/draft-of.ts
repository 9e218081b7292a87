/** `T` with no field read-only, at any depth: what `DeepReadonly` was made of. */
export type Writable<T> = T extends readonly (infer E)[]
  ? Writable<E>[]
  : T extends object
    ? { -readonly [K in keyof T]: Writable<T[K]> }
    : T;

/**
 * A copy of an object of the cache, to be changed and written. The object itself is shared and stays as it is.
 * (Upstream: `DeepCopy`.)
 */
export function draftOf<T extends object>(object: T): Writable<T> {
  return structuredClone(object) as Writable<T>;
}
