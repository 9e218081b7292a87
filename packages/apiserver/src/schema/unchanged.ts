import type { Paused, Turn } from '../turn.ts';
import { itemBefore } from './correlation.ts';
import { areEqual } from './equal-json.ts';
import type { Schema } from './schema.ts';
import { fieldSchema } from './schema.ts';

/**
 * Reports whether an update keeps a value. Items of a list with keys can be in another order, and an object with fields that its
 * schema does not have counts as changed. (Upstream: `CorrelatedObject.CachedDeepEqual` of k8s.io/apiserver.)
 */
export function* isUnchanged(schema: Schema, value: unknown, before: unknown, turn: Turn): Paused<boolean> {
  if (typeof value !== 'object' || value === null || typeof before !== 'object' || before === null) {
    return Object.is(value, before);
  }
  if (Array.isArray(value) !== Array.isArray(before)) return false;
  if (Array.isArray(value)) return yield* isListUnchanged(schema, value, before as readonly unknown[], turn);
  const fields = Object.keys(value);
  if (fields.length !== Object.keys(before).length) return false;
  for (const field of fields) {
    if (turn.step()) yield* turn.pause();
    const known = fieldSchema(schema, field);
    if (!known || !Object.hasOwn(before, field)) return false;
    const [child, old] = [(value as Values)[field], (before as Values)[field]];
    if (!(yield* isUnchanged(known, child, old, turn))) return false;
  }
  return true;
}

type Values = Readonly<Record<string, unknown>>;

function* isListUnchanged(
  schema: Schema,
  list: readonly unknown[],
  before: readonly unknown[],
  turn: Turn,
): Paused<boolean> {
  const { items } = schema;
  if (schema['x-kubernetes-list-type'] !== 'map' || !items) return yield* areEqual(list, before, turn);
  if (list.length !== before.length) return false;
  for (const item of list) {
    if (turn.step()) yield* turn.pause();
    const old = itemBefore(schema, item, { value: before });
    if (!old || !(yield* isUnchanged(items, item, old.value, turn))) return false;
  }
  return true;
}
