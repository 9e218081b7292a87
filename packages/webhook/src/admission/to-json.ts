/**
 * Returns a copy of a value with only what JSON holds. An `undefined` field is absent.
 *
 * @param path JSON Pointer of the value.
 * @throws {TypeError} that names the field, if JSON cannot hold the value.
 */
export function toJson(value: unknown, path: string): unknown {
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'bigint':
      return value;
    case 'number':
      if (Number.isFinite(value)) return value;
      break;
    case 'object': {
      if (value === null) return null;
      if (Array.isArray(value))
        return value.map((element: unknown, index) => toJson(element ?? null, pointer(path, index)));
      const prototype: unknown = Object.getPrototypeOf(value);
      if (prototype === null || Object.getPrototypeOf(prototype) === null) {
        const fields = Object.entries(value).filter(([, field]) => field !== undefined);
        return Object.fromEntries(fields.map(([name, field]) => [name, toJson(field, pointer(path, name))]));
      }
      break;
    }
    default:
  }
  const found = typeof value === 'object' && value ? value.constructor.name : `${typeof value} ${String(value)}`;
  throw new TypeError(
    `${path}: expected a value of JSON, found ${found}: set a string, number, boolean, array or object`,
  );
}

/** Returns the JSON Pointer (RFC 6901) of a field or an element. */
export function pointer(path: string, name: string | number): string {
  return `${path}/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
