import type { WriteAdmission } from '../admission/attributes.ts';
import { admissionNamespace } from '../admission/attributes.ts';
import { addressNamesOf, IP_ADDRESSES } from '../resources/admission/ip-address.ts';
import { DEFINITIONS } from '../definitions/definition.ts';
import { DELETION_PENDING, withCondition } from '../definitions/termination.ts';
import type { ResourceType } from '../resources/resource-type.ts';
import { present, store, valueAt } from '../resources/resource-type.ts';
import { now } from '../resources/timestamp.ts';
import { conflict, StatusError } from '../status.ts';
import type { ApiObject, StoredObject } from '../storage/stored-object.ts';
import { parsedInTurns, parseStored } from '../storage/stored-object.ts';
import { Turn } from '../turn.ts';
import { graceOf, secondsAfter, shortenGrace } from './grace-period.ts';
import type { PropagationPolicy } from './propagation.ts';
import { setPropagationFinalizer } from './propagation.ts';
import type { Steps } from './steps.ts';
import { runSync } from './steps.ts';
import type { Backend, Target, WriteOptions } from './target.ts';
import { find, get, storedKind } from './target.ts';
import { untilStored } from './until-stored.ts';
import type { Prepared } from './version-conversion.ts';
import {
  inStoredVersion,
  inVersions,
  isOutdated,
  loaded,
  preparedForStore,
  withDeclaredFields,
} from './version-conversion.ts';

/** Finalizer that a deletion adds to a CustomResourceDefinition. It keeps the definition until its objects are deleted. */
export const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';

export interface DeleteOptions extends WriteOptions {
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
  readonly propagationPolicy: PropagationPolicy;
  /** Whether the request deletes a collection, and so names no object. */
  readonly ofCollection?: boolean;
  /** Policy that the client sent, if any. */
  readonly sentPolicy?: PropagationPolicy | undefined;
  /** Whether the client chose the policy. */
  readonly isPolicySet: boolean;
  /** Whether the client asked with `orphanDependents` to delete dependents. */
  readonly cascades?: boolean;
  /** In seconds. Default: that of the object. */
  readonly gracePeriodSeconds: number | undefined;
}

/** Unconditional deletion by the server itself. */
export const plainDeletion: DeleteOptions = {
  uid: undefined,
  resourceVersion: undefined,
  propagationPolicy: 'Background',
  isPolicySet: true,
  gracePeriodSeconds: undefined,
  dryRun: false,
};

/** Time for which a Pod without a grace period is marked, in milliseconds: a real server needs two writes to etcd. */
const MARKED_TIME = 2;

const IMMORTAL: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public']);

export interface Deletion {
  readonly object: StoredObject;
  /** False while finalizers keep the object. */
  readonly gone: boolean;
}

/** Deletes an object for the server itself, see {@link removing}. @throws {StatusError} */
export function remove(backend: Backend, target: Target, options: DeleteOptions): Deletion {
  return runSync(removing(backend, target, { ...options, byServer: true }));
}

/**
 * @throws {StatusError} if the object does not exist or does not match the preconditions, or a webhook or a policy
 *   denies the deletion.
 */
export function* removing(backend: Backend, target: Target, options: DeleteOptions): Steps<Deletion> {
  return yield* untilStored(backend, { ...options, target }, () => attempt(backend, target, options));
}

function* attempt(backend: Backend, target: Target, options: DeleteOptions): Steps<Deletion | undefined> {
  const { type } = target;
  const current = get(backend, target);
  checkPreconditions(backend, target, current, options);
  refuseImmortal(target);
  const turn = new Turn();
  const object = withDeclaredFields(type, yield* parsedInTurns(current, turn));
  if (find(backend, target) !== current) return undefined;
  const grace = graceOf(type, object, options);
  if (type.storage === DEFINITIONS && !current.terminating) return yield* markDefinition(backend, target, options);
  // A Pod keeps its finalizers while its grace period runs.
  const isSettled = current.terminating && !grace.changes && grace.seconds > 0;
  const policy = options.isPolicySet ? options.propagationPolicy : undefined;
  const isRefinalized = !isSettled && setPropagationFinalizer(type, object, policy);
  /** Whether the object is marked as terminating before it is deleted, also without a grace period. */
  const isMarkedFirst = type.storage === 'pods' && grace.changes;

  const goes = !holdsFinalizer(type, object) && grace.seconds === 0;
  if (options.admission && (goes || grace.changes || isRefinalized)) {
    const named = { ...target, name: options.ofCollection ? '' : target.name };
    yield* admitDeletion(options.admission, named, yield* loaded(type, current));
    if (find(backend, target) !== current) return undefined;
  }
  if (options.dryRun) {
    if (goes && !isMarkedFirst) return { object: current, gone: true };
    if (grace.changes) terminate(type, object, grace.seconds);
    return { object: store(type, object), gone: goes };
  }
  // The last state is the stored one, with the finalizers that the deletion would have removed.
  if (goes && !isMarkedFirst) {
    const last = yield* preparedForStore(type, yield* parsedInTurns(current, turn), turn);
    if (find(backend, target) !== current) return undefined;
    return { object: erase(backend, type, current, last), gone: true };
  }
  // A real server writes an object that its finalizers keep, which changes only one that lacks defaults.
  if (!grace.changes && !isRefinalized && !isOutdated(type, current)) return { object: current, gone: false };
  if (grace.changes) terminate(type, object, grace.seconds);
  // An object that a webhook converts is in the stored version.
  const saved = type.conversion ? object : yield* inStoredVersion(type, object);
  const prepared = inVersions(type, saved);
  const marked = backend.store.write((version) => ({
    type: 'MODIFIED',
    object: prepared.at(version),
    previous: current,
  }));
  if (!goes) return { object: marked, gone: false };
  // Upstream marks every Pod first, also one without a grace period. Its watchers see that before the Pod is gone.
  // The Pods of a collection do not wait for one another.
  if (!options.byServer && !options.ofCollection) yield new Promise((resolve) => setTimeout(resolve, MARKED_TIME));
  // A write meanwhile has completed the deletion.
  if (find(backend, target) !== marked) return { object: marked, gone: true };
  return { object: erase(backend, type, marked, prepared), gone: true };
}

