import type {
  CallOptions,
  DeepReadonly,
  Kind,
  KubernetesObject,
  ObjectMeta,
  Reader,
  RestMapper,
  Writer,
} from '@mcr/client';
import { isConflict, keyOf, listPages, partialMetadata } from '@mcr/client';
import type { FleetOwner } from './fleet-owner.ts';
import { FLEET_OWNER_LABEL, fleetOwnerLabel, fleetOwnerOf } from './fleet-owner.ts';
import { isMissingObject, readServed } from './served-kind.ts';

/** Objects per page of a list. */
const PAGE = 500;

/** Options of {@link deleteFleetOwned}. */
export interface DeleteFleetOwnedOptions extends Pick<CallOptions, 'signal' | 'timeout'> {
  /** The owner, from `fleetOwner`. */
  readonly owner: Pick<FleetOwner, 'hub' | 'uid'>;
  /** Kinds of the objects. */
  readonly kinds: readonly Kind<KubernetesObject>[];
}

/** The parts of a member that {@link deleteFleetOwned} uses. A `Cluster` has them. */
export interface MemberAccess {
  readonly apiReader: Reader;
  readonly client: Pick<Writer, 'delete'>;
  readonly restMapper: Pick<RestMapper, 'forget' | 'resources'>;
}

/**
 * Deletes the objects of one member that have a fleet owner, and their dependents in the background. It reads the API server, because an object may be newer than the cache. An object that changes its owner
 * meanwhile is not deleted. A kind that the member does not serve in any version has no objects. Repeated calls are safe.
 *
 * It believes the label and the annotation of an object, which everyone who may patch the object can set.
 *
 * @returns the number of objects that still exist, for example because of finalizers, or because a Namespace is not empty
 * yet. Call it again later until it returns 0.
 * @throws the first error of the API server.
 */
export async function deleteFleetOwned(
  cluster: MemberAccess,
  { owner, kinds, ...call }: DeleteFleetOwnedOptions,
): Promise<number> {
  let remaining = 0;
  for (const kind of kinds) {
    for (const { served, metadata } of await listFleetOwned(cluster, { owner, kind, ...call })) {
      if (!(await deleteObject(cluster, served, metadata, call))) remaining += 1;
    }
  }
  return remaining;
}

/** An object that has a fleet owner. */
export interface FleetOwnedObject {
  /** Its kind, in a version that the member serves. */
  readonly served: Kind<KubernetesObject>;
  readonly metadata: ObjectMeta;
}

/** Lists the objects of a kind in one member that have a fleet owner, from the API server. */
export async function listFleetOwned(
  cluster: Pick<MemberAccess, 'apiReader' | 'restMapper'>,
  {
    owner,
    kind,
    labelSelector: more,
    ...call
  }: Pick<DeleteFleetOwnedOptions, 'owner' | 'signal' | 'timeout'> & {
    readonly kind: Kind<KubernetesObject>;
    readonly labelSelector?: string | undefined;
  },
): Promise<FleetOwnedObject[]> {
  const labelSelector = `${FLEET_OWNER_LABEL}=${fleetOwnerLabel(owner)}${more === undefined ? '' : `,${more}`}`;
  const found = await readServed(cluster, kind, async (served) => {
    const objects: FleetOwnedObject[] = [];
    const options = { limit: PAGE, labelSelector, ...call };
    for await (const { items } of listPages(cluster.apiReader, partialMetadata(served), options)) {
      objects.push(...items.map(({ metadata }) => ({ served, metadata: metadata as ObjectMeta })));
    }
    return objects;
  });
  // The annotation says who owns the object. The label may have been copied to another one.
  return (found ?? []).filter(({ metadata }) => {
    const present = fleetOwnerOf({ metadata });
    return present?.uid === owner.uid && present.hub === owner.hub;
  });
}

/**
 * Deletes the version of an object that was read. Returns whether it is gone. Only another read can tell: besides the
 * finalizers of its metadata, `spec.finalizers` of a Namespace or the grace period of a Pod may keep it.
 */
export async function deleteObject(
  { apiReader, client }: Pick<MemberAccess, 'apiReader' | 'client'>,
  kind: Kind<KubernetesObject>,
  metadata: DeepReadonly<ObjectMeta>,
  call: Pick<CallOptions, 'signal' | 'timeout'>,
): Promise<boolean> {
  // It is being deleted.
  if (metadata.deletionTimestamp !== undefined) return false;
  const { uid, resourceVersion } = metadata;
  try {
    await client.delete(kind, keyOf(metadata), {
      preconditions: { uid, resourceVersion },
      // Jobs and replication controllers would leave their Pods by default.
      propagationPolicy: 'Background',
      ...call,
    });
    if (metadata.finalizers?.length) return false;
    const present = await apiReader.get(partialMetadata(kind), keyOf(metadata), call);
    return present.metadata.uid !== uid;
  } catch (error) {
    if (isMissingObject(error, metadata)) return true;
    // It changed after it was read, or was replaced.
    if (isConflict(error)) return false;
    throw error;
  }
}
