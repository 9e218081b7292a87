import { isDeepStrictEqual } from 'node:util';
import type { FieldError } from '../../status.ts';
import { invalidField, requiredField } from '../../status.ts';
import type { Change } from '../resource-type.ts';
import { valueAt } from '../resource-type.ts';
import { cronErrors, timeZoneErrors } from './cron.ts';
import { podSpecErrors } from './pod-spec.ts';
import { IMMUTABLE, nonNegative, oneOf, required } from './rules.ts';
import { sortedKeys } from './selector.ts';
import { templateErrors } from './workload.ts';

const COUNTS = ['parallelism', 'completions', 'activeDeadlineSeconds', 'backoffLimit', 'ttlSecondsAfterFinished'];
const FIXED = ['selector', 'completionMode', 'podFailurePolicy', 'backoffLimitPerIndex', 'managedBy', 'successPolicy'];
const UID = 'batch.kubernetes.io/controller-uid';

/** Validates the spec of a Job or of a CronJob's template, without its selector. */
function jobSpecErrors(path: string, spec: unknown): FieldError[] {
  const of = (field: string): readonly [string, unknown] => [`${path}.${field}`, valueAt(spec, field)];
  const errors = COUNTS.flatMap((field) => nonNegative(of(field)));
  errors.push(...oneOf(of('completionMode'), ['NonIndexed', 'Indexed']));
  if (valueAt(spec, 'completionMode') === 'Indexed') {
    errors.push(...required(of('completions'), 'when completion mode is Indexed'));
  }
  return errors;
}

function restartErrors(path: string, template: unknown): FieldError[] {
  const policy = valueAt(template, 'spec.restartPolicy');
  if (policy === 'OnFailure' || policy === 'Never') return [];
  return [requiredField(`${path}.spec.restartPolicy`, 'valid values: "OnFailure", "Never"')];
}

/** Validates a Job (upstream: `ValidateJob` and `ValidateJobUpdate`). */
export function jobErrors({ object, previous }: Change): FieldError[] {
  const spec = object['spec'];
  const errors = [...jobSpecErrors('spec', spec), ...generatedErrors(object)];
  const selector = valueAt(spec, 'selector');
  errors.push(...templateErrors(object, selector, false), ...restartErrors('spec.template', valueAt(spec, 'template')));
  return previous ? [...errors, ...updateErrors(spec, previous['spec'])] : errors;
}

function generatedErrors(object: Change['object']): FieldError[] {
  const selector = valueAt(object, 'spec.selector');
  if (valueAt(object, 'spec.manualSelector') === true) {
    return selector === undefined ? [requiredField('spec.selector', '')] : [];
  }
  const expected = { matchLabels: { [UID]: object.metadata.uid } };
  return isDeepStrictEqual(selector, expected)
    ? []
    : [invalidField('spec.selector', sortedKeys(selector), '`selector` not auto-generated')];
}

function updateErrors(spec: unknown, before: unknown): FieldError[] {
  const changed = (field: string): boolean => !isDeepStrictEqual(valueAt(spec, field), valueAt(before, field));
  const immutable = (field: string): FieldError => invalidField(`spec.${field}`, valueAt(spec, field), IMMUTABLE);
  const errors: FieldError[] = [];
  // The completions of an Indexed Job can change together with its parallelism.
  const isElastic =
    valueAt(spec, 'completionMode') === 'Indexed' && valueAt(spec, 'completions') === valueAt(spec, 'parallelism');
  if (changed('completions') && !isElastic) errors.push(immutable('completions'));
  const isSuspended = valueAt(before, 'suspend') === true;
  if (changed('template') && !isSuspended) errors.push(immutable('template'));
  return [...errors, ...FIXED.filter(changed).map(immutable)];
}

const LONGEST_CRON_JOB_NAME = 52;

/** Validates a CronJob (upstream: `ValidateCronJobSpec`). */
export function cronJobErrors({ object }: Change): FieldError[] {
  const { name } = object.metadata;
  const spec = object['spec'];
  const template = valueAt(spec, 'jobTemplate.spec');
  const path = 'spec.jobTemplate.spec';
  const of = (field: string): readonly [string, unknown] => [`spec.${field}`, valueAt(spec, field)];
  return [
    ...(name.length > LONGEST_CRON_JOB_NAME
      ? [invalidField('metadata.name', name, `must be no more than ${LONGEST_CRON_JOB_NAME} characters`)]
      : []),
    ...required(of('schedule')),
    ...cronErrors(...of('schedule')),
    ...nonNegative(of('startingDeadlineSeconds')),
    ...timeZoneErrors(...of('timeZone')),
    ...oneOf(of('concurrencyPolicy'), ['Allow', 'Forbid', 'Replace']),
    ...jobSpecErrors(path, template),
    ...podSpecErrors(`${path}.template.spec`, valueAt(template, 'template.spec')),
    ...restartErrors(`${path}.template`, valueAt(template, 'template')),
    ...nonNegative(of('successfulJobsHistoryLimit')),
    ...nonNegative(of('failedJobsHistoryLimit')),
  ];
}
