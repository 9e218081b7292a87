import type { ApplyConfiguration, KubernetesObject } from '@mcr/client';
import { partialMetadata } from '@mcr/client';
import type { Cluster } from '../../fleet/cluster/cluster.ts';
import { FleetOwnedError } from '../../objects/fleet-owner/fleet-owned-error.ts';
import type { FleetOwner } from '../../objects/fleet-owner/fleet-owner.ts';
import {
  FLEET_OWNER_ANNOTATION,
  FLEET_OWNER_LABEL,
  fleetOwnerLabel,
  fleetOwnerOf,
} from '../../objects/fleet-owner/fleet-owner.ts';
import type { PlacedObject } from './placement-options.ts';
import { placedKey } from './placement-options.ts';
import { PLACEMENT_LABEL } from './placement-record.ts';

export interface ApplyPlacedOptions {
  readonly controller: string;
  readonly owner: FleetOwner;
  readonly fieldManager: string;
  readonly signal: AbortSignal;
}

/**
 * Applies one object in a member, and marks it with its owner and placement.
 *
 * @throws {FleetOwnedError} if the object has another owner.
 * @throws {Error} if an object of that name exists that was not placed, or is being deleted.
 */
export async function applyPlaced(
  { apiReader, client }: Cluster,
  { kind, configuration }: PlacedObject,
  { controller, owner, fieldManager, signal }: ApplyPlacedOptions,
): Promise<void> {
  const { metadata } = configuration;
  const present = await apiReader.find(partialMetadata(kind), metadata, { signal });
  if (present) checkPresent(present as KubernetesObject, { text: placedKey(kind, metadata), owner, controller });
  const marked: ApplyConfiguration<KubernetesObject> = {
    // A configuration is plain data.
    ...(structuredClone(configuration) as ApplyConfiguration<KubernetesObject>),
    metadata: {
      ...(structuredClone(metadata) as ApplyConfiguration<KubernetesObject>['metadata']),
      labels: { ...metadata.labels, [FLEET_OWNER_LABEL]: fleetOwnerLabel(owner), [PLACEMENT_LABEL]: controller },
      annotations: { ...metadata.annotations, [FLEET_OWNER_ANNOTATION]: JSON.stringify(owner) },
      // Otherwise, an object that replaced the present one meanwhile would be taken over.
      ...(present && { uid: present.metadata.uid }),
    },
  };
  await client.apply(kind, marked, { fieldManager, force: present !== undefined, signal });
}

function checkPresent(
  { metadata }: KubernetesObject,
  { text, owner, controller }: { readonly text: string; readonly owner: FleetOwner; readonly controller: string },
): void {
  const other = fleetOwnerOf({ metadata });
  if (!other || metadata.labels?.[PLACEMENT_LABEL] === undefined) {
    throw new Error(`${text} exists already and was not placed: rename one of the two objects, or delete it`);
  }
  const isSame =
    other.hub === owner.hub &&
    other.kind === owner.kind &&
    other.namespace === owner.namespace &&
    other.name === owner.name;
  if (!isSame || metadata.labels[PLACEMENT_LABEL] !== controller) throw new FleetOwnedError(text, other);
  if (metadata.deletionTimestamp !== undefined) {
    throw new Error(`${text} is being deleted, and is placed again when that has ended`);
  }
}
