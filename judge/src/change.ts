import { Choices } from './choices.ts';
import { mutate } from './mutation.ts';
import { withSortedFields } from './normaliser.ts';
import type { Changed, JsonObject } from './operation.ts';

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
  const changed = mutate(choices, withSortedFields(rest) as JsonObject);
  return status === undefined ? changed : { ...changed, status };
}
