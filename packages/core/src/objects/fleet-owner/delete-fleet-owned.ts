import type { CallOptions, Kind, KubernetesObject, Reader, Writer } from '@mcr/client';
import { isConflict, isNoKindMatch, isNotFound, keyOf, listPages, partialMetadata } from '@mcr/client';
import type { FleetOwner } from './fleet-owner.ts';
import { FLEET_OWNER_LABEL, fleetOwnerLabel, fleetOwnerOf } from './fleet-owner.ts';

/** Objects per page of a list. */
const PAGE = 500;

/** Options of {@link deleteFleetOwned}. */
export interface DeleteFleetOwnedOptions extends Pick<CallOptions, 'signal' | 'timeout'> {
  /** The owner, from `fleetOwner`. */
  readonly owner: Pick<FleetOwner, 'hub' | 'uid'>;
  /** Kinds of the objects. */
  readonly kinds: readonly Kind<KubernetesObject>[];
  /** Further requirement on the labels of the objects. Default: none. */
  readonly labelSelector?: string;
  /** Returns whether to keep an object. Default: none is kept. */
  readonly keep?: (kind: Kind<KubernetesObject>, object: KubernetesObject) => boolean;
}

/**
 * Deletes the objects of one member that have a fleet owner, except for those to keep. It reads the API server, because an
 * object may be newer than the cache. An object that changes its owner meanwhile is not deleted. A kind that the member does
 * not serve has no objects. Repeated calls are safe.
 *
 * @returns the number of objects that still exist, because they have finalizers. Call it again later until it returns 0.
 * @throws the first error of the API server.
 */
export async function deleteFleetOwned(
  { apiReader, client }: { readonly apiReader: Reader; readonly client: Pick<Writer, 'delete'> },
  { owner, kinds, labelSelector: more, keep = () => false, ...call }: DeleteFleetOwnedOptions,
): Promise<number> {
  const labelSelector = `${FLEET_OWNER_LABEL}=${fleetOwnerLabel(owner)}${more === undefined ? '' : `,${more}`}`;
  let remaining = 0;
  for (const kind of kinds) {
    for (const { metadata } of await ownedIn(apiReader, kind, { labelSelector, ...call })) {
      // The annotation says who owns the object. The label may have been copied to another one.
      const present = fleetOwnerOf({ metadata });
      if (present?.uid !== owner.uid || present.hub !== owner.hub) continue;
      if (keep(kind, { apiVersion: kind.apiVersion, kind: kind.kind, metadata })) continue;
      const { uid, resourceVersion } = metadata;
      // It is being deleted, and its finalizers are pending.
      if (metadata.deletionTimestamp !== undefined) {
        remaining += 1;
        continue;
      }
      try {
        await client.delete(kind, keyOf(metadata), { preconditions: { uid, resourceVersion }, ...call });
        if (metadata.finalizers?.length) remaining += 1;
      } catch (error) {
        if (isNotFound(error)) continue;
        // It changed after the list, or was replaced.
        if (!isConflict(error)) throw error;
        remaining += 1;
      }
    }
  }
  return remaining;
}

async function ownedIn(
  reader: Reader,
  kind: Kind<KubernetesObject>,
  options: Pick<CallOptions, 'signal' | 'timeout'> & { readonly labelSelector: string },
): Promise<KubernetesObject[]> {
  const objects: KubernetesObject[] = [];
  try {
    for await (const { items } of listPages(reader, partialMetadata(kind), { limit: PAGE, ...options })) {
      objects.push(...(items as KubernetesObject[]));
    }
  } catch (error) {
    if (isNoKindMatch(error) || isNotFound(error)) return [];
    throw error;
  }
  return objects;
}
