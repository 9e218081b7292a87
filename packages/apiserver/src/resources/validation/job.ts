import { isDeepStrictEqual } from 'node:util';
import type { FieldError } from '../../status.ts';
import { invalidField, requiredField, unsupportedField } from '../../status.ts';
import { dnsLabelErrors } from '../names.ts';
import { emptyCollection } from '../../schema/empty-collections.ts';
import type { JsonObject } from '../../storage/stored-object.ts';
import type { Change } from '../resource-type.ts';
import { internalTemplate } from '../internal/internal-value.ts';
import { valueAt } from '../resource-type.ts';
import { cronErrors, timeZoneErrors } from './cron.ts';
import { internalFailurePolicy } from './job-failure-policy.ts';
import { jobSpecErrors } from './job-spec.ts';
import { internalSuccessPolicy } from './job-success-policy.ts';
import { IMMUTABLE, nonNegative, oneOf, required, unchanged } from './rules.ts';
import { orderedSelector, selectorErrors, selects, sortedKeys } from './selector.ts';

const UID = 'batch.kubernetes.io/controller-uid';

/** Validates a Job (upstream: `ValidateJob` and `ValidateJobUpdate`). */
export function jobErrors({ object, previous, subresource }: Change): FieldError[] {
  if (subresource === 'status') return [];
  const spec = object['spec'];
  const errors = [
    ...generatedErrors(object, previous),
    ...jobSpecErrors('spec', spec),
    ...selectionErrors(spec),
    ...hostErrors(object),
  ];
  return previous ? [...errors, ...updateErrors(spec, previous)] : errors;
}

/** The name of an Indexed Job becomes a part of the names of its hosts. */
function hostErrors({ metadata, spec }: Change['object']): FieldError[] {
  const completions = Number(valueAt(spec, 'completions') ?? 0);
  if (valueAt(spec, 'completionMode') !== 'Indexed' || completions < 1) return [];
  const host = `${metadata.name}-${completions - 1}`;
  if (dnsLabelErrors(host).length === 0) return [];
  const detail = `will not able to create pod with invalid DNS label: ${host}`;
  return [invalidField('metadata.name', metadata.name, detail)];
}

function selectionErrors(spec: unknown): FieldError[] {
  const selector = valueAt(spec, 'selector');
  const of = valueAt(spec, 'template.metadata.labels');
  const errors =
    selector === undefined ? [requiredField('spec.selector', '')] : selectorErrors(['spec.selector', selector]);
  if ((selector !== undefined && errors.length > 0) || selects(selector, of)) return errors;
  const detail = '`selector` does not match template `labels`';
  const shown = of ?? emptyCollection(valueAt(spec, 'template.metadata'), 'labels') ?? null;
  return [...errors, invalidField('spec.template.metadata.labels', sortedKeys(shown), detail)];
}

/** The server generates the selector, and the labels that it selects, unless the client does. */
function generatedErrors({ metadata, spec }: Change['object'], previous: Change['previous']): FieldError[] {
  const selector = valueAt(spec, 'selector');
  if (valueAt(spec, 'manualSelector') === true || selector === undefined) return [];
  const found = labelsOf({ spec });
  const { name, uid } = metadata;
  // Old Jobs have only the labels without a domain.
  const isOld = previous !== undefined && labelsOf(previous)[UID] === undefined;
  const domain = isOld ? {} : { [UID]: uid, 'batch.kubernetes.io/job-name': name };
  const expected = { 'controller-uid': uid, 'job-name': name, ...domain };
  const errors = Object.entries(expected).flatMap(([label, value]) => {
    const field = `spec.template.metadata.labels[${label}]`;
    if (found[label] === value) return [];
    const rule = `must be '${value}'`;
    return [found[label] === undefined ? requiredField(field, rule) : invalidField(field, sortedKeys(found), rule)];
  });
  if (selectorErrors(['spec.selector', selector]).length > 0 || selects(selector, expected)) return errors;
  return [...errors, invalidField('spec.selector', orderedSelector(selector), '`selector` not auto-generated')];
}

