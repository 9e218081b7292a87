import type { Paused, Turn } from '../turn.ts';
import { contains, difference, isEmpty, pathSet } from './field-set.ts';
import type { ManagedFieldsEntry, Ownership, Owners } from './managed-fields.ts';
import { entriesOf, ownersOf } from './managed-fields.ts';

/** Version of the scale subresource. */
export const SCALE_VERSION = 'autoscaling/v1';

const REPLICAS_OF_SCALE = ['f:spec', 'f:replicas'] as const;

/**
 * Returns the path elements of the desired replicas in a version of the resource: `null` if the version has no scale,
 * `undefined` if it is not served.
 */
export type ReplicasPath = (apiVersion: string) => readonly string[] | null | undefined;

/** Returns the owners of an object's replicas as owners of its scale. (Upstream: `ScaleHandler.ToSubresource`.) */
export function* ownersOfScale(
  entries: readonly ManagedFieldsEntry[],
  pathOf: ReplicasPath,
  turn: Turn,
): Paused<ManagedFieldsEntry[]> {
  const scaleOwners: Owners = new Map();
  for (const [key, owner] of (yield* ownersOf(entries, turn)) ?? new Map<string, Ownership>()) {
    const path = pathOf(owner.apiVersion);
    if (!path || !contains(owner.fields, path)) continue;
    scaleOwners.set(key, { ...owner, apiVersion: SCALE_VERSION, fields: pathSet(...REPLICAS_OF_SCALE) });
  }
  return yield* entriesOf(scaleOwners, turn);
}

/**
 * Returns the owners of an object after a write of its scale. A manager that no longer owns the replicas of the scale
 * loses those of the object. (Upstream: `ScaleHandler.ToParent`.)
 *
 * @param apiVersion version of the resource in the request.
 */
export function* ownersFromScale(
  entries: readonly ManagedFieldsEntry[],
  scaleEntries: readonly ManagedFieldsEntry[],
  pathOf: ReplicasPath,
  apiVersion: string,
  turn: Turn,
): Paused<ManagedFieldsEntry[]> {
  const before = (yield* ownersOf(entries, turn)) ?? new Map<string, Ownership>();
  const scaled = (yield* ownersOf(scaleEntries, turn)) ?? new Map<string, Ownership>();
  const result: Owners = new Map();
  for (const [key, owner] of before) {
    const path = pathOf(owner.apiVersion);
    if (path === undefined) continue;
    if (path === null || !contains(owner.fields, path)) {
      result.set(key, owner);
    } else if (scaled.delete(key)) {
      result.set(key, owner);
    } else {
      const fields = yield* difference(owner.fields, pathSet(...path), turn);
      if (!isEmpty(fields)) result.set(key, { ...owner, fields });
    }
  }
  const path = pathOf(apiVersion);
  for (const [key, owner] of scaled) {
    if (!path || !contains(owner.fields, REPLICAS_OF_SCALE)) continue;
    // A new owner of the replicas has no time.
    result.set(key, { ...owner, apiVersion, fields: pathSet(...path), time: before.get(key)?.time });
  }
  return yield* entriesOf(result, turn);
}
