import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../patch/merge-patch.ts';
import { annotationFieldErrors, labelFieldErrors } from '../resources/names.ts';
import type { ApiObject, JsonObject } from '../storage/stored-object.ts';

export interface IdentityError {
  readonly message: string;
  /** Whether kube-apiserver finds it before it compares the metadata. */
  readonly early: boolean;
}

/** Returns why an object that a webhook returned is not the original one in another version. */
export function identityError(original: ApiObject, result: unknown, apiVersion: string): IdentityError | undefined {
  if (!isObject(result)) return { message: 'expected an object', early: true };
  const { kind, metadata } = result as Partial<ApiObject>;
  const early = (message: string): IdentityError => ({ message, early: true });
  const version = textOf(result['apiVersion']);
  if (version !== apiVersion) {
    return early(`invalid groupVersion (expected ${apiVersion}, received ${version || '/'})`);
  }
  if (kind !== original.kind) return early(`invalid kind (expected ${original.kind}, received ${kind ?? ''})`);
  for (const [field, label] of [
    ['name', 'name'],
    ['namespace', 'namespace'],
    ['uid', 'UID'],
  ] as const) {
    const [expected, got] = [original.metadata[field], metadata?.[field]].map((value) => value ?? '');
    if (expected !== got) return { message: `must have the same ${label}: ${expected} != ${got}`, early: false };
  }
  return undefined;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Returns a converted object with the metadata of the original one: a webhook changes only labels and annotations. */
export function convertedMetadata(original: ApiObject, result: ApiObject): ApiObject | string {
  const metadata: JsonObject = { ...original.metadata };
  for (const field of ['labels', 'annotations'] as const) {
    const map: unknown = result.metadata[field];
    if (map === undefined || map === null) {
      Reflect.deleteProperty(metadata, field);
      continue;
    }
    if (!isObject(map)) return `invalid metadata.${field} of type ${goType(map)} in converted object`;
    for (const [key, value] of Object.entries(map)) {
      if (typeof value === 'string') continue;
      return `metadata.${field}[${key}] must be a string, but is ${goType(value)} in converted object`;
    }
    if (!isDeepStrictEqual(map, original.metadata[field])) {
      const check = field === 'labels' ? labelFieldErrors : annotationFieldErrors;
      const errors = check(map as Record<string, string>);
      if (errors.length > 0) return errors.map((error) => `${error.field}: ${error.message}`).join(', ');
    }
    if (Object.keys(map).length > 0) metadata[field] = map;
    else Reflect.deleteProperty(metadata, field);
  }
  return { ...result, metadata: metadata as unknown as ApiObject['metadata'] };
}

function goType(value: unknown): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    case 'number':
      return Number.isInteger(value) ? 'int64' : 'float64';
    default:
      return 'map[string]interface {}';
  }
}