function labelsOf(job: object): Readonly<Record<string, unknown>> {
  return (valueAt(job, 'spec.template.metadata.labels') ?? {}) as Record<string, unknown>;
}

function updateErrors(spec: unknown, previous: Change['object']): FieldError[] {
  const before = previous['spec'];
  const fixed = (field: string, shown: (value: unknown) => unknown = (value) => value): FieldError[] => {
    const [value, earlier] = [spec, before].map((each) => valueAt(each, field));
    return isDeepStrictEqual(value, earlier) ? [] : [invalidField(`spec.${field}`, shown(value), IMMUTABLE)];
  };
  return [
    ...completionsErrors(spec, before),
    ...fixed('selector', orderedSelector),
    ...templateChangeErrors(spec, previous),
    ...fixed('completionMode'),
    ...fixed('podFailurePolicy', internalFailurePolicy),
    ...fixed('backoffLimitPerIndex'),
    ...fixed('managedBy'),
    ...fixed('successPolicy', internalSuccessPolicy),
  ];
}

/** The completions of an Indexed Job can change together with its parallelism. */
function completionsErrors(spec: unknown, before: unknown): FieldError[] {
  const [value, earlier] = [spec, before].map((each) => valueAt(each, 'completions'));
  if (valueAt(spec, 'completionMode') !== 'Indexed') return unchanged(['spec.completions', value], earlier);
  if (value === earlier || value === undefined || value === valueAt(spec, 'parallelism')) return [];
  return [invalidField('spec.completions', value, 'can only be modified in tandem with spec.parallelism')];
}

/** The Pods of a suspended Job that has not started may be scheduled otherwise. */
function templateChangeErrors(spec: unknown, previous: Change['object']): FieldError[] {
  const isNew = valueAt(previous, 'status.startTime') === undefined;
  const isMutable = isNew && valueAt(previous, 'spec.suspend') === true;
  const [template, earlier] = [spec, previous['spec']].map((each) => {
    const own = valueAt(each, 'template');
    return isMutable ? unscheduled(own) : own;
  });
  if (isDeepStrictEqual(template, earlier)) return [];
  return [invalidField('spec.template', internalTemplate(valueAt(spec, 'template')), IMMUTABLE)];
}

function unscheduled(template: unknown): object {
  const {
    nodeSelector: _selector,
    tolerations: _tolerations,
    schedulingGates: _gates,
    affinity,
    ...pod
  } = (valueAt(template, 'spec') ?? {}) as JsonObject;
  const { nodeAffinity: _, ...others } = (affinity ?? {}) as JsonObject;
  const {
    labels: _labels,
    annotations: _annotations,
    ...metadata
  } = (valueAt(template, 'metadata') ?? {}) as JsonObject;
  return { metadata, ...pod, ...(Object.keys(others).length > 0 && { affinity: others }) };
}

/** The selector of each Job of a CronJob is generated. */
function generatedTemplateErrors(path: string, spec: unknown): FieldError[] {
  const selector = valueAt(spec, 'selector');
  const rule = '`selector` will be auto-generated';
  return [
    ...(selector === undefined ? [] : [invalidField(`${path}.selector`, orderedSelector(selector), rule)]),
    ...(valueAt(spec, 'manualSelector') === true
      ? [unsupportedField(`${path}.manualSelector`, true, ['nil', 'false'])]
      : []),
  ];
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
    ...required(of('schedule')),
    ...cronErrors(...of('schedule')),
    ...nonNegative(of('startingDeadlineSeconds')),
    ...timeZoneErrors(...of('timeZone')),
    ...oneOf(of('concurrencyPolicy'), ['Allow', 'Forbid', 'Replace']),
    ...jobSpecErrors(path, template),
    ...generatedTemplateErrors(path, template),
    ...nonNegative(of('successfulJobsHistoryLimit')),
    ...nonNegative(of('failedJobsHistoryLimit')),
    ...(name.length > LONGEST_CRON_JOB_NAME
      ? [invalidField('metadata.name', name, `must be no more than ${LONGEST_CRON_JOB_NAME} characters`)]
      : []),
  ];
}
