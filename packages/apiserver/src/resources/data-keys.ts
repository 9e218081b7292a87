import type { FieldError } from '../status.ts';
import { invalidField } from '../status.ts';
import type { ApiObject } from '../storage/stored-object.ts';
import type { Paused, Turn } from '../turn.ts';

const KEY = '[-._a-zA-Z0-9]+';
const LONGEST_KEY = 253;
const keyFormat = new RegExp(`^${KEY}$`);

const RULE = `a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '${KEY}')`;

/** Returns the errors in the keys of a ConfigMap's or Secret's data. */
export function* dataKeyErrors(object: ApiObject, field: string, turn: Turn): Paused<FieldError[]> {
  const errors: FieldError[] = [];
  for (const key of Object.keys(object[field] ?? {})) {
    if (turn.step()) yield* turn.pause();
    for (const detail of dataKeyDetails(key)) errors.push(invalidField(`${field}[${key}]`, key, detail));
  }
  return errors;
}

/** Returns what is wrong with a key of a ConfigMap or Secret (upstream: `IsConfigMapKey`). */
export function dataKeyDetails(key: string): string[] {
  return [
    ...(key.length > LONGEST_KEY ? [`must be no more than ${LONGEST_KEY} characters`] : []),
    ...(keyFormat.test(key) ? [] : [RULE]),
    ...(key === '.' || key === '..' ? [`must not be '${key}'`] : []),
    ...(key.startsWith('..') && key !== '..' ? ["must not start with '..'"] : []),
  ];
}

/** Maximum size of the data of a ConfigMap or a Secret, in bytes. */
const SIZE_LIMIT = 1024 * 1024;

/**
 * Returns the error in the size of a ConfigMap's or Secret's data.
 *
 * @param texts values as text. @param binaries values in base64.
 */
export function* dataSizeErrors(
  field: string,
  { texts = {}, binaries = {} }: { readonly texts?: object | undefined; readonly binaries?: object | undefined },
  turn: Turn,
): Paused<FieldError[]> {
  let size = 0;
  for (const [values, encoding] of [
    [texts, 'utf8'],
    [binaries, 'base64'],
  ] as const) {
    for (const key of Object.keys(values)) {
      if (turn.step()) yield* turn.pause();
      size += Buffer.byteLength(String((values as Readonly<Record<string, unknown>>)[key]), encoding);
    }
  }
  if (size <= SIZE_LIMIT) return [];
  return [{ reason: 'FieldValueTooLong', field, message: `Too long: may not be more than ${SIZE_LIMIT} bytes` }];
}
