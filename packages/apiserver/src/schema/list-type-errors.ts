import type { FieldError } from '../status.ts';
import { invalidField } from '../status.ts';
import type { Paused, Turn } from '../turn.ts';
import { keysOf } from './correlation.ts';
import type { Schema } from './schema.ts';
import { fieldSchema } from './schema.ts';

/** Returns an error for each value that a set, or key that a keyed list, contains more than once. */
export function* listTypeErrors(schema: Schema, value: unknown, turn: Turn): Paused<FieldError[]> {
  const errors: FieldError[] = [];
  yield* addErrors({ schema, path: '' }, value, errors, turn);
  return errors;
}

interface Place {
  readonly schema: Schema;
  readonly path: string;
}

function* addErrors({ schema, path }: Place, value: unknown, errors: FieldError[], turn: Turn): Paused<void> {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    yield* addDuplicates({ schema, path }, value, errors, turn);
    const { items } = schema;
    if (!items) return;
    for (const [index, item] of value.entries()) {
      if (turn.step()) yield* turn.pause();
      if (typeof item === 'object') yield* addErrors({ schema: items, path: `${path}[${index}]` }, item, errors, turn);
    }
    return;
  }
  for (const field of Object.keys(value)) {
    if (turn.step()) yield* turn.pause();
    const child = (value as Readonly<Record<string, unknown>>)[field];
    const known = fieldSchema(schema, field);
    if (!known || typeof child !== 'object') continue;
    const isProperty = schema.properties !== undefined && Object.hasOwn(schema.properties, field);
    const at = path === '' ? field : `${path}.${field}`;
    yield* addErrors({ schema: known, path: isProperty ? at : `${path}[${field}]` }, child, errors, turn);
  }
}

function* addDuplicates(
  { schema, path }: Place,
  list: readonly unknown[],
  errors: FieldError[],
  turn: Turn,
): Paused<void> {
  const listType = schema['x-kubernetes-list-type'];
  if (listType !== 'set' && listType !== 'map') return;
  if (listType === 'map') {
    const index = list.findIndex((item) => item !== null && (typeof item !== 'object' || Array.isArray(item)));
    const rule = 'must be an object for an array of list-type map';
    if (index >= 0) {
      errors.push(invalidField(`${path}[${index}]`, list[index], rule));
      return;
    }
  }
  const seen = new Map<string, number>();
  for (const [index, item] of list.entries()) {
    if (turn.step()) yield* turn.pause();
    const identity = JSON.stringify(listType === 'set' ? item : keysOf(schema, item));
    const count = seen.get(identity) ?? 0;
    seen.set(identity, count + 1);
    // Only the first repetition is reported.
    if (count !== 1) continue;
    errors.push({ reason: 'FieldValueDuplicate', field: `${path}[${index}]`, message: `Duplicate value: ${identity}` });
  }
}
