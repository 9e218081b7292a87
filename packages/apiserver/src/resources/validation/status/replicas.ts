import type { FieldError } from '../../../status.ts';
import { invalidField } from '../../../status.ts';
import type { Change } from '../../resource-type.ts';
import { valueAt } from '../../resource-type.ts';
import { at, nonNegative } from '../rules.ts';

/** A count that must not be greater than another one. */
interface Bound {
  readonly field: string;
  readonly limit: string;
  /** The limit as messages name it. */
  readonly shown: string;
}

const ofReplicas = (...fields: readonly string[]): Bound[] =>
  fields.map((field) => ({ field, limit: 'replicas', shown: 'status.replicas' }));

const availableOfReady: Bound = { field: 'availableReplicas', limit: 'readyReplicas', shown: 'readyReplicas' };

function countErrors(status: unknown, fields: readonly string[], bounds: readonly Bound[] = []): FieldError[] {
  const count = (field: string): number => Number(valueAt(status, field) ?? 0);
  return [
    ...fields.flatMap((field) => nonNegative(at(status, 'status', field))),
    ...bounds.flatMap(({ field, limit, shown }) =>
      count(field) <= count(limit)
        ? []
        : [invalidField(`status.${field}`, count(field), `cannot be greater than ${shown}`)],
    ),
  ];
}

/** A count of collisions only grows. A missing count is less than any other. */
function collisionErrors({ object, previous }: Change): FieldError[] {
  const [count, before] = [object, previous].map((each) => valueAt(each, 'status.collisionCount'));
  if (typeof before !== 'number' || (typeof count === 'number' && count >= before)) return [];
  return [invalidField('status.collisionCount', count ?? 0, 'cannot be decremented')];
}

/** Validates the status of a Deployment (upstream: `ValidateDeploymentStatusUpdate`). */
export function deploymentStatusErrors(change: Change): FieldError[] {
  const counts = [
    'observedGeneration',
    'replicas',
    'updatedReplicas',
    'readyReplicas',
    'availableReplicas',
    'unavailableReplicas',
    'terminatingReplicas',
    'collisionCount',
  ];
  const bounds = [...ofReplicas('updatedReplicas', 'readyReplicas', 'availableReplicas'), availableOfReady];
  return [...countErrors(change.object['status'], counts, bounds), ...collisionErrors(change)];
}

/** Validates the status of a ReplicaSet or ReplicationController (upstream: `ValidateReplicaSetStatusUpdate`). */
export function replicaSetStatusErrors({ object }: Change): FieldError[] {
  const counts = [
    'replicas',
    'fullyLabeledReplicas',
    'readyReplicas',
    'availableReplicas',
    'observedGeneration',
    'terminatingReplicas',
  ];
  const bounds = [...ofReplicas('fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'), availableOfReady];
  return countErrors(object['status'], counts, bounds);
}

/** Validates the status of a StatefulSet (upstream: `ValidateStatefulSetStatusUpdate`). */
export function statefulSetStatusErrors(change: Change): FieldError[] {
  const replicas = ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'];
  const counts = ['replicas', ...replicas, 'observedGeneration', 'collisionCount'];
  const bounds = [...ofReplicas(...replicas), { ...availableOfReady, shown: 'status.readyReplicas' }];
  return [...countErrors(change.object['status'], counts, bounds), ...collisionErrors(change)];
}

/** Validates the status of a DaemonSet (upstream: `ValidateDaemonSetStatusUpdate`). */
export function daemonSetStatusErrors(change: Change): FieldError[] {
  const counts = [
    'currentNumberScheduled',
    'numberMisscheduled',
    'desiredNumberScheduled',
    'numberReady',
    'observedGeneration',
    'updatedNumberScheduled',
    'numberAvailable',
    'numberUnavailable',
    'collisionCount',
  ];
  return [...countErrors(change.object['status'], counts), ...collisionErrors(change)];
}
