import type { FieldError } from '../../status.ts';
import { invalidField } from '../../status.ts';
import { listAt } from '../cells.ts';
import { qualifiedNameErrors } from '../names.ts';
import type { Change } from '../resource-type.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { text } from './rules.ts';

const STANDARD = ['kubernetes', 'orphan', 'foregroundDeletion'];
const FINALIZERS = 'spec.finalizers';

/** Validates a Namespace (upstream: `ValidateNamespace` and its updates). Other updates keep the finalizers. */
export function namespaceErrors({ object, previous, subresource }: Change): FieldError[] {
  if (subresource === 'status') return phaseErrors(object);
  if (previous && subresource === undefined) return [];
  return listAt(object, FINALIZERS).flatMap((finalizer, index) =>
    finalizerErrors(subresource === undefined ? FINALIZERS : `${FINALIZERS}[${index}]`, scalarText(finalizer)),
  );
}

function finalizerErrors(field: string, finalizer: string): FieldError[] {
  const isKnown = finalizer.includes('/') || STANDARD.includes(finalizer);
  const rule = 'name is neither a standard finalizer name nor is it fully qualified';
  return [...text([field, finalizer], qualifiedNameErrors), ...(isKnown ? [] : [invalidField(field, finalizer, rule)])];
}

function phaseErrors(object: Change['object']): FieldError[] {
  const isDeleted = object.metadata.deletionTimestamp !== undefined;
  const [phase, state] = isDeleted ? ['Terminating', 'not empty'] : ['Active', 'empty'];
  const found = scalarText(valueAt(object, 'status.phase'));
  if (found === phase) return [];
  return [invalidField('status.Phase', found, `may only be '${phase}' if \`deletionTimestamp\` is ${state}`)];
}
