import type { FieldError } from '../../../status.ts';
import { invalidField, requiredField } from '../../../status.ts';
import { listAt } from '../../cells.ts';
import type { Change } from '../../resource-type.ts';
import { scalarText } from '../../resource-type.ts';
import { jsonPathFault } from '../json-path.ts';
import { at, required } from '../rules.ts';
import { conditionsErrors } from './conditions.ts';

/** Validates the status of a ValidatingAdmissionPolicy (upstream: `validateValidatingAdmissionPolicyStatus`). */
export function policyStatusErrors({ object }: Change): FieldError[] {
  const { status } = object;
  const warnings = listAt(status, 'typeChecking.expressionWarnings').flatMap((warning, index) => {
    const field = `status.typeChecking.expressionWarnings[${index}]`;
    return [...required(at(warning, field, 'warning')), ...referenceErrors(...at(warning, field, 'fieldRef'))];
  });
  return [...warnings, ...conditionsErrors('status', status)];
}

function referenceErrors(field: string, reference: unknown): FieldError[] {
  const path = scalarText(reference).trim();
  if (path === '') return [requiredField(field, '')];
  const fault = jsonPathFault(path);
  return fault === undefined ? [] : [invalidField(field, path, `invalid JSONPath: ${fault}`)];
}
