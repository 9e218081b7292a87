import type { JsonObject } from '../storage/stored-object.ts';
import type { Paused, Turn } from '../turn.ts';
import { builtInTypeName } from './built-in-schema.ts';
import { copyEmpty, noteEmpty } from './empty-collections.ts';
import type { Schema } from './schema.ts';
import { fieldSchema } from './schema.ts';
import { qualifiedKind, zeroValues } from './zero-values.ts';

interface Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly schema: Schema;
}

/**
 * Replaces the empty lists that Go writes by `null`, in a copy of the parts that change. Go omits other empty lists, which a
 * decoded object does not have. {@link emptyCollection} returns the list that was sent.
 *
 * @param kind the kind of the object, which is built in.
 */
export function* droppingEmptyLists<T extends object>(kind: Kind, object: T, turn: Turn): Paused<T> {
  // The result has the same fields.
  return (yield* replaced({ schema: kind.schema, type: qualifiedKind(kind) }, object, turn)) as T;
}

interface Place {
  readonly schema: Schema;
  /** Type in the table of zero values. */
  readonly type: string;
}

function* replaced({ schema, type }: Place, value: unknown, turn: Turn): Paused<unknown> {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const { items } = schema;
    if (!items) return value as unknown[];
    let list: unknown[] = value;
    for (const [index, item] of list.entries()) {
      if (turn.step()) yield* turn.pause();
      const result = yield* replaced(placeOf(items), item, turn);
      if (result !== item) list = list.with(index, result);
    }
    return list;
  }
  let object = value as JsonObject;
  const { lists } = zeroValues(type);
  const emptied: [string, object][] = [];
  for (const field of Object.keys(object)) {
    if (turn.step()) yield* turn.pause();
    const child = object[field];
    const known = typeof child === 'object' && child !== null ? fieldSchema(schema, field) : undefined;
    if (!known) continue;
    const isEmpty = Array.isArray(child) && child.length === 0 && lists.has(field);
    const result = isEmpty ? null : yield* replaced(placeOf(known), child, turn);
    if (result === child) continue;
    object = { ...object, [field]: result };
    if (isEmpty) emptied.push([field, child]);
  }
  if (object !== value) copyEmpty(value, object);
  for (const [field, list] of emptied) noteEmpty(object, field, list);
  return object;
}

function placeOf(schema: Schema): Place {
  return { schema, type: builtInTypeName(schema) ?? '' };
}
