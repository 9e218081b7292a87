import type { ResourceType } from '../resources/resource-type.ts';
import type { Schema } from '../schema/schema.ts';
import { unsupportedMediaType } from '../status.ts';
import { jsonPatch } from './json-patch.ts';
import { mergePatch } from './merge-patch.ts';
import { strategicMergePatch } from './strategic-merge-patch.ts';

/** Its body is YAML, of which JSON is a part. */
export const APPLY_PATCH = 'application/apply-patch+yaml';

type Patch = (target: unknown, patch: unknown, schema: Schema) => unknown;

const anyKind: Readonly<Record<string, Patch>> = {
  'application/json-patch+json': jsonPatch,
  'application/merge-patch+json': mergePatch,
};

/** What a strategic merge does to a list stands in the types of the built-in kinds; a custom kind has none. */
const builtInKind: Readonly<Record<string, Patch>> = {
  ...anyKind,
  'application/strategic-merge-patch+json': strategicMergePatch,
};

/** The way of patching that a content type asks for. @throws {StatusError} 415 */
export function patchOf(type: ResourceType, contentType: string): Patch {
  const patches = type.builtIn ? builtInKind : anyKind;
  const patch = Object.hasOwn(patches, contentType) ? patches[contentType] : undefined;
  if (!patch) throw unsupportedMediaType([...Object.keys(patches), APPLY_PATCH]);
  return patch;
}
