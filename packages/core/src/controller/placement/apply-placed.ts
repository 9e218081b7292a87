import type { DeepReadonly, Kind, KubernetesObject, ObjectMeta } from '@mcr/client';
import { partialMetadata, shortened } from '@mcr/client';
import type { Cluster } from '../../fleet/cluster/cluster.ts';
import { FleetOwnedError } from '../../objects/fleet-owner/fleet-owned-error.ts';
import type { FleetOwner } from '../../objects/fleet-owner/fleet-owner.ts';
import { FLEET_OWNER_LABEL, fleetOwnerLabel, fleetOwnerOf, isSameKey } from '../../objects/fleet-owner/fleet-owner.ts';
import type { ApplyPace } from './apply-pace.ts';
import { isAppliedBy } from './delete-placed.ts';
import { appliedFields, missingField, ownsAll } from './owned-fields.ts';
import { APPLIED_ANNOTATION, digestOf, intentOf } from './placed-intent.ts';
import type { PlacedIntent } from './placed-intent.ts';
import type { DesiredObject } from './placement-options.ts';
import { placedKey } from './placement-options.ts';
import { PLACEMENT_LABEL, placedScope } from './placement-record.ts';
import type { VerifiedObject } from './verified-objects.ts';

/** Maximum length of the name of a controller. */
const MAX_NAME = 63;

export interface ApplyPlacedOptions {
  readonly controller: string;
  readonly owner: FleetOwner;
  readonly fieldManager: string;
  /** Whether the record named the object before this reconcile. */
  readonly isRecorded: boolean;
  /** The state of the object that this process verified last. Default: none. */
  readonly verified: VerifiedObject | undefined;
  readonly pace: Pick<ApplyPace, 'mayApply' | 'applied'>;
  readonly signal: AbortSignal;
}

/**
 * Brings one object of a member to its desired state, and marks it with its owner and placement. It sends nothing if the
 * cache holds the version that was verified, or the object was applied too often. It only reads if the object has all fields
 * of the last apply.
 *
 * @returns the state of the object, to be passed to the next call.
 * @throws {FleetOwnedError} if the object has another owner.
 * @throws {Error} if an object of that name exists that was not placed, or is being deleted.
 */
export async function applyPlaced(
  cluster: Cluster,
  desired: DesiredObject,
  options: ApplyPlacedOptions,
): Promise<VerifiedObject> {
  const { kind } = desired;
  const { fieldManager, verified, pace, signal } = options;
  const intent = intentOf(desired, options);
  const { metadata } = intent.configuration;
  if (verified?.digest === intent.digest && isCached(cluster, desired, verified, options)) return verified;
  const text = placedKey(kind, metadata);
  // Without a verified state, the object may be missing.
  if (verified && !pace.mayApply(verified.applies)) return verified;
  const present = await cluster.apiReader.find(partialMetadata(kind), metadata, { signal });
  if (present) checkPresent(kind, present.metadata, options);
  if (present && isApplied(present.metadata, intent, { kind, fieldManager, verified })) {
    const { uid, resourceVersion } = present.metadata;
    const isSame = verified?.uid === uid && verified.digest === intent.digest;
    const fields = isSame ? verified.fields : undefined;
    return { uid, resourceVersion, digest: intent.digest, fields, applies: verified?.applies };
  }
  const applied = await cluster.client.apply(
    kind,
    // With the uid, an object that replaced the present one meanwhile is not taken over.
    { ...intent.configuration, metadata: { ...metadata, ...(present && { uid: present.metadata.uid }) } },
    { fieldManager, force: present !== undefined, signal },
  );
  const { uid, resourceVersion } = applied.metadata;
  const fields = digestOf(appliedFields(applied.metadata, { fieldManager, apiVersion: kind.apiVersion }) ?? null);
  const applies = pace.applied({
    object: text,
    configuration: desired.configuration,
    before: verified?.applies,
    cause: () => causeOf(present?.metadata, kind, intent, options),
  });
  return { uid, resourceVersion, digest: intent.digest, fields, applies };
}

