import type { ResourceType } from '../resources/resource-type.ts';
import { requireShallow } from '../schema/nesting.ts';
import type { Schema } from '../schema/schema.ts';
import { StatusError, unsupportedMediaType } from '../status.ts';
import type { Paused, Turn } from '../turn.ts';
import { jsonPatching } from './json-patch.ts';
import { mergePatching } from './merge-patch.ts';
import { strategicMergePatching } from './strategic-merge-patch.ts';

/** The body is YAML, which includes JSON. */
export const APPLY_PATCH = 'application/apply-patch+yaml';

export const STRATEGIC_PATCH = 'application/strategic-merge-patch+json';

/** Applies a patch, with pauses. */
type Patch = (target: unknown, patch: unknown, schema: Schema, turn: Turn) => Paused<unknown>;

const anyKind: Readonly<Record<string, Patch>> = {
  'application/json-patch+json': shallowJsonPatch,
  'application/merge-patch+json': (target, patch, _schema, turn) => mergePatching(target, patch, turn),
};

/** Applies a JSON patch, whose operations can put an object into another. @throws {StatusError} 400 if it is too deep. */
function* shallowJsonPatch(target: unknown, patch: unknown, _schema: Schema, turn: Turn): Paused<unknown> {
  const result = yield* jsonPatching(target, patch, turn);
  yield* requireShallow(result, turn);
  return result;
}

/** A strategic merge depends on list types, which only the built-in kinds declare. */
const builtInKind: Readonly<Record<string, Patch>> = {
  ...anyKind,
  [STRATEGIC_PATCH]: strategicMergePatching,
};

/** Reports whether a content type is that of a patch of a built-in kind. */
export function isPatchType(contentType: string): boolean {
  return contentType === APPLY_PATCH || Object.hasOwn(builtInKind, contentType);
}

/** Returns the patch function for a content type. @throws {StatusError} 415 */
export function patchOf(type: ResourceType, contentType: string): Patch {
  const patches = type.builtIn ? builtInKind : anyKind;
  const patch = Object.hasOwn(patches, contentType) ? patches[contentType] : undefined;
  if (!patch && type.builtIn) throw new StatusError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
  if (!patch) throw unsupportedMediaType([...Object.keys(patches), APPLY_PATCH]);
  return patch;
}
