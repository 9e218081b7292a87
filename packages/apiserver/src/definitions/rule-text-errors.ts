import type { FieldError } from '../status.ts';
import { invalidField, requiredField, unsupportedField } from '../status.ts';
import { findField } from './field-path.ts';
import type { JsonSchema, ValidationRule } from './json-schema.ts';

const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];
const LINE_BREAK = /[\n\r]/;

/** Returns the errors in the fields of `x-kubernetes-validations`. Rules are not compiled. */
export function ruleTextErrors(schema: JsonSchema, path: string): FieldError[] {
  const rules = schema['x-kubernetes-validations'] ?? [];
  return rules.flatMap((rule, index) => textErrors(schema, rule, `${path}.x-kubernetes-validations[${index}]`));
}

function textErrors(schema: JsonSchema, rule: ValidationRule, path: string): FieldError[] {
  const { rule: text = '', message = '', messageExpression = '', reason, fieldPath = '' } = rule;
  const errors: FieldError[] = [];
  const trimmed = message.trim();
  if (text.trim() === '') errors.push(requiredField(`${path}.rule`, 'rule is not specified'));
  else if (message !== '' && trimmed === '') {
    errors.push(invalidField(`${path}.message`, message, 'must be non-empty if specified'));
  } else if (LINE_BREAK.test(trimmed)) {
    errors.push(invalidField(`${path}.message`, message, 'must not contain line breaks'));
  } else if (LINE_BREAK.test(text.trim()) && trimmed === '') {
    errors.push(requiredField(`${path}.message`, 'message must be specified if rule contains line breaks'));
  }
  if (messageExpression !== '' && messageExpression.trim() === '') {
    errors.push(requiredField(`${path}.messageExpression`, 'messageExpression must be non-empty if specified'));
  }
  if (reason !== undefined && !REASONS.includes(reason)) {
    errors.push(unsupportedField(`${path}.reason`, reason, REASONS));
  }
  if (fieldPath !== '') errors.push(...fieldPathErrors(schema, fieldPath, `${path}.fieldPath`));
  return errors;
}

function fieldPathErrors(schema: JsonSchema, fieldPath: string, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (fieldPath.trim() === '') errors.push(invalidField(path, fieldPath, 'must be non-empty if specified'));
  if (LINE_BREAK.test(fieldPath)) errors.push(invalidField(path, fieldPath, 'must not contain line breaks'));
  try {
    findField(fieldPath, schema);
  } catch {
    errors.push(invalidField(path, fieldPath, 'must be a valid path'));
  }
  return errors;
}
