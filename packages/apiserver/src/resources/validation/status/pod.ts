import type { FieldError } from '../../../status.ts';
import { duplicateField, forbiddenField, invalidField } from '../../../status.ts';
import { listAt } from '../../cells.ts';
import { qualifiedNameErrors, subdomainErrors } from '../../names.ts';
import type { Change } from '../../resource-type.ts';
import { scalarText, valueAt } from '../../resource-type.ts';
import { isEmpty, unchanged } from '../rules.ts';
import { restartErrors, userErrors } from './container.ts';
import { podAddressErrors } from './pod-addresses.ts';

/** Conditions of the system, whose names need not be valid. */
const SYSTEM_CONDITIONS: readonly unknown[] = ['PodScheduled', 'Ready', 'Initialized'];

/** Validates the status of a Pod (upstream: `ValidatePodStatusUpdate`). */
export function podStatusErrors({ object, previous }: Change): FieldError[] {
  const observed = Number(valueAt(object, 'status.observedGeneration') ?? 0);
  return [
    ...podConditionErrors(object),
    ...nominationErrors(object, previous),
    ...(observed < 0 ? [invalidField('status.observedGeneration', observed, 'must be a non-negative integer')] : []),
    ...unchanged(
      ['status.qosClass', scalarText(valueAt(object, 'status.qosClass'))],
      scalarText(valueAt(previous, 'status.qosClass')),
    ),
    ...restartErrors(object, previous),
    ...claimErrors(object),
    ...podAddressErrors(object, previous),
    ...userErrors(object),
  ];
}

function podConditionErrors(pod: Change['object']): FieldError[] {
  return listAt(pod, 'status.conditions').flatMap((condition, index) => {
    const field = `status.conditions[${index}]`;
    const observed = Number(valueAt(condition, 'observedGeneration') ?? 0);
    const type = scalarText(valueAt(condition, 'type'));
    const errors = SYSTEM_CONDITIONS.includes(type) ? [] : qualifiedNameErrors(type);
    return [
      ...(observed < 0
        ? [invalidField(`${field}.observedGeneration`, observed, 'must be a non-negative integer')]
        : []),
      ...errors.map((detail) => invalidField(`${field}.Type`, type, detail)),
    ];
  });
}

function nominationErrors(pod: Change['object'], previous: Change['previous']): FieldError[] {
  const field = 'status.nominatedNodeName';
  const [name, before] = [pod, previous].map((each) => scalarText(valueAt(each, field)));
  if (name === undefined || name === '' || name === before) return [];
  const isBound = !isEmpty(valueAt(previous, 'spec.nodeName'));
  return [
    ...subdomainErrors(name).map((detail) => invalidField(field, name, detail)),
    ...(isBound ? [forbiddenField(field, 'may not be set on pods that are already bound to a node')] : []),
  ];
}

function claimErrors(pod: Change['object']): FieldError[] {
  const known = listAt(pod, 'spec.resourceClaims').map((claim) => valueAt(claim, 'name'));
  const statuses = listAt(pod, 'status.resourceClaimStatuses');
  const names = statuses.map((status) => scalarText(valueAt(status, 'name')));
  return statuses.flatMap((status, index) => {
    const field = `status.resourceClaimStatuses[${index}].name`;
    const name = names[index] ?? '';
    const claim = valueAt(status, 'resourceClaimName');
    return [
      ...(known.includes(name)
        ? []
        : [invalidField(field, name, 'must match the name of an entry in `spec.resourceClaims`')]),
      ...(names.indexOf(name) < index ? [duplicateField(field, name)] : []),
      ...(claim === undefined ? [] : subdomainErrors(scalarText(claim))).map((detail) =>
        invalidField(field, claim, detail),
      ),
    ];
  });
}
