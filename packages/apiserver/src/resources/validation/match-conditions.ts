import type { Declarations } from '../../admission/expression.ts';
import { compileExpression } from '../../admission/expression.ts';
import type { FieldError } from '../../status.ts';
import { duplicateField, invalidField, requiredField } from '../../status.ts';
import { listAt } from '../cells.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { isRepeated } from './admission-rules.ts';
import { at, qualifiedName } from './rules.ts';

const CONDITIONS_LIMIT = 64;

/** Validates the match conditions of a webhook or a policy. */
export function matchConditionErrors(owner: unknown, path: string, declarations: Declarations): FieldError[] {
  const conditions = listAt(owner, 'matchConditions');
  const errors: FieldError[] = [];
  if (conditions.length > CONDITIONS_LIMIT) {
    const message = `Too many: ${conditions.length}: must have at most ${CONDITIONS_LIMIT} items`;
    errors.push({ reason: 'FieldValueTooMany', field: path, message });
  }
  conditions.forEach((condition, index) => {
    const place = `${path}[${index}]`;
    const text = scalarText(valueAt(condition, 'expression')).trim();
    errors.push(...expressionErrors(text, `${place}.expression`, declarations));
    const name = scalarText(valueAt(condition, 'name'));
    errors.push(...(name === '' ? [requiredField(`${place}.name`, '')] : qualifiedName(at(condition, place, 'name'))));
    if (isRepeated(conditions, index, 'name')) errors.push(duplicateField(`${place}.name`, name));
  });
  return errors;
}

function expressionErrors(text: string, field: string, declarations: Declarations): FieldError[] {
  if (text === '') return [requiredField(field, '')];
  const { error } = compileExpression(text, ['bool'], declarations);
  return error === undefined ? [] : [invalidField(field, text, error)];
}
