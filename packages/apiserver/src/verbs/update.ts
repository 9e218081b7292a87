import { isDeepStrictEqual } from 'node:util';
import type { Attributes, VersionedKind } from '../admission/attributes.ts';
import { admissionNamespace } from '../admission/attributes.ts';
import type { ManagedFieldsEntry } from '../apply/managed-fields.ts';
import { versionedTypes } from '../apply/field-types.ts';
import { trackUpdate } from '../apply/ownership.ts';
import { decodeObject, updateErrors } from '../resources/metadata.ts';
import type { ResourceType } from '../resources/resource-type.ts';
import { apiVersionOf, present, store, valueAt } from '../resources/resource-type.ts';
import type { FieldError, StatusError } from '../status.ts';
import { badRequest, conflict, invalid, invalidField, modified } from '../status.ts';
import { goDecode } from '../schema/go-decode.ts';
import type { ApiObject, StoredObject } from '../storage/stored-object.ts';
import { parseStored } from '../storage/stored-object.ts';
import { mutated } from './admitted.ts';
import { creating, placeInNamespace, storedKind } from './create.ts';
import { holdsFinalizer } from './delete.ts';
import { resized, withEphemeralContainers } from './pod-parts.ts';
import type { Steps } from './steps.ts';
import { runSync, untilStored } from './steps.ts';
import type { Backend, ManagedWriteOptions, Target } from './target.ts';
import { find, get } from './target.ts';
import { inStoredVersion, loaded } from './version-conversion.ts';

/**
 * Part of an object that a write can change: everything except the status, only the status, or only the spec, for a
 * namespace's finalizers or a scale.
 */
export type Part = 'object' | 'status' | 'finalize' | 'scale' | PodPart | 'approval';

/** Parts of a Pod: its node, its ephemeral containers, or the resources of its containers. */
export type PodPart = 'binding' | 'ephemeralcontainers' | 'resize';

export interface Update extends ManagedWriteOptions {
  readonly target: Target;
  readonly part: Part;
  /** Form in which webhooks and policies see the object. Default: the object itself. */
  readonly facade?: Facade | undefined;
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
  return yield* untilStored(function* () {
    const next = decode(type, body);
    requireName(next, name);
    placeInNamespace(next, type, namespace);
    const { uid } = next.metadata;
    const current = find(backend, target);
    if (!current && type.createsOnUpdate && part === 'object') {
      if (uid) throw otherUid(request, uid, '');
      const { resourceVersion: _, ...metadata } = next.metadata;
      const draft = { ...next, metadata };
      const created = yield* creating(backend, { ...request, type, namespace, body: draft });
      return { object: created, created: true };
    }
    const present = get(backend, target);
    if (uid && uid !== present.uid) throw otherUid(request, uid, present.uid);
    if (!next.metadata.resourceVersion && !type.builtIn) throw withoutVersion(type, name);
    const object = yield* replacing(backend, request, present, yield* loaded(type, present), next);
    return object && { object, created: false };
  });
}

/** Keys in etcd of kinds whose keys are not their names. (Upstream: `SpecialDefaultResourcePrefixes`.) */
const KEYS: Readonly<Record<string, string>> = {
  endpoints: 'services/endpoints',
  'ingresses.networking.k8s.io': 'ingress',
  nodes: 'minions',
  replicationcontrollers: 'controllers',
  services: 'services/specs',
};

/** Built-in groups whose keys begin with the group. */
const OWN_PREFIX: ReadonlySet<string> = new Set(['apiextensions.k8s.io', 'apiregistration.k8s.io']);

