import * as z from 'zod';
import type { WriteAdmission } from '../admission/attributes.ts';
import { admissionNamespace } from '../admission/attributes.ts';
import type { ResourceType } from '../resources/resource-type.ts';
import { present, store, valueAt } from '../resources/resource-type.ts';
import { now } from '../resources/timestamp.ts';
import type { FieldError } from '../status.ts';
import { badRequest, conflict, invalid, invalidField, StatusError, unsupportedField } from '../status.ts';
import type { ApiObject, StoredObject } from '../storage/stored-object.ts';
import { parseStored } from '../storage/stored-object.ts';
import { storedKind } from './create.ts';
import { graceOf, secondsAfter, shortenGrace } from './grace-period.ts';
import type { PropagationPolicy } from './propagation.ts';
import { propagationPolicies, setPropagationFinalizer } from './propagation.ts';
import type { Steps } from './steps.ts';
import { runSync, untilStored } from './steps.ts';
import type { Backend, Target, WriteOptions } from './target.ts';
import { find, get } from './target.ts';
import { loaded } from './version-conversion.ts';

/** Finalizer that a deletion adds to a CustomResourceDefinition. It keeps the definition until its objects are deleted. */
export const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';

const deleteBody = z.object({
  preconditions: z.object({ uid: z.string().optional(), resourceVersion: z.string().optional() }).nullish(),
  propagationPolicy: z.string().nullish(),
  orphanDependents: z.boolean().nullish(),
  gracePeriodSeconds: z.int().nullish(),
  dryRun: z.array(z.string()).nullish(),
});

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

/** Reads the options of a DELETE from its body and its query. @throws {StatusError} 400, or 422 for invalid options. */
export function parseDeleteOptions(body: unknown, query: URLSearchParams): DeleteOptions {
  requireDeleteOptions(body);
  const parsed = deleteBody.safeParse(body ?? {});
  if (!parsed.success) throw badRequest(`invalid DeleteOptions: ${z.prettifyError(parsed.error)}`);
  const { preconditions, dryRun } = parsed.data;
  const dryRuns = [...(dryRun ?? []), ...query.getAll('dryRun')];
  if (dryRuns.some((value) => value !== 'All')) throw invalidOptions(unsupportedField('dryRun', dryRuns, ['All']));
  const wanted = parsed.data.propagationPolicy ?? query.get('propagationPolicy') ?? undefined;
  const policy = propagationPolicies.optional().safeParse(wanted);
  if (!policy.success)
    throw invalidOptions(unsupportedField('propagationPolicy', wanted, [...propagationPolicies.options, 'nil']));
  const orphan = parsed.data.orphanDependents ?? query.get('orphanDependents');
  if (wanted !== undefined && orphan !== null) {
    const detail = 'orphanDependents and deletionPropagation cannot be both set';
    throw invalidOptions(invalidField('propagationPolicy', wanted, detail));
  }
  return {
    uid: preconditions?.uid,
    resourceVersion: preconditions?.resourceVersion,
    gracePeriodSeconds: gracePeriod(parsed.data.gracePeriodSeconds ?? query.get('gracePeriodSeconds')),
    sentPolicy: policy.data,
    propagationPolicy: policy.data ?? (String(orphan) === 'true' ? 'Orphan' : 'Background'),
    isPolicySet: wanted !== undefined || orphan !== null,
    cascades: String(orphan) === 'false',
    dryRun: dryRuns.length > 0,
  };
}

