import type { DeepReadonly, Kind, KubernetesObject, ObjectMeta } from '@mcr/client';
import { partialMetadata } from '@mcr/client';
import type { Cluster } from '../../fleet/cluster/cluster.ts';
import { FleetOwnedError } from '../../objects/fleet-owner/fleet-owned-error.ts';
import type { FleetOwner } from '../../objects/fleet-owner/fleet-owner.ts';
import { FLEET_OWNER_LABEL, fleetOwnerLabel, fleetOwnerOf, isSameKey } from '../../objects/fleet-owner/fleet-owner.ts';
import type { Pacing } from './apply-pace.ts';
import { isAppliedBy } from './delete-placed.ts';
import { appliedFields, missingField, ownsAll } from './owned-fields.ts';
import { APPLIED_ANNOTATION, digestOf, intentOf } from './placed-intent.ts';
import type { PlacedIntent } from './placed-intent.ts';
import type { DesiredObject } from './placement-options.ts';
import { placedKey } from './placement-options.ts';
import { PLACEMENT_LABEL, placedScope } from './placement-record.ts';
import type { VerifiedObject } from './verified-objects.ts';

export interface ApplyPlacedOptions {
  readonly controller: string;
  readonly owner: FleetOwner;
  readonly fieldManager: string;
  /** Whether the record named the object before this reconcile. */
  readonly isRecorded: boolean;
  /** The state of the object that this process verified last. Default: none. */
  readonly verified: VerifiedObject | undefined;
  readonly pacing: Pacing;
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
  const { fieldManager, verified, pacing, signal } = options;
  const intent = intentOf(desired, options);
  const { metadata } = intent.configuration;
  if (verified?.digest === intent.digest && isCached(cluster, desired, verified, options)) return verified;
  const text = placedKey(kind, metadata);
  // Without a verified state, the object may be missing.
  if (verified && !pacing.mayApply(text)) return verified;
  const present = await cluster.apiReader.find(partialMetadata(kind), metadata, { signal });
  if (present) checkPresent(kind, present.metadata, options);
  if (present && isApplied(present.metadata, intent, { kind, fieldManager, verified })) {
    const { uid, resourceVersion } = present.metadata;
    const isSame = verified?.uid === uid && verified.digest === intent.digest;
    return { ...(isSame && verified), uid, resourceVersion, digest: intent.digest };
  }
  const applied = await cluster.client.apply(
    kind,
    // With the uid, an object that replaced the present one meanwhile is not taken over.
    { ...intent.configuration, metadata: { ...metadata, ...(present && { uid: present.metadata.uid }) } },
    { fieldManager, force: present !== undefined, signal },
  );
  const { apiVersion } = kind;
  const drift = () =>
    present && (missingField(appliedFields(present.metadata, { fieldManager, apiVersion }), intent.tracked) ?? '');
  pacing.applied(text, { configuration: desired.configuration, drift });
  const { uid, resourceVersion } = applied.metadata;
  const fields = digestOf(appliedFields(applied.metadata, { fieldManager, apiVersion }) ?? null);
  return { uid, resourceVersion, digest: intent.digest, fields };
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
    if (!isSameKey(other, owner) || placement !== controller) throw new FleetOwnedError(text, other);
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