/** Returns what others have done since the last apply of this process, and what to do about it. */
function causeOf(
  present: DeepReadonly<ObjectMeta> | undefined,
  { apiVersion }: Kind<KubernetesObject>,
  { digest, tracked }: PlacedIntent,
  { controller, fieldManager, verified }: ApplyPlacedOptions,
): string {
  if (!present) return 'another client deletes it: stop that client, or do not place the object';
  const found = present.annotations?.[APPLIED_ANNOTATION];
  const fields = appliedFields(present, { fieldManager, apiVersion });
  if (fields !== undefined && found !== undefined && found !== digest && found !== verified?.digest) {
    return `another program, or this one for the same cluster with another name, applies it otherwise as the controller ${controller}: stop that program, or leave out one of the names`;
  }
  const field = missingField(fields, tracked) ?? '';
  return `another client changes ${field === '' ? 'its managedFields' : field}: stop that client, or leave the field out of the object`;
}

/**
 * Returns whether the informer of the placement holds the verified version of an object, so that a later change is an event
 * of the placement. Another informer of the kind may be older than an event that the placement had already.
 */
function isCached(
  { cache }: Cluster,
  { kind, configuration }: DesiredObject,
  { uid, resourceVersion }: VerifiedObject,
  { controller }: ApplyPlacedOptions,
): boolean {
  const { namespace = '', name } = configuration.metadata;
  const [cached] = cache.peek?.(partialMetadata(kind), { namespace, name }, placedScope(controller)) ?? [];
  return cached?.metadata.uid === uid && cached.metadata.resourceVersion === resourceVersion;
}

/**
 * Returns whether the last apply was that of `intent`, and no one has changed its fields since. The fields of some
 * configurations have another place in the object, for example `stringData` of a Secret. Of these, the API server must
 * record the same fields as after the last apply of this process.
 */
function isApplied(
  metadata: DeepReadonly<ObjectMeta>,
  { digest, tracked }: PlacedIntent,
  {
    kind,
    fieldManager,
    verified,
  }: {
    readonly kind: Kind<KubernetesObject>;
    readonly fieldManager: string;
    readonly verified: VerifiedObject | undefined;
  },
): boolean {
  if (metadata.annotations?.[APPLIED_ANNOTATION] !== digest) return false;
  const fields = appliedFields(metadata, { fieldManager, apiVersion: kind.apiVersion });
  if (fields === undefined) return false;
  if (ownsAll(fields, tracked)) return true;
  return verified?.uid === metadata.uid && verified.digest === digest && verified.fields === digestOf(fields);
}

function checkPresent(
  kind: Kind<KubernetesObject>,
  metadata: DeepReadonly<ObjectMeta>,
  options: ApplyPlacedOptions,
): void {
  const { owner, controller } = options;
  const text = placedKey(kind, metadata);
  if (!isRestored(metadata, options)) {
    const other = fleetOwnerOf({ metadata });
    const placement = metadata.labels?.[PLACEMENT_LABEL];
    if (!other || placement === undefined) {
      throw new Error(`${text} exists already and was not placed: rename one of the two objects, or delete it`);
    }
    if (!isSameKey(other, owner)) throw new FleetOwnedError(text, other);
    if (placement !== controller) {
      throw new Error(
        `${text} is placed by the controller ${shortened(placement, MAX_NAME)} for the same owner: leave it out of one of the two, or delete it if that controller no longer runs`,
      );
    }
  }
  if (metadata.deletionTimestamp !== undefined) {
    throw new Error(`${text} is being deleted, and is placed again when that has ended`);
  }
}

/**
 * Returns whether an object is one that the placement applied, although its marks may have been changed: this process has
 * seen its uid, or the record names it, the API server knows the field manager, and its annotation does not name another
 * owner.
 */
function isRestored(
  metadata: DeepReadonly<ObjectMeta>,
  { owner, fieldManager, isRecorded, verified }: ApplyPlacedOptions,
): boolean {
  if (verified?.uid === metadata.uid) return true;
  if (!isAppliedBy(metadata, fieldManager)) return false;
  const other = fleetOwnerOf({ metadata });
  if (other) return other.hub === owner.hub && other.uid === owner.uid;
  return isRecorded || metadata.labels?.[FLEET_OWNER_LABEL] === fleetOwnerLabel(owner);
}