/** @throws {StatusError} 400 if a body is of another kind, or a field has another type. */
function requireDeleteOptions(body: unknown): void {
  if (typeof body !== 'object' || body === null) return;
  const { kind, apiVersion, gracePeriodSeconds } = body as Readonly<Record<string, unknown>>;
  if (typeof kind === 'string' && kind !== '' && kind !== 'DeleteOptions') {
    const version = typeof apiVersion === 'string' ? apiVersion : '';
    throw badRequest(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(version)} in scheme "pkg/runtime/scheme.go:111"`,
    );
  }
  const found = typeof gracePeriodSeconds === 'boolean' ? 'bool' : typeof gracePeriodSeconds;
  if (gracePeriodSeconds === undefined || gracePeriodSeconds === null || found === 'number') return;
  throw badRequest(
    `json: cannot unmarshal ${found} into Go struct field DeleteOptions.gracePeriodSeconds of type int64`,
  );
}

/** @throws {StatusError} 400 if it is not an integer. */
function gracePeriod(value: number | string | null): number | undefined {
  if (value === null) return undefined;
  const seconds = Number(value);
  if (!Number.isInteger(seconds)) throw badRequest(`invalid gracePeriodSeconds: ${JSON.stringify(value)}`);
  // Upstream corrects a negative period to the shortest one.
  return seconds < 0 ? 1 : seconds;
}

function invalidOptions(error: FieldError): StatusError {
  return invalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', [error]);
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
  return runSync(removing(backend, target, options));
}

/**
 * @throws {StatusError} if the object does not exist or does not match the preconditions, or a webhook or a policy
 *   denies the deletion.
 */
export function* removing(backend: Backend, target: Target, options: DeleteOptions): Steps<Deletion> {
  return yield* untilStored(() => attempt(backend, target, options));
}

function* attempt(backend: Backend, target: Target, options: DeleteOptions): Steps<Deletion | undefined> {
  const { type } = target;
  const current = get(backend, target);
  checkPreconditions(backend, target, current, options);
  refuseImmortal(target);
  const object = parseStored(current);
  // A Pod that terminates keeps its finalizers.
  const isSettled = type.storage === 'pods' && current.terminating;
  const policy = options.isPolicySet ? options.propagationPolicy : undefined;
  const isRefinalized = !isSettled && setPropagationFinalizer(type, object, policy);
  if (type.storage === 'customresourcedefinitions.apiextensions.k8s.io') addFinalizer(object, CLEANUP_FINALIZER);
  const grace = graceOf(type, object, options);

  const goes = !holdsFinalizer(type, object) && grace.seconds === 0;
  if (options.admission && (goes || grace.changes || isRefinalized)) {
    const named = { ...target, name: options.ofCollection ? '' : target.name };
    yield* admitDeletion(options.admission, named, yield* loaded(type, current));
    if (find(backend, target) !== current) return undefined;
  }
  if (options.dryRun) {
    if (!goes && grace.changes) terminate(type, object, grace.seconds);
    return { object: goes ? current : store(type, object), gone: goes };
  }
  if (goes && type.storage !== 'pods') return { object: erase(backend, type, current, object), gone: true };
  if (!grace.changes && !isRefinalized) return { object: current, gone: false };
  if (grace.changes) terminate(type, object, grace.seconds);
  const marked = backend.store.write((version) => {
    object.metadata.resourceVersion = String(version);
    return { type: 'MODIFIED', object: store(type, object), previous: current };
  });
  if (!goes) return { object: marked, gone: false };
  // Upstream marks every Pod first, also one without a grace period. Its watchers see that before the Pod is gone.
  if (options.admission) yield new Promise((resolve) => setTimeout(resolve, MARKED_TIME));
  // A write meanwhile has completed the deletion.
  if (find(backend, target) !== marked) return { object: marked, gone: true };
  return { object: erase(backend, type, marked, object), gone: true };
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

function erase(backend: Backend, type: ResourceType, current: StoredObject, object: ApiObject): StoredObject {
  return backend.store.write((version) => {
    object.metadata.resourceVersion = String(version);
    return { type: 'DELETED', object: store(type, object), previous: current };
  });
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
  const { group, kind } = storedKind(backend, asked);
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
  if (metadata.deletionTimestamp !== undefined) return;
  metadata.finalizers = [...new Set([...(metadata.finalizers ?? []), finalizer])];
}

/** Starts the grace period of an object, or shortens it. */
function terminate(type: ResourceType, object: ApiObject, seconds: number): void {
  if (object.metadata.deletionTimestamp === undefined) markTerminating(type, object, seconds);
  else shortenGrace(object, seconds);
}

function markTerminating(type: ResourceType, object: ApiObject, seconds: number): void {
  object.metadata.deletionTimestamp = secondsAfter(now(), seconds);
  object.metadata.deletionGracePeriodSeconds = seconds;
  if (object.metadata.generation !== undefined) object.metadata.generation += 1;
  if (type.storage === 'namespaces') object['status'] = { ...(object['status'] as object), phase: 'Terminating' };
}
