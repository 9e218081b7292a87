import { matchesLabels, parseLabelSelector } from '@mcr/client';
import type { FieldError } from '../../status.ts';
import { forbiddenField, invalidField, requiredField } from '../../status.ts';
import { listAt } from '../cells.ts';
import { labelValueErrors, qualifiedNameErrors } from '../names.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { at, labels } from './rules.ts';

/** Validates a label selector (upstream: `validation.ValidateLabelSelector` of apimachinery). */
export function selectorErrors([field, selector]: readonly [string, unknown]): FieldError[] {
  if (selector === undefined) return [];
  const expressions = listAt(selector, 'matchExpressions').flatMap((expression, index) =>
    expressionErrors(`${field}.matchExpressions[${index}]`, expression),
  );
  return [...labels(at(selector, field, 'matchLabels')), ...expressions];
}

function expressionErrors(field: string, expression: unknown): FieldError[] {
  const values = listAt(expression, 'values');
  const operator = scalarText(valueAt(expression, 'operator'));
  const errors = operatorErrors(field, operator, values.length);
  // An absent key is an empty one.
  const key = scalarText(valueAt(expression, 'key'));
  errors.push(...qualifiedNameErrors(key).map((detail) => invalidField(`${field}.key`, key, detail)));
  for (const [index, value] of values.entries()) {
    const details = labelValueErrors(scalarText(value));
    errors.push(...details.map((detail) => invalidField(`${field}.values[${index}]`, value, detail)));
  }
  return errors;
}

function operatorErrors(field: string, operator: string, count: number): FieldError[] {
  switch (operator) {
    case 'In':
    case 'NotIn':
      return count === 0
        ? [requiredField(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'")]
        : [];
    case 'Exists':
    case 'DoesNotExist':
      return count > 0
        ? [forbiddenField(`${field}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")]
        : [];
    default:
      return [invalidField(`${field}.operator`, operator, 'not a valid selector operator')];
  }
}

/** Reports whether a label selector that is valid selects labels. An empty one selects all, and an absent one none. */
export function selects(selector: unknown, of: unknown): boolean {
  const matchLabels = Object.entries((valueAt(selector, 'matchLabels') ?? {}) as Record<string, unknown>);
  const expressions = listAt(selector, 'matchExpressions').map((expression) => {
    const [key, operator] = ['key', 'operator'].map((name) => scalarText(valueAt(expression, name)));
    if (operator === 'Exists') return key;
    if (operator === 'DoesNotExist') return `!${key}`;
    return `${key} ${operator?.toLowerCase()} (${listAt(expression, 'values').map(scalarText).join(',')})`;
  });
  const labels = (of ?? {}) as Readonly<Record<string, string>>;
  if (matchLabels.length === 0 && expressions.length === 0) return selector !== undefined;
  // A label that is too long is refused elsewhere.
  if (!matchLabels.every(([key, value]) => labels[key] === scalarText(value))) return false;
  return expressions.length === 0 || matchesLabels(parseLabelSelector(expressions.join(',')), labels);
}

/** Returns a value whose maps have sorted keys, as upstream writes them into messages. */
export function sortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedKeys);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, child]) => [key, sortedKeys(child)]));
}

/** Returns a selector with its fields in the order of the Go type. */
export function orderedSelector(selector: unknown): unknown {
  if (selector === undefined) return undefined;
  const expressions = listAt(selector, 'matchExpressions').map((each) => {
    const values = valueAt(each, 'values');
    const [key, operator] = ['key', 'operator'].map((field) => scalarText(valueAt(each, field)));
    return { key, operator, ...(values !== undefined && { values }) };
  });
  const labels = valueAt(selector, 'matchLabels');
  return {
    ...(labels !== undefined && { matchLabels: sortedKeys(labels) }),
    ...(expressions.length > 0 && { matchExpressions: expressions }),
  };
}
