import { createHash } from 'node:crypto';
import type { DeepReadonly, ObjectMeta } from '@mcr/client';
import { objectKeyText, parseApiVersion } from '@mcr/client';
import * as z from 'zod';
import { InvalidOwnerError } from '../owner/invalid-owner-error.ts';
import type { Owner } from '../owner/home.ts';
import type { Owned } from '../owner/owner-reference.ts';
import { FleetOwnedError } from './fleet-owned-error.ts';

/** Label of an object with a fleet owner, for lists and watches. Its value is {@link fleetOwnerLabel}. */
export const FLEET_OWNER_LABEL = 'fleet.mcr.dev/owner-digest';

/** Annotation of an object with a fleet owner: a {@link FleetOwner} as JSON. */
export const FLEET_OWNER_ANNOTATION = 'fleet.mcr.dev/owner';

/** Maximum length of the annotation. Names and API versions of Kubernetes need less than half of it. */
const MAX_ANNOTATION = 2_048;

/** Names of objects that are valid in a path, as API servers check them. Some kinds permit more than DNS names. */
const nameSchema = z
  .string()
  .max(253)
  .regex(/^[^/%\p{Cc}]+$/u)
  .refine((name) => name !== '.' && name !== '..');

const fleetOwnerSchema = z.object({
  hub: z.string().min(1),
  apiVersion: z.string().min(1),
  kind: z.string().min(1),
  namespace: z.string().regex(/^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)?$/),
  name: nameSchema,
  uid: z.string().min(1),
});

/** An object of the hub that owns objects of members. */
export interface FleetOwner {
  /** Identity of the hub, so that two hubs can share a member: see `fleetHubId`. */
  readonly hub: string;
  readonly apiVersion: string;
  readonly kind: string;
  /** `''` for a cluster-scoped owner. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** Options of {@link setFleetOwner}. */
export interface FleetOwnerOptions {
  /** Identity of the owner's cluster, from `fleetHubId`. */
  readonly hub: string;
}

/**
 * Makes `owner`, an object of the hub, the owner of `object`, a draft of an object of a member. It sets one label and one
 * annotation, and no owner reference, because the garbage collector of the member would delete the object. The owner may be
 * in another namespace. If the earlier owner has the same hub, kind, namespace and name, it is replaced, because an object
 * that was created again with the same name has another uid.
 *
 * @throws {FleetOwnedError} if `object` has another fleet owner.
 * @throws {InvalidOwnerError} if `owner` has not been created yet.
 */
export function setFleetOwner(owner: Owner, object: Owned, { hub }: FleetOwnerOptions): void {
  const next = fleetOwner(owner, { hub });
  const present = fleetOwnerOf(object);
  if (present && !isSameKey(present, next)) throw new FleetOwnedError(textOf(object), present);
  const { metadata } = object;
  metadata.labels = { ...metadata.labels, [FLEET_OWNER_LABEL]: fleetOwnerLabel(next) };
  metadata.annotations = { ...metadata.annotations, [FLEET_OWNER_ANNOTATION]: JSON.stringify(next) };
}

/**
 * Describes an object of the hub as the owner of objects of members.
 *
 * @throws {InvalidOwnerError} if it has not been created yet.
 */
export function fleetOwner({ apiVersion, kind, metadata }: Owner, { hub }: FleetOwnerOptions): FleetOwner {
  const { namespace = '', name, uid } = metadata;
  if (!uid) {
    throw new InvalidOwnerError(
      `${kind} ${objectKeyText(metadata)} cannot own objects: it has no uid; create it first`,
    );
  }
  return { hub, apiVersion, kind, namespace, name, uid };
}

/** Returns the fleet owner of an object, or `undefined` if it has none or its annotation is not valid. */
export function fleetOwnerOf({
  metadata,
}: {
  readonly metadata: DeepReadonly<Partial<ObjectMeta>>;
}): FleetOwner | undefined {
  const text = metadata.annotations?.[FLEET_OWNER_ANNOTATION];
  if (text === undefined || text.length > MAX_ANNOTATION) return undefined;
  try {
    return fleetOwnerSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Removes the fleet owner of an object, in place, and returns whether it had one. The object is not deleted with it. */
export function removeFleetOwner({ metadata }: Owned): boolean {
  const { [FLEET_OWNER_LABEL]: label, ...labels } = metadata.labels ?? {};
  const { [FLEET_OWNER_ANNOTATION]: annotation, ...annotations } = metadata.annotations ?? {};
  if (label === undefined && annotation === undefined) return false;
  if (metadata.labels) metadata.labels = labels;
  if (metadata.annotations) metadata.annotations = annotations;
  return true;
}

/** Returns the value of {@link FLEET_OWNER_LABEL}: a digest of the hub and the uid, because uids are unique in one hub. */
export function fleetOwnerLabel({ hub, uid }: Pick<FleetOwner, 'hub' | 'uid'>): string {
  return createHash('sha256')
    .update(JSON.stringify([hub, uid]))
    .digest('hex')
    .slice(0, 40);
}

/** Returns whether two owners have the same hub, group, kind, namespace and name. */
export function isSameKey(a: FleetOwner, b: FleetOwner): boolean {
  const key = ({ hub, apiVersion, kind, namespace, name }: FleetOwner) =>
    JSON.stringify([hub, parseApiVersion(apiVersion).group, kind, namespace, name]);
  return key(a) === key(b);
}

function textOf({ metadata: { namespace = '', name = '' } }: Owned): string {
  return objectKeyText({ namespace, name: name || 'the object' });
}
