import type { FieldError } from '../../status.ts';
import { invalidField } from '../../status.ts';
import { qualifiedNameErrors } from '../names.ts';

/** Names of resources (upstream: `pkg/apis/core/helper`). */

const AMOUNTS = ['cpu', 'memory', 'ephemeral-storage'];
const COUNTED = [
  ...['pods', 'resourcequotas', 'services', 'replicationcontrollers', 'secrets', 'configmaps'],
  ...['persistentvolumeclaims', 'services.nodeports', 'services.loadbalancers', 'requests.storage'],
];

const QUOTA = new Set([
  ...['', 'requests.', 'limits.'].flatMap((part) => AMOUNTS.map((name) => part + name)),
  ...COUNTED,
]);

const isHuge = (name: string): boolean => /^(?:requests\.)?hugepages-/u.test(name);

/** Reports whether a quota can limit a resource without a domain. */
export function isQuotaResource(name: string): boolean {
  return QUOTA.has(name) || isHuge(name);
}

/** Validates the name of a resource (upstream: `validateResourceName`). */
export function resourceNameErrors(field: string, name: string): FieldError[] {
  const details = qualifiedNameErrors(name);
  if (details.length > 0) return details.map((detail) => invalidField(field, name, detail));
  if (name.includes('/') || name === 'storage' || isQuotaResource(name)) return [];
  return [invalidField(field, name, 'must be a standard resource type or fully qualified')];
}

/** Validates the name of a resource of a container (upstream: `ValidateContainerResourceName`). */
export function containerResourceNameErrors(field: string, name: string): FieldError[] {
  const errors = resourceNameErrors(field, name);
  if (!name.includes('/')) {
    const isStandard = AMOUNTS.includes(name) || name.startsWith('hugepages-');
    return isStandard ? errors : [...errors, invalidField(field, name, 'must be a standard resource for containers')];
  }
  if (name.includes('kubernetes.io/')) return errors;
  const isExtended = !name.startsWith('requests.') && qualifiedNameErrors(`requests.${name}`).length === 0;
  return isExtended ? errors : [...errors, invalidField(field, name, "doesn't follow extended resource name standard")];
}
