import { randomUUID } from 'node:crypto';
import type { Attributes } from '../admission/attributes.ts';
import { admissionNamespace } from '../admission/attributes.ts';
import type { User } from '../access/user.ts';
import type { ManagedFieldsEntry } from '../apply/managed-fields.ts';
import { versionedTypes } from '../apply/field-types.ts';
import { trackUpdate } from '../apply/ownership.ts';
import { requireLivingDefinition } from '../definitions/termination.ts';
import { decodeObject, metadataErrors } from '../resources/metadata.ts';
import { removeDuplicateOwners } from '../resources/owner-references.ts';
import type { AdmissionContext, ResourceType } from '../resources/resource-type.ts';
import { apiVersionOf, kindErrors } from '../resources/resource-type.ts';
import { now } from '../resources/timestamp.ts';
import { goDecoding } from '../schema/go-decode.ts';
import type { Paused } from '../turn.ts';
import { Turn } from '../turn.ts';
import { alreadyExists, badRequest, invalid, versionOnCreate } from '../status.ts';
import type { ApiObject, StoredObject } from '../storage/stored-object.ts';
import { objectKey } from '../storage/stored-object.ts';
import { mutated } from './admitted.ts';
import { allocateAddresses } from './cluster-addresses.ts';
import { holding } from './held.ts';
import { requireLivingNamespace } from './living-namespace.ts';
import { prunedApply, withoutEmptyLists } from './read-back.ts';
import { storeWithinLimit } from './request-size.ts';
import type { Steps } from './steps.ts';
import { pauseAfter, runSync } from './steps.ts';
import type { Backend, ManagedWriteOptions } from './target.ts';
import { storedKind } from './target.ts';
import { inStoredVersion, preparedForStore } from './version-conversion.ts';

/** Characters that the server appends to a `generateName`. Without vowels they form no words. */
const SUFFIX_LETTERS = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;
const LONGEST_NAME = 63;

export interface Creation extends ManagedWriteOptions {
  readonly type: ResourceType;
  /** Namespace in the URL; `''` for a cluster-scoped object. */
  readonly namespace: string;
  /** Creator of the object. Absent for the server itself. */
  readonly user?: User;
  /** Body as sent. */
  readonly body: unknown;
  /** Subresource whose update creates the object. Default: that of the object itself. */
  readonly subresource?: 'status' | '';
  /** Owners of the fields. Default: the manager owns all. */
  readonly managedFields?: readonly ManagedFieldsEntry[];
}

/** Creates an object for the server itself, see {@link creating}. @throws {StatusError} */
export function create(backend: Backend, creation: Creation): StoredObject {
  return runSync(creating(backend, creation));
}

/** @throws {StatusError} if the object is invalid or already exists, or a webhook or a policy denies it. */
export function creating(backend: Backend, creation: Creation): Steps<StoredObject> {
  return holding((hold) => storing(backend, creation, hold));
}

function* storing(backend: Backend, creation: Creation, hold: AdmissionContext['hold']): Steps<StoredObject> {
  const { type, namespace, body, dryRun, warn, admission } = creation;
  const turn = new Turn();
  const decoded = decodeObject(type, body);
  yield* pauseAfter(turn);
  const draft = type.builtIn ? yield* goDecoding(type, decoded, turn) : decoded;
  yield* pauseAfter(turn);
  placeInNamespace(draft, type, namespace);
  let object = type.view ? type.view.toStored(draft) : draft;
  removeDuplicateOwners(object, warn, '');
  const sentName = object.metadata.name;
  let { metadata } = object;
  // A real server checks namespaces before it generates names.
  const nameInErrors = sentName || metadata.generateName || 'Unknown';
  const isGenerated = !metadata.name && Boolean(metadata.generateName);
  if (isGenerated) metadata.name = generatedName(type, metadata.generateName ?? '');
  requireLivingDefinition(backend.store, type, sentName);
  requireLivingNamespace(backend, type, namespace, nameInErrors);
  const sentStatus = object['status'];
  stampBirth(object, type);
  type.prepare?.({ object, previous: undefined });
  yield* pauseAfter(turn);
  let managedFields = creation.managedFields ?? (yield* ownedByCreator(backend, creation, object, sentStatus, turn));
  yield* pauseAfter(turn);
  yield* pauseAfter(turn);
  if (admission) {
    object = yield* mutatedCreation(creation, object, managedFields, sentName);
    ({ metadata } = object);
    managedFields = metadata.managedFields ?? [];
    removeDuplicateOwners(object, warn, ' after mutating admission happens');
    requireLivingNamespace(backend, type, namespace, nameInErrors);
  }
  // Objects with a generated name are copied upstream before they are stored, so that nothing shares a map.
  if (isGenerated) object.metadata = { ...metadata, ...(metadata.labels && { labels: { ...metadata.labels } }) };
  ({ metadata } = object);
  const context = { store: backend.store, user: creation.user, dryRun, hold, nameInErrors };
  type.admit?.({ object, previous: undefined, subresource: creation.subresource || undefined, warn }, context);
  if (!dryRun && !creation.subresource) allocateAddresses(backend, type, { object, previous: undefined }, hold);
  const kept = yield* withoutEmptyLists(type, object, turn);
  const inMetadata = metadataErrors(type, object);
  const change = { object: kept, previous: undefined, metadataErrors: inMetadata, store: backend.store, warn };
  const errors = [...(type.placesMetadataErrors ? [] : inMetadata), ...(yield* kindErrors(type, change))];
  if (errors.length > 0) throw invalid(storedKind(backend, type, object), metadata.name, errors);
  for (const warning of type.warnings?.(change) ?? []) warn?.(warning);
  type.admitValid?.({ object, previous: undefined }, context);
  creation.authorizeCreation?.();
  if (managedFields.length > 0) metadata.managedFields = [...managedFields];
  else delete metadata.managedFields;
  if (admission) {
    const shown = type.view ? type.view.fromStored(object) : object;
    yield* admission.validate(attributesOf(creation, shown, metadata.name));
  }
  // The storage refuses it upstream, and a dry run does not reach the storage. Texts that are not a version are ignored.
  if (/^0*[1-9]\d*$/.test(metadata.resourceVersion) && !dryRun) throw versionOnCreate();
  const isApplied = creation.managedFields !== undefined;
  const saved = yield* inStoredVersion(type, isApplied ? yield* prunedApply(type, kept, turn) : kept);
  const storedType = type.conversion ? (backend.registry.storedType(type.storage) ?? type) : type;
  const prepared = yield* preparedForStore(storedType, saved, turn);
  // Other requests may have been served since the first checks.
  requireLivingDefinition(backend.store, type, sentName);
  requireLivingNamespace(backend, type, namespace, nameInErrors);
  const present = backend.store.resource(type.storage).get(objectKey(namespace, metadata.name));
  if (present) throw alreadyExists(type, metadata.name, present.terminating ? 'object is being deleted: ' : '');
  if (dryRun) return prepared.unversioned();
  return backend.store.write((version) => {
    const limits = { previous: undefined, keepsManagers: isApplied };
    return {
      type: 'ADDED',
      object: storeWithinLimit(storedType, { saved, prepared, version }, limits),
      previous: undefined,
    };
  });
}

