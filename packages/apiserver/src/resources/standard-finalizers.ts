import type { FieldError } from '../status.ts';
import { invalidField } from '../status.ts';
import type { ResourceType } from './resource-type.ts';
import { apiVersionOf } from './resource-type.ts';

const STANDARD: ReadonlySet<string> = new Set(['foregroundDeletion', 'kubernetes', 'orphan']);

/** Groups whose kinds have finalizers without a domain: upstream validates their metadata with apimachinery alone. */
const OPEN_GROUPS: ReadonlySet<string> = new Set([
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
]);

/** Kinds of other groups that have finalizers without a domain, in their versions. */
const OPEN_KINDS: ReadonlySet<string> = new Set([
  'v1 Event',
  'coordination.k8s.io/v1 Lease',
  'node.k8s.io/v1 RuntimeClass',
  'policy/v1 PodDisruptionBudget',
]);

/** Kinds whose status can be written with finalizers without a domain. */
const OPEN_STATUSES: ReadonlySet<string> = new Set([
  'CronJob',
  'FlowSchema',
  'PriorityLevelConfiguration',
  'ResourceClaim',
  'ServiceCIDR',
  'VolumeAttachment',
]);

/** A finalizer of most built-in kinds has a domain. (Upstream: `ValidateObjectMeta` of `pkg/apis/core/validation`.) */
export function standardFinalizerErrors(
  type: ResourceType,
  finalizers: readonly string[],
  subresource: string | undefined,
): FieldError[] {
  const { builtIn, group, kind } = type;
  if (!builtIn || OPEN_GROUPS.has(group) || OPEN_KINDS.has(`${apiVersionOf(type)} ${kind}`)) return [];
  if (subresource === 'status' && OPEN_STATUSES.has(kind)) return [];
  return finalizers.flatMap((finalizer, index) => {
    if (finalizer.includes('/') || STANDARD.has(finalizer)) return [];
    const detail = 'name is neither a standard finalizer name nor is it fully qualified';
    return [invalidField(`metadata.finalizers[${index}]`, finalizer, detail)];
  });
}
