import type { DeepReadonly, Kind, KubernetesObject, ObjectMeta } from '@mcr/client';
import { partialMetadata } from '@mcr/client';
import type { MemberAccess } from '../../objects/fleet-owner/delete-fleet-owned.ts';
import { deleteObject, listFleetOwned } from '../../objects/fleet-owner/delete-fleet-owned.ts';
import type { FleetOwner } from '../../objects/fleet-owner/fleet-owner.ts';
import { fleetOwnerOf } from '../../objects/fleet-owner/fleet-owner.ts';
import { isMissingObject, readServed } from '../../objects/fleet-owner/served-kind.ts';
import { parsePlacedKey, placedKey } from './placement-options.ts';
import { PLACEMENT_LABEL, placedScope } from './placement-record.ts';

/** Identifies the objects that a placement applied for one owner. */
export interface PlacedBy {
  readonly controller: string;
  readonly owner: FleetOwner;
  readonly fieldManager: string;
  /** Kinds of the objects. */
  readonly kinds: readonly Kind<KubernetesObject>[];
  readonly signal: AbortSignal;
}

/** Results of {@link deletePlaced}, as texts of `placedKey`. */
export interface DeletedObjects {
  /** Objects that still exist. */
  readonly remaining: readonly string[];
  /** Objects of these names that were not deleted, because no mark says that the placement applied them. */
  readonly skipped: readonly string[];
}

/**
 * Deletes objects that the record names. An object is deleted only if the record names it, and its marks say that the
 * placement applied it for this owner: everyone who may patch an object can forge its marks, and everyone who may write
 * ConfigMaps in the owner's namespace can forge the record, but each of them alone deletes nothing.
 *
 * @param keys the names in the record.
 * @throws {Error} if a name is of a kind that the placement does not have.
 */
export async function deletePlaced(
  cluster: MemberAccess,
  keys: readonly string[],
  placement: PlacedBy,
): Promise<DeletedObjects> {
  const { kinds, signal } = placement;
  const remaining: string[] = [];
  const skipped: string[] = [];
  for (const text of keys) {
    const { kind, key } = parsePlacedKey(text, kinds);
    const found = await readServed(cluster, kind, async (served) => {
      try {
        const { metadata } = await cluster.apiReader.get(partialMetadata(served), key, { signal });
        // The record says what is deleted, and not the answer.
        return { served, metadata: { ...metadata, ...key } };
      } catch (error) {
        if (isMissingObject(error, key)) return undefined;
        throw error;
      }
    });
    if (!found) continue;
    if (!isPlacedBy(found.metadata, placement)) skipped.push(text);
    else if (!(await deleteObject(cluster, found.served, found.metadata, { signal }))) remaining.push(text);
  }
  return { remaining, skipped };
}

/** Finds the objects whose marks say that a placement applied them for an owner, if the record does not name them. */
export async function findPlaced(cluster: MemberAccess, placement: PlacedBy): Promise<string[]> {
  const { controller, owner, kinds, signal } = placement;
  const keys: string[] = [];
  for (const kind of kinds) {
    for (const { metadata } of await listFleetOwned(cluster, { owner, kind, ...placedScope(controller), signal })) {
      if (isPlacedBy(metadata, placement)) keys.push(placedKey(kind, metadata));
    }
  }
  return keys.sort();
}

/**
 * Returns whether the marks of an object say that a placement applied it for an owner. If its annotation was removed or is
 * not valid, the field manager of the placement in `managedFields` is the mark.
 */
export function isPlacedBy(
  metadata: DeepReadonly<ObjectMeta>,
  { controller, owner, fieldManager }: Pick<PlacedBy, 'controller' | 'owner' | 'fieldManager'>,
): boolean {
  const isApplied = isAppliedBy(metadata, fieldManager);
  const present = fleetOwnerOf({ metadata });
  if (!present) return isApplied;
  if (present.hub !== owner.hub || present.uid !== owner.uid) return false;
  return isApplied || metadata.labels?.[PLACEMENT_LABEL] === controller;
}

/** Returns whether a field manager has applied an object. */
export function isAppliedBy({ managedFields }: DeepReadonly<ObjectMeta>, fieldManager: string): boolean {
  return managedFields?.some(({ manager, operation }) => manager === fieldManager && operation === 'Apply') ?? false;
}
