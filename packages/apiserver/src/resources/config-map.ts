import { isDeepStrictEqual } from 'node:util';
import type { FieldError } from '../status.ts';
import { forbiddenField, invalidField } from '../status.ts';
import type { Change } from './resource-type.ts';
import { dataKeyErrors, dataSizeErrors } from './data-keys.ts';

export function configMapErrors(change: Change): FieldError[] {
  const { object } = change;
  const binary = new Set(Object.keys(object['binaryData'] ?? {}));
  const twice = Object.keys(object['data'] ?? {}).filter((key) => binary.has(key));
  return [
    ...dataKeyErrors(object, 'data'),
    ...dataKeyErrors(object, 'binaryData'),
    ...twice.map((key) => invalidField(`data[${key}]`, key, 'duplicate of key present in binaryData')),
    ...dataSizeErrors('[]', {
      texts: object['data'] as object | undefined,
      binaries: object['binaryData'] as object | undefined,
    }),
    ...immutableDataErrors(change, ['data', 'binaryData']),
  ];
}

/** Validates `immutable` of ConfigMaps and Secrets: once it is set, neither it nor the data may change. */
export function immutableDataErrors({ object, previous }: Change, fields: readonly string[]): FieldError[] {
  if (previous?.['immutable'] !== true) return [];
  const changed = (field: string): boolean => !isDeepStrictEqual(object[field], previous[field]);
  return ['immutable', ...fields]
    .filter(changed)
    .map((field) => forbiddenField(field, 'field is immutable when `immutable` is set'));
}
