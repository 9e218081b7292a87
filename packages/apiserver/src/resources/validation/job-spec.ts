import type { FieldError } from '../../status.ts';
import { invalidField, requiredField, unsupportedField } from '../../status.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { prefixedPathErrors } from './ingress-class.ts';
import { failurePolicyErrors } from './job-failure-policy.ts';
import { internalSuccessPolicy, successPolicyErrors } from './job-success-policy.ts';
import { nonNegative, supported } from './rules.ts';
import { templateSpecErrors } from './workload.ts';

/** Rules and messages follow `pkg/apis/batch/validation`. */

const COUNTS = [
  ...['parallelism', 'completions', 'activeDeadlineSeconds', 'backoffLimit', 'ttlSecondsAfterFinished'],
  ...['backoffLimitPerIndex', 'maxFailedIndexes'],
];

/** Limit of parallelism, of failed indexes, and of completions without other limits. */
const MANY = 100_000;
/** Limits of Jobs with more completions than that. */
const FEW = 10_000;
const LONGEST_MANAGER = 63;

/** Validates the spec of a Job, or of a CronJob's template, without its selector (upstream: `validateJobSpec`). */
export function jobSpecErrors(path: string, spec: unknown): FieldError[] {
  const place = (field: string): readonly [string, unknown] => [`${path}.${field}`, valueAt(spec, field)];
  const [mode, managed] = [valueAt(spec, 'completionMode'), place('managedBy')];
  const isIndexed = mode === 'Indexed';
  const success = valueAt(spec, 'successPolicy');
  return [
    ...COUNTS.flatMap((field) => nonNegative(place(field))),
    ...(valueAt(spec, 'maxFailedIndexes') !== undefined && valueAt(spec, 'backoffLimitPerIndex') === undefined
      ? [requiredField(`${path}.backoffLimitPerIndex`, 'when maxFailedIndexes is specified')]
      : []),
    ...(managed[1] === undefined ? [] : managerErrors(managed[0], scalarText(managed[1]))),
    ...supported(place('completionMode'), ['NonIndexed', 'Indexed']),
    ...(isIndexed ? indexedErrors(path, spec) : []),
    ...(mode === undefined || mode === 'NonIndexed' ? unindexedErrors(path, spec) : []),
    ...failurePolicyErrors(path, spec),
    ...(success === undefined
      ? []
      : isIndexed
        ? successPolicyErrors(`${path}.successPolicy`, spec)
        : [invalidField(`${path}.successPolicy`, internalSuccessPolicy(success), 'requires indexed completion mode')]),
    ...supported(
      place('podReplacementPolicy'),
      valueAt(spec, 'podFailurePolicy') === undefined ? ['Failed', 'TerminatingOrFailed'] : ['Failed'],
    ),
    ...templateSpecErrors(`${path}.template`, valueAt(spec, 'template')),
    ...restartErrors(path, spec),
  ];
}

function managerErrors(field: string, manager: string): FieldError[] {
  const errors = prefixedPathErrors(field, manager);
  if (manager.length <= LONGEST_MANAGER) return errors;
  const message = `Too long: may not be more than ${LONGEST_MANAGER} bytes`;
  return [...errors, { reason: 'FieldValueTooLong', field, message }];
}

function indexedErrors(path: string, spec: unknown): FieldError[] {
  const [completions, parallelism, failed] = ['completions', 'parallelism', 'maxFailedIndexes'].map((field) =>
    valueAt(spec, field),
  );
  const errors: FieldError[] = [];
  const limit = (field: string, value: unknown, most: number, circumstance = ''): void => {
    if (typeof value !== 'number' || value <= most) return;
    errors.push(invalidField(`${path}.${field}`, value, `must be less than or equal to ${most}${circumstance}`));
  };
  if (completions === undefined) errors.push(requiredField(`${path}.completions`, 'when completion mode is Indexed'));
  limit('parallelism', parallelism, MANY, ' when completion mode is Indexed');
  if (typeof completions === 'number' && typeof failed === 'number' && failed > completions) {
    errors.push(invalidField(`${path}.maxFailedIndexes`, failed, 'must be less than or equal to completions'));
  }
  limit('maxFailedIndexes', failed, MANY);
  if (typeof completions !== 'number' || completions <= MANY) return errors;
  if (valueAt(spec, 'backoffLimitPerIndex') === undefined) return errors;
  if (failed === undefined) {
    errors.push(requiredField(`${path}.maxFailedIndexes`, `must be specified when completions is above ${MANY}`));
  }
  const circumstance = ` when completions are above ${MANY} and used with backoff limit per index`;
  limit('parallelism', parallelism, FEW, circumstance);
  limit('maxFailedIndexes', failed, FEW, circumstance);
  return errors;
}

function unindexedErrors(path: string, spec: unknown): FieldError[] {
  return ['backoffLimitPerIndex', 'maxFailedIndexes'].flatMap((field) => {
    const value = valueAt(spec, field);
    return value === undefined ? [] : [invalidField(`${path}.${field}`, value, 'requires indexed completion mode')];
  });
}

function restartErrors(path: string, spec: unknown): FieldError[] {
  const field = `${path}.template.spec.restartPolicy`;
  const policy = valueAt(spec, 'template.spec.restartPolicy') ?? '';
  if (policy === 'Always' || policy === '') return [requiredField(field, 'valid values: "OnFailure", "Never"')];
  if (policy !== 'OnFailure' && policy !== 'Never') return [unsupportedField(field, policy, ['OnFailure', 'Never'])];
  if (valueAt(spec, 'podFailurePolicy') === undefined || policy === 'Never') return [];
  return [invalidField(field, policy, 'only "Never" is supported when podFailurePolicy is specified')];
}
