import type { FieldError } from '../../status.ts';
import { invalidField, unsupportedField } from '../../status.ts';
import { labelValueErrors } from '../names.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { at, oneOf, qualifiedName } from './rules.ts';

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

/** Validates tolerations (upstream: `ValidateTolerations`). */
export function tolerationErrors(path: string, tolerations: readonly unknown[]): FieldError[] {
  return tolerations.flatMap((toleration, index) => {
    const field = `${path}[${index}]`;
    const operator = scalarText(valueAt(toleration, 'operator'));
    const [key, value] = ['key', 'value'].map((name) => scalarText(valueAt(toleration, name)));
    const errors = qualifiedName([`${field}.key`, key]);
    if (key === '' && operator !== 'Exists') {
      errors.push(
        invalidField(
          `${field}.operator`,
          operator,
          'operator must be Exists when `key` is empty, which means "match all values and all keys"',
        ),
      );
    }
    const seconds = valueAt(toleration, 'tolerationSeconds');
    if (seconds !== undefined && valueAt(toleration, 'effect') !== 'NoExecute') {
      const detail = "effect must be 'NoExecute' when `tolerationSeconds` is set";
      errors.push(invalidField(`${field}.effect`, valueAt(toleration, 'effect') ?? '', detail));
    }
    if (operator === 'Equal' || operator === '') {
      const details = labelValueErrors(value ?? '');
      // Upstream names the operator and shows the value.
      if (details.length > 0) errors.push(invalidField(`${field}.operator`, value, details.join(';')));
    }
    if (operator === 'Exists' && value !== '') {
      errors.push(invalidField(`${field}.operator`, value, "value must be empty when `operator` is 'Exists'"));
    }
    if (operator !== '' && operator !== 'Equal' && operator !== 'Exists') {
      errors.push(unsupportedField(`${field}.operator`, operator, operatorsFor(operator)));
    }
    errors.push(...oneOf(at(toleration, field, 'effect'), EFFECTS));
    return errors;
  });
}

/** Numeric comparisons are behind a feature gate, which is off, but listed as supported. */
function operatorsFor(operator: string): readonly string[] {
  return ['Equal', 'Exists', ...(operator === 'Lt' || operator === 'Gt' ? ['Lt', 'Gt'] : [])];
}
