import type { FieldError } from '../../status.ts';
import { invalidField, requiredField } from '../../status.ts';
import { listAt } from '../cells.ts';
import { valueAt } from '../resource-type.ts';
import { atMost, nonNegative } from './rules.ts';

const MOST_RULES = 20;
const LONGEST_INDEXES = 64 * 1024;

/** Validates when a Job has succeeded (upstream: `validateSuccessPolicy`). */
export function successPolicyErrors(field: string, spec: unknown): FieldError[] {
  const rules = listAt(spec, 'successPolicy.rules');
  const completions = Number(valueAt(spec, 'completions') ?? 0);
  const missing = 'at least one rules must be specified when the successPolicy is specified';
  return [
    ...(rules.length === 0 ? [requiredField(`${field}.rules`, missing)] : []),
    ...atMost(`${field}.rules`, rules.length, MOST_RULES),
    ...rules.flatMap((rule, index) => ruleErrors(`${field}.rules[${index}]`, rule, completions)),
  ];
}

function ruleErrors(field: string, rule: unknown, completions: number): FieldError[] {
  const [indexes, count] = ['succeededIndexes', 'succeededCount'].map((name) => valueAt(rule, name));
  const missing = 'at least one of succeededCount or succeededIndexes must be specified';
  const parsed = typeof indexes === 'string' ? countIndexes(indexes, completions) : 0;
  const place = `${field}.succeededIndexes`;
  const errors: FieldError[] = count === undefined && indexes === undefined ? [requiredField(field, missing)] : [];
  if (typeof indexes === 'string' && indexes.length > LONGEST_INDEXES) {
    const message = `Too long: may not be more than ${LONGEST_INDEXES} bytes`;
    errors.push({ reason: 'FieldValueTooLong', field: place, message });
  }
  if (typeof parsed === 'string') {
    errors.push(invalidField(place, indexes, `error parsing succeededIndexes: ${parsed}`));
  }
  if (typeof count !== 'number') return errors;
  const own = `${field}.succeededCount`;
  const total = typeof parsed === 'number' ? parsed : 0;
  const most = (limit: number, what: string): FieldError =>
    invalidField(own, count, `must be less than or equal to ${limit} (the number of ${what})`);
  return [
    ...errors,
    ...nonNegative([own, count]),
    ...(count > completions ? [most(completions, 'specified completions')] : []),
    ...(indexes !== undefined && count > total ? [most(total, 'indexes in the specified succeededIndexes field')] : []),
  ];
}

/** Returns the number of indexes in a text such as `1,3-5`, or why it is not one. */
function countIndexes(text: string, completions: number): number | string {
  if (text === '') return 0;
  let last: number | undefined;
  let total = 0;
  const decreasing = (previous: number, current: number): string =>
    `non-increasing order, previous: ${previous}, current: ${current}`;
  for (const interval of text.split(',')) {
    const parts = interval.split('-');
    if (parts.length > 2) {
      return `the fragment ${JSON.stringify(interval)} violates the requirement that an index interval can have at most two parts separated by '-'`;
    }
    for (const part of parts) {
      if (!/^[+-]?\d+$/u.test(part)) return `cannot convert string to integer for index: ${JSON.stringify(part)}`;
      if (Number(part) >= completions) return `too large index: ${JSON.stringify(part)}`;
    }
    const [from = 0, to = from] = parts.map(Number);
    if (parts.length > 1 && from >= to) return decreasing(from, to);
    if (last !== undefined && last >= from) return decreasing(last, from);
    total += to - from + 1;
    last = to;
  }
  return total;
}

/** Returns a success policy as the internal type of upstream writes it. */
export function internalSuccessPolicy(policy: unknown): object | null {
  if (policy === undefined) return null;
  const rules = valueAt(policy, 'rules');
  if (!Array.isArray(rules)) return { Rules: null };
  return {
    Rules: listAt(policy, 'rules').map((rule) => ({
      SucceededIndexes: valueAt(rule, 'succeededIndexes') ?? null,
      SucceededCount: valueAt(rule, 'succeededCount') ?? null,
    })),
  };
}