function attributesOf({ type, namespace }: Creation, object: ApiObject, name: string): Attributes {
  return {
    operation: 'CREATE',
    type,
    kind: type,
    subresource: '',
    namespace: admissionNamespace(type, namespace, name),
    name,
    object,
    oldObject: undefined,
  };
}

type LateField = 'uid' | 'creationTimestamp' | 'generation';

/** Returns the fields that the server sets after the mutating webhooks. */
function setLater({ countsGeneration }: ResourceType): readonly LateField[] {
  return countsGeneration ? ['uid', 'creationTimestamp', 'generation'] : ['uid', 'creationTimestamp'];
}

/** Returns a new object after the mutating webhooks, which do not see the fields that the server sets. */
function* mutatedCreation(
  creation: Creation,
  object: ApiObject,
  managedFields: readonly ManagedFieldsEntry[],
  sentName: string,
): Steps<ApiObject> {
  const { type, admission } = creation;
  if (!admission) return object;
  const { metadata } = object;
  const shown = structuredClone(type.view ? type.view.fromStored(object) : object);
  const before: Partial<ApiObject['metadata']> = { ...shown.metadata, managedFields: [...managedFields] };
  for (const field of setLater(type)) Reflect.deleteProperty(before, field);
  if (managedFields.length === 0) delete before.managedFields;
  if (sentName === '') delete before.name;
  shown.metadata = before as ApiObject['metadata'];
  const result = yield* mutated(admission, attributesOf(creation, shown, sentName));
  if (!result) return { ...object, metadata: { ...metadata, managedFields: [...managedFields] } };
  const changed = type.view ? type.view.toStored(result) : result;
  // A generated name stays; one that a webhook removed is missing.
  const name = changed.metadata.name || (sentName === '' ? metadata.name : '');
  const after: ApiObject = { ...changed, metadata: { ...changed.metadata, name } };
  placeInNamespace(after, type, creation.namespace);
  if (dropsStatus(type)) delete after['status'];
  for (const field of setLater(type)) Object.assign(after.metadata, { [field]: metadata[field] });
  type.prepare?.({ object: after, previous: undefined });
  return after;
}

/** Sets the namespace to that of the URL. @throws {StatusError} 400 if the object names another. */
export function placeInNamespace({ metadata }: ApiObject, type: ResourceType, namespace: string): void {
  if (type.scope === 'Cluster') {
    delete metadata.namespace;
    return;
  }
  if (metadata.namespace && metadata.namespace !== namespace) {
    throw badRequest(`the namespace of the provided object does not match the namespace sent on the request`);
  }
  metadata.namespace = namespace;
}

const dropsStatus = (type: ResourceType): boolean => type.statusSubresource && !type.keepsFirstStatus;

function stampBirth(object: ApiObject, type: ResourceType): void {
  const { metadata } = object;
  metadata.uid = randomUUID();
  metadata.creationTimestamp = now();
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete (metadata as { selfLink?: string }).selfLink;
  if (type.countsGeneration) metadata.generation = 1;
  if (dropsStatus(type)) delete object['status'];
}

function* ownedByCreator(
  backend: Backend,
  { type, manager, subresource = '' }: Creation,
  object: ApiObject,
  sentStatus: unknown,
  turn: Turn,
): Paused<ManagedFieldsEntry[]> {
  const { status: _, ...rest } = object;
  const written = subresource === 'status' ? { ...rest, status: sentStatus } : dropsStatus(type) ? rest : object;
  return yield* trackUpdate(
    versionedTypes(backend.registry, type),
    { name: manager, operation: 'Update', apiVersion: apiVersionOf(type), subresource },
    { live: undefined, object: written, sent: sentStatus === undefined ? object : { ...object, status: sentStatus } },
    turn,
  );
}

/** The name of an IPAddress is the address, so upstream appends nothing to it. */
function generatedName({ storage }: ResourceType, base: string): string {
  if (storage === 'ipaddresses.networking.k8s.io') return base;
  let name = base.slice(0, LONGEST_NAME - SUFFIX_LENGTH);
  for (let count = 0; count < SUFFIX_LENGTH; count++) {
    name += SUFFIX_LETTERS.charAt(Math.floor(Math.random() * SUFFIX_LETTERS.length));
  }
  return name;
}
