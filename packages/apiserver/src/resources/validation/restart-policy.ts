import type { FieldError } from '../../status.ts';
import { forbiddenField, requiredField, unsupportedField } from '../../status.ts';
import { listAt } from '../cells.ts';
import { scalarText, valueAt } from '../resource-type.ts';

const POLICIES = ['Always', 'Never', 'OnFailure'];
const OPERATORS = ['In', 'NotIn'];
const MOST = { rules: 20, values: 255 };

/** Validates when a container restarts (upstream: `validateContainerRestartPolicy`). */
export function restartPolicyErrors(field: string, container: unknown): FieldError[] {
  const policy = valueAt(container, 'restartPolicy');
  const rules = listAt(container, 'restartPolicyRules');
  if (policy === undefined && rules.length === 0) return [];
  const errors: FieldError[] = [];
  if (policy === undefined) errors.push(missing(field));
  else if (!POLICIES.includes(scalarText(policy))) {
    errors.push(unsupportedField(`${field}.restartPolicy`, policy, POLICIES));
  }
  if (rules.length > MOST.rules) errors.push(tooLong(`${field}.restartPolicyRules`, MOST.rules));
  return [...errors, ...rules.flatMap((rule, index) => ruleErrors(`${field}.restartPolicyRules[${index}]`, rule))];
}

/** Like {@link restartPolicyErrors}, for an init container (upstream: `validateInitContainerRestartPolicy`). */
export function initRestartPolicyErrors(field: string, container: unknown): FieldError[] {
  const policy = valueAt(container, 'restartPolicy');
  const hasRules = listAt(container, 'restartPolicyRules').length > 0;
  if (policy === undefined) return hasRules ? [missing(field)] : [];
  if (policy !== 'Always') return restartPolicyErrors(field, container);
  const detail = 'restartPolicyRules are not allowed for init containers with restart policy Always';
  return hasRules ? [forbiddenField(`${field}.restartPolicyRules`, detail)] : [];
}

const missing = (field: string): FieldError =>
  requiredField(`${field}.restartPolicy`, 'must specify restartPolicy when restart rules are used');

const tooLong = (field: string, most: number): FieldError => {
  return { reason: 'FieldValueTooLong', field, message: `Too long: may not be more than ${most} bytes` };
};

function ruleErrors(field: string, rule: unknown): FieldError[] {
  const action = scalarText(valueAt(rule, 'action'));
  const codes = valueAt(rule, 'exitCodes');
  const errors = action === 'Restart' ? [] : [unsupportedField(`${field}.action`, action, ['Restart'])];
  if (codes === undefined) return [...errors, requiredField(`${field}.exitCodes`, 'must be specified')];
  const operator = scalarText(valueAt(codes, 'operator'));
  if (!OPERATORS.includes(operator)) {
    errors.push(unsupportedField(`${field}.exitCodes.operator`, operator, OPERATORS));
  }
  if (listAt(codes, 'values').length > MOST.values) errors.push(tooLong(`${field}.exitCodes.values`, MOST.values));
  return errors;
}
