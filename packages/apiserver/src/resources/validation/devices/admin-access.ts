import type { FieldError } from '../../../status.ts';
import { forbiddenField } from '../../../status.ts';
import { listAt } from '../../cells.ts';
import type { Change } from '../../resource-type.ts';
import { valueAt } from '../../resource-type.ts';

const LABEL = 'resource.kubernetes.io/admin-access';

/**
 * Admin access to devices needs a label of the namespace (upstream: `AuthorizedForAdmin`).
 *
 * @param spec the spec of the claim.
 */
export function adminRequestErrors(change: Change, spec: unknown): FieldError[] {
  const index = listAt(spec, 'devices.requests').findIndex((each) => valueAt(each, 'exactly.adminAccess') === true);
  return index < 0 ? [] : accessErrors(change, `spec.devices.requests[${index}].adminAccess`);
}

/** Like {@link adminRequestErrors}, for results of an allocation (upstream: `AuthorizedForAdminStatus`). */
export function adminResultErrors(change: Change): FieldError[] {
  const granted = (claim: unknown): number =>
    listAt(claim, 'status.allocation.devices.results').findIndex((each) => valueAt(each, 'adminAccess') === true);
  const index = granted(change.object);
  if (index < 0 || granted(change.previous) >= 0) return [];
  return accessErrors(change, `status.allocation.devices.results[${index}].adminAccess`);
}

function accessErrors({ object, store }: Change, field: string): FieldError[] {
  const namespace = store?.resource('namespaces').get(object.metadata.namespace ?? '');
  if (namespace?.labels[LABEL] === 'true') return [];
  const detail = `admin access to devices requires the \`${LABEL}: true\` label on the containing namespace`;
  return [forbiddenField(field, detail)];
}
