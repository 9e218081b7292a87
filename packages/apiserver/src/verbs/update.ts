import type { Attributes, VersionedKind } from '../admission/attributes.ts';
import { admissionNamespace } from '../admission/attributes.ts';
import type { ManagedFieldsEntry } from '../apply/managed-fields.ts';
import { versionedTypes } from '../apply/field-types.ts';
import { trackUpdate } from '../apply/ownership.ts';
import { decoding, updateErrors } from '../resources/metadata.ts';
import { removeDuplicateOwners } from '../resources/owner-references.ts';
import type { AdmissionContext, ResourceType } from '../resources/resource-type.ts';
import { apiVersionOf, kindErrors, store, valueAt } from '../resources/resource-type.ts';
import { convertStatus } from '../resources/status-conversion.ts';
import { badRequest, conflict, invalid, invalidField, modified, StatusError } from '../status.ts';
import type { Paused } from '../turn.ts';
import { done, Turn } from '../turn.ts';
import { areEqual } from '../schema/equal-json.ts';
import { withGoStatus } from '../schema/go-encode.ts';
import type { ApiObject, JsonObject, StoredObject } from '../storage/stored-object.ts';
import { parsedInTurns, parseStored } from '../storage/stored-object.ts';
import { mutated } from './admitted.ts';
import { requireApprover } from './approval.ts';
import { allocateAddresses } from './cluster-addresses.ts';
import { creating, placeInNamespace } from './create.ts';
import { erase, holdsFinalizer } from './delete.ts';
import { isNewGeneration, sendsEmptyCollection } from './generation.ts';
import { holding } from './held.ts';
import { identityErrors, immutableUid } from './immutable-metadata.ts';
import { unsignedFault } from './query-numbers.ts';
import { prunedApply, withoutEmptyLists } from './read-back.ts';
import { storeWithinLimit } from './request-size.ts';
import type { Steps } from './steps.ts';
import { pauseAfter, runSync } from './steps.ts';
import type { Backend, ManagedWriteOptions, Target } from './target.ts';
import { storageKey } from './storage-key.ts';
import { find, get, storedKind } from './target.ts';
import { untilStored } from './until-stored.ts';
import {
  inStoredVersion,
  inVersions,
  isOutdated,
  loaded,
  preparedForStore,
  withDeclaredFields,
} from './version-conversion.ts';
import type { Part } from './written-part.ts';
import { combine, DEFAULTED, VALIDATED } from './written-part.ts';

export interface Update extends ManagedWriteOptions {
  readonly target: Target;
  readonly part: Part;
  /** Form in which webhooks and policies see the object. Default: the object itself. */
  readonly facade?: Facade | undefined;
  /** Whether a custom resource gets the defaults of the version of the request. Default: true. */
  readonly setsDefaults?: boolean;
}

/** An object as a subresource with a kind of its own shows it. */
export interface Facade {
  readonly kind: VersionedKind;
  readonly show: (object: ApiObject) => ApiObject;
  /** Changes the object as the changed subresource says. */
  readonly absorb: (object: ApiObject, shown: ApiObject) => void;
}

export interface UpdateResult {
  readonly object: StoredObject;
  readonly created: boolean;
}

/** Replaces an object with `body`. @throws {StatusError} if it does not exist, has changed, or would be invalid. */
export function* updating(
  backend: Backend,
  { body, ...request }: Update & { readonly body: unknown },
): Steps<UpdateResult> {
  const { target, part } = request;
  const { type, namespace, name } = target;
  return yield* untilStored(backend, request, function* () {
    const next = yield* decoding(type, body, new Turn());
    removeDuplicateOwners(next, request.warn, '');
    requireName(next.metadata.name, name);
    placeInNamespace(next, type, namespace);
    const { uid } = next.metadata;
    const current = find(backend, target);
    if (!current && type.createsOnUpdate && (part === 'object' || part === 'status')) {
      if (uid) throw otherUid(request, uid, '');
      const { resourceVersion, ...metadata } = next.metadata;
      // A dry run does not reach the storage, which removes the version.
      const isKept = request.dryRun && Boolean(resourceVersion);
      const draft = { ...next, metadata: isKept ? { ...metadata, resourceVersion } : metadata };
      const subresource = part === 'status' ? part : '';
      const created = yield* creating(backend, { ...request, type, namespace, body: draft, subresource });
      return { object: created, created: true };
    }
    const present = get(backend, target);
    if (uid && uid !== present.uid) throw otherUid(request, uid, present.uid);
    const object = yield* replacing(backend, request, present, yield* loaded(type, present), next);
    return object && { object, created: false };
  });
}

