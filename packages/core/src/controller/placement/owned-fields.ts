import type { DeepReadonly, ObjectMeta } from '@mcr/client';

/** Finds the fields of one field manager. */
export interface FieldOwner {
  readonly fieldManager: string;
  /** The version of the fields. Others are not comparable. */
  readonly apiVersion: string;
}

/**
 * Returns the fields that a field manager has applied and still owns, as `fieldsV1`, or `undefined` if it owns none.
 * The API server takes a field away from its owner when another manager changes or removes it. (Server-side apply, KEP-555.)
 */
export function appliedFields(
  { managedFields = [] }: DeepReadonly<Pick<ObjectMeta, 'managedFields'>>,
  { fieldManager, apiVersion }: FieldOwner,
): unknown {
  return managedFields.find(
    (entry) =>
      entry.manager === fieldManager &&
      entry.operation === 'Apply' &&
      entry.apiVersion === apiVersion &&
      (entry.subresource ?? '') === '',
  )?.fieldsV1;
}

/**
 * Returns the path of the first field of a configuration that `fieldsV1` does not contain, or `undefined` if it contains all.
 * Fields that the API server does not track, such as the name, are to be left out of the configuration. Returns a path if in
 * doubt, for example if the API server has changed the place of a field.
 */
export function missingField(fields: unknown, value: unknown, path = ''): string | undefined {
  if (!isMap(fields)) return path;
  // A scalar, or a list or map that has one owner as a whole.
  if (Object.keys(fields).length === 0) return undefined;
  if (Array.isArray(value)) return value.every((item) => ownsItem(fields, item)) ? undefined : path;
  if (!isMap(value)) return path;
  for (const [name, part] of Object.entries(value)) {
    if (part === undefined) continue;
    const missing = missingField(fields[`f:${name}`], part, path === '' ? name : `${path}.${name}`);
    if (missing !== undefined) return missing;
  }
  return undefined;
}

/** Returns whether `fieldsV1` contains each field of a configuration, see {@link missingField}. */
export function ownsAll(fields: unknown, value: unknown): boolean {
  return missingField(fields, value) === undefined;
}

/** Returns whether the fields of a list contain an item: by its value in a set, or by its keys in a list of type map. */
function ownsItem(fields: Readonly<Record<string, unknown>>, item: unknown): boolean {
  if (!isMap(item)) return Object.keys(fields).some((path) => path.startsWith('v:') && parsed(path) === item);
  return Object.entries(fields).some(([path, owned]) => {
    if (!path.startsWith('k:')) return false;
    const keys = parsed(path);
    // The API server completes a key that has a default, such as the protocol of a port.
    const isSame = ([name, value]: [string, unknown]) => item[name] === undefined || item[name] === value;
    return isMap(keys) && Object.entries(keys).every(isSame) && ownsAll(owned, item);
  });
}

function parsed(path: string): unknown {
  try {
    return JSON.parse(path.slice(2));
  } catch {
    return undefined;
  }
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
