import type { FieldError } from '../status.ts';
import { invalidField } from '../status.ts';
import type { ApiObject } from '../storage/stored-object.ts';

const KEY = '[-._a-zA-Z0-9]+';
const keyFormat = new RegExp(`^${KEY}$`);

const RULE = `a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '${KEY}')`;

/** Returns the errors in the keys of a ConfigMap's or Secret's data. */
export function dataKeyErrors(object: ApiObject, field: string): FieldError[] {
  return Object.keys(object[field] ?? {})
    .filter((key) => !keyFormat.test(key) || key.length > 253 || key === '.' || key.startsWith('..'))
    .map((key) => invalidField(`${field}[${key}]`, key, RULE));
}