/** 409: the object has another uid. @param found uid of the object; `''` if there is none. */
function otherUid({ target, dryRun }: Pick<Update, 'target' | 'dryRun'>, uid: string, found: string): StatusError {
  const { type, namespace, name } = target;
  // The storage of a dry run adds no prefix.
  const key = `${dryRun ? '' : '/registry'}/${storageKey(type, namespace, name)}`;
  const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${found}`;
  return conflict(
    type,
    name,
    `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${why}`,
  );
}

/** @throws {StatusError} 500 for a text that is not a version, 422 if an update requires one. */
function requireVersion(type: ResourceType, name: string, version = ''): void {
  const fault = version === '' ? undefined : unsignedFault(version);
  if (fault !== undefined) throw new StatusError(500, undefined, fault);
  const isUnconditional = version === '' || version === '0';
  if (isUnconditional && (!type.builtIn || type.requiresVersion)) throw withoutVersion(type, name);
}

/** @throws {StatusError} 409 if the written object names another version than the current one. */
function requireCurrent(type: ResourceType, current: StoredObject, { metadata }: ApiObject): void {
  const { resourceVersion } = metadata;
  const isUnconditional = !resourceVersion || resourceVersion === '0';
  if (!isUnconditional && resourceVersion !== String(current.version)) throw modified(type, current.name);
}

/** 422: the update does not name the version that it replaces. */
function withoutVersion({ group, plural }: ResourceType, name: string): StatusError {
  const error = invalidField('metadata.resourceVersion', 0, 'must be specified for an update');
  return invalid({ group, kind: plural }, name, [error]);
}

/** @throws {StatusError} 400 if the name differs from that in the URL. */
export function requireName(sent: string, name: string): void {
  if (sent === name) return;
  if (sent === '') {
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  }
  throw badRequest(`the name of the object (${sent}) does not match the name on the URL (${name})`);
}

/** Changes an object for the server itself, see {@link modifying}. @throws {StatusError} */
export function modify(backend: Backend, modification: ServerModification): StoredObject {
  return runSync(
    modifying(backend, { ...modification, byServer: true, change: (current) => done(modification.change(current)) }),
  );
}

interface ServerModification extends Update {
  /** Returns the changed object. */
  readonly change: (current: ApiObject) => unknown;
}

export interface Modification extends Update {
  /** Returns the changed object. Called again if the object changes meanwhile. */
  readonly change: (current: ApiObject, turn: Turn) => Paused<unknown>;
}

/** Replaces an object with the result of `change`. @throws {StatusError} */
export function* modifying(backend: Backend, { change, ...request }: Modification): Steps<StoredObject> {
  const { target } = request;
  return yield* untilStored(backend, request, function* () {
    const current = get(backend, target);
    const seen = yield* loaded(target.type, current);
    const turn = new Turn();
    const stored = yield* parsedInTurns(seen, turn);
    const changed = yield* change(target.type.view ? target.type.view.fromStored(stored) : stored, turn);
    yield* pauseAfter(turn);
    const next = yield* decoding(target.type, changed, turn);
    yield* pauseAfter(turn);
    requireName(next.metadata.name, target.name);
    placeInNamespace(next, target.type, target.namespace);
    return yield* replacing(backend, request, current, seen, next);
  });
}

/**
 * Stores the given part of `next` as the next version of `current`.
 *
 * @param seen the current object in the version of the request.
 * @param managedFields owners of the fields afterwards. Default: the manager owns its changes.
 * @returns `undefined` if the object changed while webhooks were asked: the caller starts again.
 */
export function replacing(
  backend: Backend,
  request: Update,
  current: StoredObject,
  seen: StoredObject,
  next: ApiObject,
  managedFields?: readonly ManagedFieldsEntry[],
): Steps<StoredObject | undefined> {
  return holding((hold) => storing(backend, request, { current, seen, next, managedFields, hold }));
}

interface Replacement {
  readonly current: StoredObject;
  readonly seen: StoredObject;
  readonly next: ApiObject;
  readonly managedFields: readonly ManagedFieldsEntry[] | undefined;
  readonly hold: AdmissionContext['hold'];
}

function* storing(
  backend: Backend,
  request: Update,
  { current, seen, next, managedFields, hold }: Replacement,
): Steps<StoredObject | undefined> {
  const { target, part, dryRun, manager, warn, admission } = request;
  const { type, name } = target;
  const { uid, resourceVersion } = next.metadata;
  if (uid && uid !== current.uid) throw immutableUid(storedKind(backend, type, next), name, uid);
  requireVersion(type, name, resourceVersion);
  if (!admission) requireCurrent(type, current, next);

  const turn = new Turn();
  const present = yield* parsedInTurns(seen, turn);
  const previous = withDeclaredFields(type, present);
  yield* pauseAfter(turn);
  const sent = labelled(type, part, type.view ? type.view.toStored(next) : next);
  let object = completed(request, previous, combine(type, part, previous, sent));
  // The storage drops it upstream, and a dry run does not reach the storage.
  if (!dryRun) Reflect.deleteProperty(object.metadata, 'selfLink');
  const writer = {
    name: manager,
    operation: 'Update',
    apiVersion: apiVersionOf(type),
    subresource: part === 'object' ? '' : part,
  } as const;
  yield* pauseAfter(turn);
  const owned = ownedBy(request, previous, { object, sent });
  const transition = { live: previous, object: owned, sent };
  const types = versionedTypes(backend.registry, type);
  let owners = managedFields ?? (yield* trackUpdate(types, writer, transition, turn));
  yield* pauseAfter(turn);
  /** The object as the client and the webhooks wrote it. */
  let written = next;
  if (admission) {
    ({ object, written } = yield* mutatedUpdate(request, { previous, next }, withOwners(object, owners)));
    owners = object.metadata.managedFields ?? [];
    requireVersion(type, name, written.metadata.resourceVersion);
    requireCurrent(type, current, written);
  }
  removeDuplicateOwners(object, warn, ' after mutating admission happens');
  const subresource = part === 'object' ? undefined : part;
  const context = { store: backend.store, user: undefined, dryRun, hold, nameInErrors: name };
  if (subresource === undefined) type.admit?.({ object, previous }, context);
  else type.admitPart?.({ object, previous, subresource });
  if (subresource === undefined && !dryRun) allocateAddresses(backend, type, { object, previous }, hold);
  object = withOwners(object, owners);
  const kept = yield* withoutEmptyLists(type, object, turn);
  const sendsEmpty = sendsEmptyCollection(type, part, written);
  const unchanged = !sendsEmpty && !isOutdated(type, current) && (yield* isUnchanged(kept, present, turn));
  // A real server also judges what does not change. Only rules of custom kinds warn of what they accept.
  const inIdentity = identityErrors(type, part, { previous, written, isMutated: written !== next });
  if (!unchanged || !type.builtIn || inIdentity.length > 0) {
    if (sendsEmpty || (yield* isNewGeneration(type, part, { object: kept, previous }, turn))) {
      object.metadata.generation = (previous.metadata.generation ?? 0) + 1;
    }
    const change = { object: kept, previous, subresource, store: backend.store, warn };
    const inMetadata = updateErrors(type, change);
    const isJudged = VALIDATED.has(part);
    const found = isJudged ? yield* kindErrors(type, { ...change, metadataErrors: inMetadata }) : [];
    const errors = [...inIdentity, ...(isJudged && type.placesMetadataErrors ? [] : inMetadata), ...found];
    if (errors.length > 0)
      throw invalid(storedKind(backend, type, object), inIdentity.length > 0 ? written.metadata.name : name, errors);
  }
  if (part === 'object' || part === 'scale') {
    for (const warning of type.warnings?.({ object, previous }) ?? []) warn?.(warning);
  }
  requireApprover(request, previous);
  if (admission) yield* admission.validate(updateAttributes(request, previous, object));
  if (unchanged) return current;
  const isPending = (current.terminating && object.metadata.deletionGracePeriodSeconds) || 0;
  // An object that this write deletes is not stored, and so not converted to the stored version.
  if (current.terminating && isPending === 0 && !holdsFinalizer(type, object)) {
    if (find(backend, target) !== current) return undefined;
    if (!dryRun) finish(backend, type, current);
    return store(type, object);
  }
  const saved = yield* inStoredVersion(type, managedFields ? yield* prunedApply(type, kept, turn) : kept);
  const storedType = type.conversion ? (backend.registry.storedType(type.storage) ?? type) : type;
  const prepared = yield* preparedForStore(storedType, saved, turn);
  if (dryRun) return prepared.unversioned();
  if (find(backend, target) !== current) return undefined;
  return backend.store.write((version) => {
    const limits = { previous: current, keepsManagers: managedFields !== undefined };
    const stored = request.byServer
      ? prepared.at(version)
      : storeWithinLimit(storedType, { saved, prepared, version }, limits);
    return { type: 'MODIFIED', object: stored, previous: current };
  });
}

/** Kinds that get the labels of their template if they have none, whatever part of them is written. */
const LABELLED_BY_TEMPLATE: ReadonlySet<string> = new Set(['jobs.batch', 'replicationcontrollers']);

/** Returns an object whose status is written with the labels that it gets when it is decoded. */
function labelled({ storage }: ResourceType, part: Part, sent: ApiObject): ApiObject {
  if (part !== 'status' || !LABELLED_BY_TEMPLATE.has(storage)) return sent;
  const { labels = {} } = sent.metadata;
  const ofTemplate = valueAt(sent, 'spec.template.metadata.labels') as ApiObject['metadata']['labels'];
  if (Object.keys(labels).length > 0 || !ofTemplate) return sent;
  return { ...sent, metadata: { ...sent.metadata, labels: ofTemplate } };
}

/**
 * Returns the object whose changes the manager owns. Upstream records the owners before the strategy of the kind resets what
 * the write does not change, and ignores only some of that.
 */
function ownedBy(
  request: Update,
  previous: ApiObject,
  { object, sent }: { readonly object: ApiObject; readonly sent: ApiObject },
): ApiObject {
  const { part, target } = request;
  if (part === 'resize') return completed(request, previous, { ...object, spec: sent['spec'] });
  // Writes of the status of a custom resource ignore only its spec.
  return part === 'status' && !target.type.builtIn ? completed(request, previous, { ...sent }) : object;
}

/** Returns an object with the defaults of the part that is written. */
function completed(
  { target: { type }, part, byServer, setsDefaults = true }: Update,
  previous: ApiObject,
  object: ApiObject,
): ApiObject {
  // A custom resource is decoded with its defaults, whatever part of it is written. A scale is not part of its JSON.
  if (!type.builtIn && (part === 'scale' || !setsDefaults)) return object;
  if (DEFAULTED.has(part) || !type.builtIn) type.prepare?.({ object, previous });
  else type.preparePart?.({ object, previous, subresource: part });
  // The server's own writes are complete.
  if (part !== 'status' || !type.builtIn || byServer) return object;
  const decoded = withGoStatus(object);
  if (decoded['status']) convertStatus(type.kind, decoded['status'] as JsonObject, decoded['spec']);
  return decoded;
}

function withOwners(object: ApiObject, owners: readonly ManagedFieldsEntry[]): ApiObject {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata: { ...metadata, ...(owners.length > 0 && { managedFields: [...owners] }) } };
}

function updateAttributes({ target, part, facade }: Update, previous: ApiObject, object: ApiObject): Attributes {
  const { type, namespace, name } = target;
  const show = (stored: ApiObject): ApiObject => {
    const shown = type.view ? type.view.fromStored(stored) : stored;
    return facade ? facade.show(shown) : shown;
  };
  return {
    operation: 'UPDATE',
    type,
    kind: facade?.kind ?? type,
    subresource: part === 'object' ? '' : part,
    namespace: admissionNamespace(type, namespace, name),
    name,
    object: show(object),
    oldObject: show(previous),
  };
}

interface Mutated {
  readonly object: ApiObject;
  /** Object as the last webhook returned it. Default: as the client wrote it. */
  readonly written: ApiObject;
}

/** Returns an object after the mutating webhooks, which can change only what the write can change. */
function* mutatedUpdate(
  request: Update,
  { previous, next }: { readonly previous: ApiObject; readonly next: ApiObject },
  object: ApiObject,
): Steps<Mutated> {
  const { admission, target, part, facade } = request;
  const { type } = target;
  const unchanged = { object, written: next };
  if (!admission) return unchanged;
  // The webhooks see the version that the client wrote.
  const { resourceVersion: _, ...others } = object.metadata;
  const { resourceVersion } = next.metadata;
  const metadata = { ...others, ...(resourceVersion && { resourceVersion }) } as ApiObject['metadata'];
  const attributes = updateAttributes(request, previous, facade ? object : { ...object, metadata });
  if (facade) {
    const result = yield* admission.mutate(attributes);
    if (result && result !== attributes.object) facade.absorb(object, result);
    return unchanged;
  }
  const result = yield* mutated(admission, attributes);
  if (!result) return unchanged;
  placeInNamespace(result, type, target.namespace);
  const combined = combine(type, part, previous, type.view ? type.view.toStored(result) : result);
  const changed = completed(request, previous, combined);
  return { object: withOwners(changed, result.metadata.managedFields ?? []), written: result };
}

/** Reports whether a write changes nothing but the times of managers. (Upstream: `IgnoreManagedFieldsTimestamps…`.) */
function* isUnchanged(object: ApiObject, previous: ApiObject, turn: Turn): Paused<boolean> {
  if (yield* areEqual(object, previous, turn)) return true;
  const timeless = ({ metadata: { managedFields = [], ...metadata }, ...rest }: ApiObject): object => ({
    ...rest,
    metadata,
    managedFields: managedFields.map(({ time: _, ...entry }) => entry),
  });
  return yield* areEqual(timeless(object), timeless(previous), turn);
}

/** Deletes an object without finalizers. Watches get its last stored state. */
function finish(backend: Backend, type: ResourceType, current: StoredObject): void {
  erase(backend, type, current, inVersions(type, parseStored(current)));
}