/**
 * Marks a CustomResourceDefinition as terminating. It is deleted after its objects. (Upstream: `Delete` of
 * `registry/customresourcedefinition` in apiextensions-apiserver.)
 */
function* markDefinition(
  backend: Backend,
  target: Target,
  { admission, dryRun }: DeleteOptions,
): Steps<Deletion | undefined> {
  const { type } = target;
  const current = get(backend, target);
  if (admission) {
    yield* admitDeletion(admission, target, current);
    if (find(backend, target) !== current) return undefined;
  }
  const object = withCondition(parseStored(current), DELETION_PENDING);
  addFinalizer(object, CLEANUP_FINALIZER);
  object.metadata.deletionTimestamp = now();
  if (dryRun) return { object: store(type, object), gone: false };
  const marked = backend.store.write((version) => {
    object.metadata.resourceVersion = String(version);
    return { type: 'MODIFIED', object: store(type, object), previous: current };
  });
  return { object: marked, gone: false };
}

/** @throws {StatusError} if a webhook or a policy denies the deletion. */
function* admitDeletion(
  admission: WriteAdmission,
  { type, namespace, name }: Target,
  current: StoredObject,
): Steps<void> {
  const attributes = {
    operation: 'DELETE',
    type,
    kind: type,
    subresource: '',
    namespace: admissionNamespace(type, namespace, name),
    name,
    object: undefined,
    oldObject: present(type, current),
  } as const;
  yield* admission.mutate(attributes);
  yield* admission.validate(attributes);
}

/** Removes an object from the storage. Watches get its last state. */
export function erase(backend: Backend, type: ResourceType, current: StoredObject, last: Prepared): StoredObject {
  const erased = backend.store.write((version) => ({
    type: 'DELETED',
    object: last.at(version),
    previous: current,
  }));
  if (type.storage === 'services') {
    removeEndpoints(backend, current);
    removeAddresses(backend, addressNamesOf(parseStored(current)['spec']));
  }
  return erased;
}

/** Deletes the Endpoints with the name of a Service that is gone (upstream: `afterDelete` of its storage). */
function removeEndpoints(backend: Backend, { key, namespace, name }: StoredObject): void {
  const type = backend.registry.storedType('endpoints');
  if (type && backend.store.resource('endpoints').get(key)) remove(backend, { type, namespace, name }, plainDeletion);
}

/** Deletes IPAddresses, if they exist. Finalizers keep one. */
export function removeAddresses(backend: Backend, addresses: readonly string[]): void {
  const type = backend.registry.storedType(IP_ADDRESSES);
  for (const name of addresses) {
    const target = type && { type, namespace: '', name };
    if (target && find(backend, target)) remove(backend, target, plainDeletion);
  }
}

/** Reports whether a finalizer keeps a terminating object. Namespaces also have finalizers in their spec. */
export function holdsFinalizer(type: ResourceType, object: ApiObject): boolean {
  const ofSpec = type.storage === 'namespaces' ? valueAt(object, 'spec.finalizers') : undefined;
  return (object.metadata.finalizers?.length ?? 0) > 0 || (Array.isArray(ofSpec) && ofSpec.length > 0);
}

/** @throws {StatusError} 403 for the namespaces that every cluster needs. */
function refuseImmortal({ type, name }: Target): void {
  if (type.storage !== 'namespaces' || !IMMORTAL.has(name)) return;
  throw new StatusError(403, 'Forbidden', `namespaces "${name}" is forbidden: this namespace may not be deleted`, {
    name,
    kind: 'namespaces',
  });
}

function checkPreconditions(
  backend: Backend,
  { type: asked, name }: Target,
  current: StoredObject,
  { uid, resourceVersion }: DeleteOptions,
): void {
  const { group, kind } = storedKind(backend, asked, asked);
  // Upstream names the kind here, and the resource in other messages.
  const type = { group, plural: kind };
  if (uid !== undefined && uid !== current.uid) {
    throw conflict(
      type,
      name,
      `the UID in the precondition (${uid}) does not match the UID in record (${current.uid}). The object might have been deleted and then recreated`,
    );
  }
  if (resourceVersion !== undefined && resourceVersion !== String(current.version)) {
    throw conflict(
      type,
      name,
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${current.version}). The object might have been modified`,
    );
  }
}

function addFinalizer({ metadata }: Pick<ApiObject, 'metadata'>, finalizer: string): void {
  metadata.finalizers = [...new Set([...(metadata.finalizers ?? []), finalizer])];
}

/** Starts the grace period of an object, or shortens it. */
function terminate(type: ResourceType, object: ApiObject, seconds: number): void {
  if (object.metadata.deletionTimestamp === undefined) markTerminating(type, object, seconds);
  else shortenGrace(object, seconds);
}

function markTerminating(type: ResourceType, object: ApiObject, seconds: number): void {
  object.metadata.deletionTimestamp = secondsAfter(now(), seconds);
  // The storage of namespaces marks them on its own.
  if (type.storage !== 'namespaces') object.metadata.deletionGracePeriodSeconds = seconds;
  if (object.metadata.generation !== undefined) object.metadata.generation += 1;
  if (type.storage === 'namespaces') object['status'] = { ...(object['status'] as object), phase: 'Terminating' };
}
