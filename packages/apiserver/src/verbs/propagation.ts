import * as z from 'zod';
import type { ResourceType } from '../resources/resource-type.ts';
import type { ApiObject } from '../storage/stored-object.ts';

/** Finalizers with which an object waits for the garbage collector. */
export const FOREGROUND_FINALIZER = 'foregroundDeletion';
export const ORPHAN_FINALIZER = 'orphan';

/** Treatment of dependents by a deletion. */
export const propagationPolicies = z.enum(['Foreground', 'Background', 'Orphan']);
export type PropagationPolicy = z.infer<typeof propagationPolicies>;

/** Kinds whose dependents are kept if neither the request nor a finalizer says otherwise, as upstream. */
const ORPHANED: ReadonlySet<string> = new Set(['jobs.batch', 'replicationcontrollers']);

/** Kinds that the garbage collector ignores. */
const UNSUPPORTED: ReadonlySet<string> = new Set(['events', 'events.events.k8s.io']);

/**
 * Sets the finalizers of a deletion: that of its policy, and not that of another one. (Upstream:
 * `deletionFinalizersForGarbageCollection`.)
 *
 * @param wanted policy of the request; `undefined` if it has none.
 * @returns whether the finalizers changed.
 */
export function setPropagationFinalizer(
  { storage }: ResourceType,
  { metadata }: ApiObject,
  wanted: PropagationPolicy | undefined,
): boolean {
  const before = metadata.finalizers ?? [];
  const policy = UNSUPPORTED.has(storage) ? 'Background' : (wanted ?? policyOf(before) ?? defaultPolicy(storage));
  const others = before.filter((each) => each !== FOREGROUND_FINALIZER && each !== ORPHAN_FINALIZER);
  const after =
    policy === 'Background' ? others : [...others, policy === 'Orphan' ? ORPHAN_FINALIZER : FOREGROUND_FINALIZER];
  if (after.length === before.length && after.every((each) => before.includes(each))) return false;
  if (after.length > 0) metadata.finalizers = after;
  else delete metadata.finalizers;
  return true;
}

/** Returns the policy that finalizers state; `undefined` if there is none of them. */
export function policyOf(finalizers: readonly string[]): PropagationPolicy | undefined {
  const decisive = finalizers.find((each) => each === FOREGROUND_FINALIZER || each === ORPHAN_FINALIZER);
  if (decisive === undefined) return undefined;
  return decisive === ORPHAN_FINALIZER ? 'Orphan' : 'Foreground';
}

function defaultPolicy(storage: string): PropagationPolicy {
  return ORPHANED.has(storage) ? 'Orphan' : 'Background';
}
