import { now } from '../resources/timestamp.ts';
import { StatusError } from '../status.ts';
import type { ResourceType } from '../resources/resource-type.ts';
import { parseStored } from '../storage/stored-object.ts';
import type { ApiObject } from '../storage/stored-object.ts';
import type { ClusterStore } from '../storage/cluster-store.ts';
import { DEFINITIONS, hasCondition } from './definition.ts';

/** The condition `Terminating` of a CustomResourceDefinition. */
export interface Termination {
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

/** The definition was deleted. */
export const DELETION_PENDING: Termination = {
  status: 'True',
  reason: 'InstanceDeletionPending',
  message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
};

/** The objects of the definition are being deleted. */
export const DELETION_IN_PROGRESS: Termination = {
  status: 'True',
  reason: 'InstanceDeletionInProgress',
  message: 'CustomResource deletion is in progress',
};

/** The objects of the definition are deleted. */
export const DELETION_COMPLETED: Termination = {
  status: 'False',
  reason: 'InstanceDeletionCompleted',
  message: 'removed all instances',
};

/** The definition had no objects, because its names were never accepted. */
export const NEVER_ESTABLISHED: Termination = {
  status: 'False',
  reason: 'NeverEstablished',
  message: 'resource was never established',
};

interface Condition extends Termination {
  readonly type: string;
  readonly lastTransitionTime: string;
}

/** Returns a definition with the condition `Terminating`. */
export function withCondition(definition: ApiObject, { status, reason, message }: Termination): ApiObject {
  const known = (definition['status'] ?? {}) as { readonly conditions?: readonly Condition[] | null };
  const conditions = known.conditions ?? [];
  const before = conditions.find(({ type }) => type === 'Terminating');
  const lastTransitionTime = before?.status === status ? before.lastTransitionTime : now();
  const condition: Condition = { type: 'Terminating', status, lastTransitionTime, reason, message };
  const next = before ? conditions.map((each) => (each === before ? condition : each)) : [...conditions, condition];
  return { ...definition, status: { ...known, conditions: next } };
}

/** Refuses a new custom object while its definition terminates. @throws {StatusError} 403 */
export function requireLivingDefinition(
  store: ClusterStore,
  { builtIn, storage, group, plural }: ResourceType,
  name: string,
): void {
  const definition = builtIn ? undefined : store.resource(DEFINITIONS).get(storage);
  if (!definition?.terminating || !hasCondition(parseStored(definition), 'Terminating')) return;
  const why = 'create not allowed while custom resource definition is terminating';
  throw new StatusError(403, 'Forbidden', `${plural}.${group} ${JSON.stringify(name)} is forbidden: ${why}`, {
    name,
    group,
    kind: plural,
  });
}
