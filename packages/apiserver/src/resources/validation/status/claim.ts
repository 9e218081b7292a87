import type { FieldError } from '../../../status.ts';
import { invalidField, unsupportedField } from '../../../status.ts';
import { qualifiedNameErrors } from '../../names.ts';
import { parseQuantity } from '../../quantity.ts';
import type { Change } from '../../resource-type.ts';
import { scalarText, valueAt } from '../../resource-type.ts';

const NANO = 1_000_000_000n;
const RESIZES = [
  'ControllerResizeInProgress',
  'ControllerResizeInfeasible',
  'NodeResizeInProgress',
  'NodeResizeInfeasible',
  'NodeResizePending',
];

/** Validates the status of a PersistentVolumeClaim (upstream: `ValidatePersistentVolumeClaimStatusUpdate`). */
export function claimStatusErrors({ object }: Change): FieldError[] {
  const of = (field: string): [string, unknown][] =>
    Object.entries((valueAt(object, `status.${field}`) ?? {}) as Record<string, unknown>);
  return [
    ...of('capacity').flatMap(([name, amount]) => amountErrors(`status.capacity[${name}]`, amount)),
    ...of('allocatedResourceStatuses').flatMap(([name, resize]) => [
      ...resourceErrors('status.allocatedResourceStatuses', name),
      // Upstream shows the name of the resource.
      ...(RESIZES.includes(scalarText(resize))
        ? []
        : [unsupportedField('status.allocatedResourceStatuses', name, RESIZES)]),
    ]),
    ...of('allocatedResources').flatMap(([name, amount]) => {
      const errors = resourceErrors('status.allocatedResources', name);
      return errors.length > 0 ? errors : amountErrors(`status.allocatedResources[${name}]`, amount);
    }),
  ];
}

function amountErrors(field: string, amount: unknown): FieldError[] {
  const { nano } = parseQuantity(amount) ?? { nano: 0n };
  if (nano > -NANO) return [];
  return [invalidField(field, Number(nano / NANO), 'must be a valid resource quantity')];
}

/** A resource of Kubernetes itself can only be the storage. */
function resourceErrors(field: string, name: string): FieldError[] {
  const errors = qualifiedNameErrors(name).map((detail) => invalidField(field, name, detail));
  const isNative = !name.includes('/') || name.includes('kubernetes.io/');
  if (errors.length > 0 || !isNative || name === 'storage') return errors;
  return [unsupportedField(field, name, ['storage'])];
}
