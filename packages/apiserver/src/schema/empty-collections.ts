/** Fields of decoded objects that were sent as an empty list or map, which Go does not write. */
const empty = new WeakMap<object, Map<string, object>>();

/** Remembers that a field of an object without it was sent as an empty list or map. */
export function noteEmpty(object: object, field: string, value: object): void {
  const fields = empty.get(object) ?? new Map<string, object>();
  empty.set(object, fields.set(field, value));
}

/** Remembers for a copy of an object what is known about the object: some objects are decoded twice. */
export function copyEmpty(from: object, to: object): void {
  for (const [field, value] of empty.get(from) ?? []) noteEmpty(to, field, value);
}

/**
 * Returns the empty list or map that a field was sent as, or `undefined`. Messages of kube-apiserver show it, other than an
 * absent field.
 */
export function emptyCollection(object: unknown, field: string): object | undefined {
  return typeof object === 'object' && object !== null ? empty.get(object)?.get(field) : undefined;
}

/** Reports whether a part of a value was sent as an empty list or map. */
export function hasEmptyCollection(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return empty.has(value) || Object.values(value).some(hasEmptyCollection);
}
