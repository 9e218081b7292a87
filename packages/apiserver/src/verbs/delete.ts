import * as z from 'zod';
import type { ResourceType } from '../resources/resource-type.ts';
import { store, valueAt } from '../resources/resource-type.ts';
import { now } from '../resources/timestamp.ts';
import type { FieldError, StatusError } from '../status.ts';
import { badRequest, conflict, invalid, invalidField, unsupportedField } from '../status.ts';
import type { ApiObject, StoredObject } from '../storage/stored-object.ts';
import { parseStored } from '../storage/stored-object.ts';
import type { Backend, Target, WriteOptions } from './target.ts';
import { get } from './target.ts';

/** Finalizers with which an object waits for the garbage collector. */
export const FOREGROUND_FINALIZER = 'foregroundDeletion';
export const ORPHAN_FINALIZER = 'orphan';

const policies = z.enum(['Foreground', 'Background', 'Orphan']);
export type PropagationPolicy = z.infer<typeof policies>;

const deleteBody = z.object({
  preconditions: z.object({ uid: z.string().optional(), resourceVersion: z.string().optional() }).nullish(),
  propagationPolicy: z.string().nullish(),
  orphanDependents: z.boolean().nullish(),
  dryRun: z.array(z.string()).nullish(),
});

export interface DeleteOptions extends WriteOptions {
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
  readonly propagationPolicy: PropagationPolicy;
}

/** Reads the options of a DELETE from its body and its query. @throws {StatusError} 400, or 422 for invalid options. */
export function parseDeleteOptions(body: unknown, query: URLSearchParams): DeleteOptions {
  const parsed = deleteBody.safeParse(body ?? {});
  if (!parsed.success) throw badRequest(`invalid DeleteOptions: ${z.prettifyError(parsed.error)}`);
  const { preconditions, dryRun } = parsed.data;
  const wanted = parsed.data.propagationPolicy ?? query.get('propagationPolicy') ?? undefined;
  const policy = policies.optional().safeParse(wanted);
  if (!policy.success)
    throw invalidOptions(unsupportedField('propagationPolicy', wanted, [...policies.options, 'nil']));
  const orphan = parsed.data.orphanDependents ?? query.get('orphanDependents');
  if (wanted !== undefined && orphan !== null) {
    const detail = 'orphanDependents and deletionPropagation cannot be both set';
    throw invalidOptions(invalidField('propagationPolicy', wanted, detail));
  }
  return {
    uid: preconditions?.uid,
    resourceVersion: preconditions?.resourceVersion,
    propagationPolicy: policy.data ?? (String(orphan) === 'true' ? 'Orphan' : 'Background'),
    dryRun: (dryRun?.includes('All') ?? false) || query.getAll('dryRun').includes('All'),
  };
}

function invalidOptions(error: FieldError): StatusError {
  return invalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', [error]);
}

/** Unconditional deletion by the server itself. */
export const plainDeletion: DeleteOptions = {
  uid: undefined,
  resourceVersion: undefined,
  propagationPolicy: 'Background',
  dryRun: false,
};

export interface Deletion {
  readonly object: StoredObject;
  /** False while finalizers keep the object. */
  readonly gone: boolean;
}

/** @throws {StatusError} if the object does not exist or does not match the preconditions. */
export function remove(backend: Backend, target: Target, options: DeleteOptions): Deletion {
  const { type } = target;
  const current = get(backend, target);
  checkPreconditions(target, current, options);
  const object = parseStored(current);
  addPropagationFinalizer(object, options.propagationPolicy);

  if (!holdsFinalizer(type, object)) {
    if (options.dryRun) return { object: current, gone: true };
    const deleted = backend.store.write((version) => {
      object.metadata.resourceVersion = String(version);
      return { type: 'DELETED', object: store(type, object), previous: current };
    });
    return { object: deleted, gone: true };
  }

  if (current.terminating || options.dryRun) return { object: current, gone: false };
  markTerminating(type, object);
  const marked = backend.store.write((version) => {
    object.metadata.resourceVersion = String(version);
    return { type: 'MODIFIED', object: store(type, object), previous: current };
  });
  return { object: marked, gone: false };
}

/** Reports whether a finalizer keeps a terminating object. Namespaces also have finalizers in their spec. */
export function holdsFinalizer(type: ResourceType, object: ApiObject): boolean {
  const ofSpec = type.storage === 'namespaces' ? valueAt(object, 'spec.finalizers') : undefined;
  return (object.metadata.finalizers?.length ?? 0) > 0 || (Array.isArray(ofSpec) && ofSpec.length > 0);
}

function checkPreconditions(
  { type: { group, kind }, name }: Target,
  current: StoredObject,
  { uid, resourceVersion }: DeleteOptions,
): void {
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

function addPropagationFinalizer({ metadata }: ApiObject, policy: PropagationPolicy): void {
  if (metadata.deletionTimestamp !== undefined || policy === 'Background') return;
  const finalizer = policy === 'Foreground' ? FOREGROUND_FINALIZER : ORPHAN_FINALIZER;
  metadata.finalizers = [...new Set([...(metadata.finalizers ?? []), finalizer])];
}

function markTerminating(type: ResourceType, object: ApiObject): void {
  object.metadata.deletionTimestamp = now();
  object.metadata.deletionGracePeriodSeconds = 0;
  if (object.metadata.generation !== undefined) object.metadata.generation += 1;
  if (type.storage === 'namespaces') object['status'] = { ...(object['status'] as object), phase: 'Terminating' };
}
