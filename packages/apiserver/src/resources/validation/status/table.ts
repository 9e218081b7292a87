import type { FieldError } from '../../../status.ts';
import type { Change } from '../../resource-type.ts';
import { claimStatusErrors as deviceClaimStatusErrors } from '../devices/claim-status.ts';
import { policyStatusErrors } from './admission-policy.ts';
import { claimStatusErrors } from './claim.ts';
import { typedConditionsErrors } from './conditions.ts';
import { budgetStatusErrors } from './disruption-budget.ts';
import { jobStatusErrors } from './job.ts';
import { podStatusErrors } from './pod.ts';
import {
  daemonSetStatusErrors,
  deploymentStatusErrors,
  replicaSetStatusErrors,
  statefulSetStatusErrors,
} from './replicas.ts';

type Rules = (change: Change) => FieldError[];

const flowControlStatusErrors: Rules = ({ object }) => typedConditionsErrors('status', object['status']);

/** Rules for writes of the status, by kind. Upstream checks nothing in the status of a CronJob. */
const rules: Readonly<Record<string, Rules>> = {
  CronJob: () => [],
  DaemonSet: daemonSetStatusErrors,
  Deployment: deploymentStatusErrors,
  FlowSchema: flowControlStatusErrors,
  Job: jobStatusErrors,
  PersistentVolumeClaim: claimStatusErrors,
  Pod: podStatusErrors,
  PodDisruptionBudget: budgetStatusErrors,
  PriorityLevelConfiguration: flowControlStatusErrors,
  ReplicaSet: replicaSetStatusErrors,
  ReplicationController: replicaSetStatusErrors,
  ResourceClaim: deviceClaimStatusErrors,
  StatefulSet: statefulSetStatusErrors,
  ValidatingAdmissionPolicy: policyStatusErrors,
};

/**
 * Returns rules that validate writes of the status of a kind by its own rules, and other writes by `others`.
 *
 * @param placesMetadata whether the rules include the errors of the metadata.
 */
export function withStatusRules(
  kind: string,
  others: Rules | undefined,
  placesMetadata: boolean | undefined,
): Rules | undefined {
  const ofStatus = Object.hasOwn(rules, kind) ? rules[kind] : undefined;
  if (!ofStatus) return others;
  return (change) => {
    if (change.subresource !== 'status') return others?.(change) ?? [];
    const { metadataErrors = [] } = change;
    return [...(placesMetadata ? metadataErrors : []), ...ofStatus(change)];
  };
}
