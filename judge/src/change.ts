import { Choices } from './choices.ts';
import { mutate } from './mutation.ts';
import type { Changed, Json, JsonObject } from './operation.ts';

/** Returns the changed object. @param object the object as the server returned it last; empty if it has not. */
export function changeOf({ metadata = {}, spec, mutation }: Changed, object: JsonObject): JsonObject {
  const entries = Object.entries({ ...(object['metadata'] as JsonObject | undefined), ...metadata });
  const merged: JsonObject = {
    ...object,
    ...(spec !== undefined && { spec }),
    metadata: Object.fromEntries(entries.filter(([, value]) => value !== null)),
  };
  return mutation === undefined ? merged : mutateBy(mutation, merged);
}

/** Changes an object by a seed. Its status stays the same. */
function mutateBy(seed: number, object: JsonObject): JsonObject {
  const choices = new Choices(seed);
  const { status, ...rest } = object;
  // The servers write fields in different orders.
  const changed = mutate(choices, sorted(rest) as JsonObject);
  return status === undefined ? changed : { ...changed, status };
}

function sorted(value: Json | undefined): Json | undefined {
  if (Array.isArray(value)) return value.map((item: Json) => sorted(item) ?? null);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([field, item]) => [field, sorted(item)]));
}
