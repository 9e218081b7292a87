import { ownField } from '@mcr/core/provider';

/** Whether two values of JSON are equal. The order of fields does not count, and an `undefined` field is absent. */
export function equalJson(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((element, index) => equalJson(element, b[index]));
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].every((name) => equalJson(ownField(a, name), ownField(b, name)));
}

/** Whether a value is an object of JSON, and not an array. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