/** 409: the object has another uid. @param found uid of the object; `''` if there is none. */
function otherUid({ target, dryRun }: Pick<Update, 'target' | 'dryRun'>, uid: string, found: string): StatusError {
  const { type, namespace, name } = target;
  const own =
    KEYS[type.storage] ?? `${OWN_PREFIX.has(type.group) || !type.builtIn ? `${type.group}/` : ''}${type.plural}`;
  // The storage of a dry run adds no prefix.
  const key = `${dryRun ? '' : '/registry'}/${own}/${namespace && `${namespace}/`}${name}`;
  const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${found}`;
  return conflict(
    type,
    name,
    `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${why}`,
  );
}

/** Replacing a custom resource requires its version. */
function withoutVersion({ group, plural }: ResourceType, name: string): StatusError {
  const error = invalidField('metadata.resourceVersion', 0, 'must be specified for an update');
  return invalid({ group, kind: plural }, name, [error]);
}

function decode(type: ResourceType, body: unknown): ApiObject {
  const object = decodeObject(type, body);
  return type.builtIn ? goDecode(type, object) : object;
}

/** @throws {StatusError} 400 if the name differs from that in the URL. */
export function requireName({ metadata }: ApiObject, name: string): void {
  if (metadata.name === name) return;
  if (metadata.name === '') {
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  }
  throw badRequest(`the name of the object (${metadata.name}) does not match the name on the URL (${name})`);
}

/** Changes an object for the server itself, see {@link modifying}. @throws {StatusError} */
export function modify(backend: Backend, modification: Modification): StoredObject {
  return runSync(modifying(backend, modification));
}

export interface Modification extends Update {
  /** Returns the changed object. Called again if the object changes meanwhile. */
  readonly change: (current: ApiObject) => unknown;
}

/** Replaces an object with the result of `change`. @throws {StatusError} */
export function* modifying(backend: Backend, { change, ...request }: Modification): Steps<StoredObject> {
  const { target } = request;
  return yield* untilStored(function* () {
    const current = get(backend, target);
    const seen = yield* loaded(target.type, current);
    const next = decode(target.type, change(present(target.type, seen)));
    requireName(next, target.name);
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
export function* replacing(
  backend: Backend,
  request: Update,
  current: StoredObject,
  seen: StoredObject,
  next: ApiObject,
  managedFields?: readonly ManagedFieldsEntry[],
): Steps<StoredObject | undefined> {
  const { target, part, dryRun, manager, warn, admission } = request;
  const { type, name } = target;
  const { uid, resourceVersion } = next.metadata;
  if (uid && uid !== current.uid) throw otherUid(request, uid, current.uid);
  const isStale = Boolean(resourceVersion) && resourceVersion !== String(current.version);
  if (isStale && !admission) throw modified(type, name);

  const previous = parseStored(seen);
  let object = combine(type, part, previous, type.view ? type.view.toStored(next) : next);
  if (DEFAULTED.has(part)) type.prepare?.({ object, previous });
  const writer = {
    name: manager,
    operation: 'Update',
    apiVersion: apiVersionOf(type),
    subresource: part === 'object' ? '' : part,
  } as const;
  let owners = managedFields ?? trackUpdate(versionedTypes(backend.registry, type), writer, { live: previous, object });
  if (admission) {
    object = yield* mutatedUpdate(request, previous, withOwners(object, owners));
    owners = object.metadata.managedFields ?? [];
    if (isStale) throw modified(type, name);
  }
  if (part === 'object') type.admit?.({ object, previous }, { store: backend.store, user: undefined });
  object = withOwners(object, owners);
  const unchanged = isUnchanged(object, previous) && (type.conversion?.isStored(current.json) ?? true);
  if (!unchanged) {
    if (type.countsGeneration && COUNTED.has(part) && isNewGeneration(type, object, previous)) {
      object.metadata.generation = (previous.metadata.generation ?? 0) + 1;
    }
    const change = { object, previous, warn };
    const inMetadata = updateErrors(type, change);
    const found = VALIDATED.has(part) ? type.validate?.({ ...change, metadataErrors: inMetadata }) : undefined;
    const errors = [...inMetadata, ...(found ?? [])];
    if (errors.length > 0)
      throw invalid(
        storedKind(backend, type),
        name,
        part === 'status' && !type.builtIn ? errors.map(inStatus) : errors,
      );
  }
  if (admission) yield* admission.validate(updateAttributes(request, previous, object));
  if (unchanged) return current;
  const saved = yield* inStoredVersion(type, object);
  if (dryRun) return store(type, object);
  if (find(backend, target) !== current) return undefined;
  const isPending = (current.terminating && object.metadata.deletionGracePeriodSeconds) || 0;
  if (current.terminating && isPending === 0 && !holdsFinalizer(type, object)) {
    finish(backend, type, current);
    return store(type, object);
  }
  const storedType = type.conversion ? (backend.registry.storedType(type.storage) ?? type) : type;
  return backend.store.write((version) => {
    saved.metadata.resourceVersion = String(version);
    return { type: 'MODIFIED', object: store(storedType, saved), previous: current };
  });
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

/** Returns an object after the mutating webhooks, which can change only what the write can change. */
function* mutatedUpdate(request: Update, previous: ApiObject, object: ApiObject): Steps<ApiObject> {
  const { admission, target, part, facade } = request;
  const { type } = target;
  if (!admission) return object;
  const attributes = updateAttributes(request, previous, object);
  if (facade) {
    const result = yield* admission.mutate(attributes);
    if (result && result !== attributes.object) facade.absorb(object, result);
    return object;
  }
  const result = yield* mutated(admission, attributes);
  if (!result) return object;
  placeInNamespace(result, type, target.namespace);
  const changed = combine(type, part, previous, type.view ? type.view.toStored(result) : result);
  if (DEFAULTED.has(part)) type.prepare?.({ object: changed, previous });
  return withOwners(changed, result.metadata.managedFields ?? []);
}

/** The status of a custom resource is validated on its own, so messages name fields relative to it. */
function inStatus(error: FieldError): FieldError {
  const { field, message } = error;
  return { ...error, message: message.replace(`${field} in body`, `${field.replace(/^status\.?/, '')} in body`) };
}

/** Reports whether a write changes nothing but the times of managers. (Upstream: `IgnoreManagedFieldsTimestamps…`.) */
function isUnchanged(object: ApiObject, previous: ApiObject): boolean {
  if (isDeepStrictEqual(object, previous)) return true;
  const timeless = ({ metadata: { managedFields = [], ...metadata }, ...rest }: ApiObject): object => ({
    ...rest,
    metadata,
    managedFields: managedFields.map(({ time: _, ...entry }) => entry),
  });
  return isDeepStrictEqual(timeless(object), timeless(previous));
}

/** Deletes an object without finalizers. Watches get its last stored state. */
function finish(backend: Backend, type: ResourceType, current: StoredObject): void {
  const last = parseStored(current);
  backend.store.write((version) => {
    last.metadata.resourceVersion = String(version);
    return { type: 'DELETED', object: store(type, last), previous: current };
  });
}

/** Parts for which the rules of the whole object apply. Those of Pods have rules of their own. */
const VALIDATED: ReadonlySet<Part> = new Set(['object', 'status', 'finalize', 'scale', 'approval']);

/** Parts whose fields have defaults. */
const DEFAULTED: ReadonlySet<Part> = new Set(['object', 'ephemeralcontainers', 'resize']);

/** Parts whose change can start a new generation. */
const COUNTED: ReadonlySet<Part> = new Set(['object', 'scale', 'ephemeralcontainers', 'resize']);

/** Metadata that client writes do not change. */
const SERVER_OWNED: ReadonlySet<string> = new Set([
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'generation',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
]);

/** Returns the part of `next` that this write may change, and the rest of `previous`. */
function combine(type: ResourceType, part: Part, previous: ApiObject, next: ApiObject): ApiObject {
  switch (part) {
    case 'status':
      return withField(withMetadata(previous, next, type.statusMetadata), 'status', next['status']);
    case 'approval':
      return withField(previous, 'status', withConditions(previous['status'], valueAt(next, 'status.conditions')));
    case 'ephemeralcontainers':
      return withField(previous, 'spec', withEphemeralContainers(previous, next));
    case 'resize':
      return withField(previous, 'spec', resized(previous, next));
    case 'binding':
      return { ...next, metadata: { ...next.metadata, managedFields: previous.metadata.managedFields ?? [] } };
    case 'finalize':
    case 'scale':
      return withField(previous, 'spec', next['spec']);
    case 'object': {
      const written = Object.entries(next.metadata).filter(([field]) => !SERVER_OWNED.has(field));
      const owned = Object.entries(previous.metadata).filter(([field]) => SERVER_OWNED.has(field));
      const metadata = Object.fromEntries([...written, ...owned]) as unknown as ApiObject['metadata'];
      const object = { ...next, metadata };
      return type.statusSubresource ? withField(object, 'status', previous['status']) : object;
    }
  }
}

function withField(object: ApiObject, field: string, value: unknown): ApiObject {
  const { [field]: _, ...rest } = object;
  return (value === undefined ? rest : { ...rest, [field]: value }) as ApiObject;
}

function withConditions(status: unknown, conditions: unknown): object {
  return { ...(status as object | undefined), ...(conditions !== undefined && { conditions }) };
}

/** Returns an object with some of the metadata of another one. */
function withMetadata(object: ApiObject, other: ApiObject, fields: ResourceType['statusMetadata']): ApiObject {
  const kept = Object.entries(object.metadata).filter(([field]) => !fields.some((each) => each === field));
  const taken = fields.flatMap((field) =>
    other.metadata[field] === undefined ? [] : [[field, other.metadata[field]]],
  );
  const metadata = Object.fromEntries([...kept, ...taken]) as unknown as ApiObject['metadata'];
  return { ...object, metadata };
}

function isNewGeneration({ generationBy }: ResourceType, object: ApiObject, previous: ApiObject): boolean {
  if (generationBy === 'creation') return false;
  if (specChanged(object, previous)) return true;
  if (generationBy === undefined) return false;
  return !isDeepStrictEqual(object.metadata[generationBy] ?? {}, previous.metadata[generationBy] ?? {});
}

function specChanged(object: ApiObject, previous: ApiObject): boolean {
  const spec = ({ metadata: _metadata, status: _status, apiVersion: _apiVersion, ...rest }: ApiObject): object => rest;
  return !isDeepStrictEqual(spec(object), spec(previous));
}
