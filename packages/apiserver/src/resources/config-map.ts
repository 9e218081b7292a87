import { areEqual } from '../schema/equal-json.ts';
import type { FieldError } from '../status.ts';
import { forbiddenField, invalidField } from '../status.ts';
import type { Paused } from '../turn.ts';
import { Turn } from '../turn.ts';
import type { Change } from './resource-type.ts';
import { dataKeyErrors, dataSizeErrors } from './data-keys.ts';

export function* configMapErrors(change: Change): Paused<FieldError[]> {
  const { object } = change;
  const turn = new Turn();
  const data = object['data'] ?? {};
  const twice = Object.keys(object['binaryData'] ?? {}).filter((key) => Object.hasOwn(data, key));
  return [
    ...(yield* dataKeyErrors(object, 'data', turn)),
    ...(yield* dataKeyErrors(object, 'binaryData', turn)),
    ...twice.map((key) => invalidField(`data[${key}]`, key, 'duplicate of key present in binaryData')),
    ...(yield* dataSizeErrors('[]', { texts: data, binaries: object['binaryData'] as object | undefined }, turn)),
    ...(yield* immutableDataErrors(change, ['data', 'binaryData'], turn)),
  ];
}

/** Validates `immutable` of ConfigMaps and Secrets: once it is set, neither it nor the data may change. */
export function* immutableDataErrors(
  { object, previous }: Change,
  fields: readonly string[],
  turn: Turn,
): Paused<FieldError[]> {
  if (previous?.['immutable'] !== true) return [];
  const errors: FieldError[] = [];
  for (const field of ['immutable', ...fields]) {
    if (yield* areEqual(object[field], previous[field], turn)) continue;
    errors.push(forbiddenField(field, 'field is immutable when `immutable` is set'));
  }
  return errors;
}
