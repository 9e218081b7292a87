import type { ResourceType } from '../resources/resource-type.ts';
import { copiedJson } from '../schema/copy-json.ts';
import { droppingNulls } from '../schema/drop-nulls.ts';
import { droppingEmptyLists } from '../schema/empty-lists.ts';
import { pruning } from '../schema/prune.ts';
import type { ApiObject } from '../storage/stored-object.ts';
import type { Paused, Turn } from '../turn.ts';

/** Groups whose objects a real server stores as JSON. It stores other built-in kinds as protobuf. */
const IN_JSON: ReadonlySet<string> = new Set(['apiextensions.k8s.io', 'apiregistration.k8s.io']);

/**
 * Returns an object of a built-in kind as a real server reads it back from the storage: protobuf has no empty lists, so they
 * are absent or `null`. The lists that were sent have owners.
 */
export function* withoutEmptyLists(type: ResourceType, object: ApiObject, turn: Turn): Paused<ApiObject> {
  if (!type.builtIn || IN_JSON.has(type.group)) return object;
  return yield* droppingEmptyLists(type, object, turn);
}

/**
 * Returns an applied custom object as a real server reads it back from the storage: without fields and nulls that the schema
 * does not have. An apply is typed and validated with them, and they have owners. (Upstream: `schemaCoercingDecoder` of
 * apiextensions-apiserver.)
 */
export function* prunedApply(type: ResourceType, applied: ApiObject, turn: Turn): Paused<ApiObject> {
  // The conversion to the stored version prunes, too.
  if (type.builtIn || !type.storesVersion) return applied;
  // Parts of the object may be those of the body, which is applied again if the object changes meanwhile.
  const object = (yield* copiedJson(applied, turn)) as ApiObject;
  yield* pruning(type.schema, object, turn);
  const { metadata, ...fields } = object;
  yield* droppingNulls(type.schema, fields, turn);
  return { metadata, ...fields };
}
