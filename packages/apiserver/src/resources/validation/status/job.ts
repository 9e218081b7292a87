import { isDeepStrictEqual } from 'node:util';
import type { FieldError } from '../../../status.ts';
import { duplicateField, invalidField, requiredField } from '../../../status.ts';
import type { ApiObject } from '../../../storage/stored-object.ts';
import { listAt } from '../../cells.ts';
import type { Change } from '../../resource-type.ts';
import { scalarText, valueAt } from '../../resource-type.ts';
import { at, IMMUTABLE, nonNegative } from '../rules.ts';
import { indexesError, sharedIndex } from './job-indexes.ts';

const COUNTS = ['active', 'succeeded', 'failed', 'ready', 'terminating'];
const UNCOUNTED = ['succeeded', 'failed'];

/** A Job as the rules of its status see it. */
interface JobState {
  readonly job: ApiObject | undefined;
  readonly isTrue: (condition: string) => boolean;
  readonly field: (name: string) => unknown;
  readonly isFinished: boolean;
}

function stateOf(job: ApiObject | undefined): JobState {
  const has = (condition: string, status: string): boolean =>
    listAt(job, 'status.conditions').some(
      (each) => valueAt(each, 'type') === condition && valueAt(each, 'status') === status,
    );
  const isTrue = (condition: string): boolean => has(condition, 'True');
  return {
    job,
    isTrue,
    field: (name) => valueAt(job, `status.${name}`),
    isFinished: isTrue('Complete') || isTrue('Failed'),
  };
}

/**
 * Validates the status of a Job (upstream: `ValidateJobUpdateStatus`). Most rules hold only if the write changes the
 * fields that they are about (upstream: `getStatusValidationOptions` of the strategy).
 */
export function jobStatusErrors({ object, previous }: Change): FieldError[] {
  const [next, before] = [stateOf(object), stateOf(previous)];
  const conditionChanged = (...conditions: readonly string[]): boolean =>
    conditions.some((condition) => next.isTrue(condition) !== before.isTrue(condition));
  const changed = (...fields: readonly string[]): boolean =>
    fields.some((field) => !isDeepStrictEqual(next.field(field), before.field(field)));
  const change: JobChange = {
    next,
    before,
    conditionChanged,
    changed,
    finishedChanged: next.isFinished !== before.isFinished,
  };
  return [
    ...COUNTS.flatMap((field) => nonNegative(at(object['status'], 'status', field))),
    ...uncountedErrors(object),
    ...conditionErrors(change),
    ...finishedErrors(change),
    ...indexErrors(change),
    ...countErrors(change),
    ...successErrors(change),
    ...transitionErrors(change),
  ];
}

interface JobChange {
  readonly next: JobState;
  readonly before: JobState;
  readonly conditionChanged: (...conditions: readonly string[]) => boolean;
  readonly changed: (...fields: readonly string[]) => boolean;
  readonly finishedChanged: boolean;
}

/** Returns an error about the conditions, which shows no value. */
function ofConditions(isWrong: boolean, detail: string): FieldError[] {
  if (!isWrong) return [];
  return [{ reason: 'FieldValueInvalid', field: 'status.conditions', message: `Invalid value: ${detail}` }];
}

function uncountedErrors(job: ApiObject): FieldError[] {
  const seen = new Set<unknown>();
  return UNCOUNTED.flatMap((list) =>
    listAt(job, `status.uncountedTerminatedPods.${list}`).flatMap((uid, index) => {
      const field = `status.uncountedTerminatedPods.${list}[${index}]`;
      if (uid === '') return [invalidField(field, uid, 'must not be empty')];
      if (seen.has(uid)) return [duplicateField(field, uid)];
      seen.add(uid);
      return [];
    }),
  );
}

function conditionErrors({ next, conditionChanged, changed }: JobChange): FieldError[] {
  const [isComplete, isFailed] = [next.isTrue('Complete'), next.isTrue('Failed')];
  const [start, end] = ['startTime', 'completionTime'].map(next.field);
  const endField = 'status.completionTime';
  const endChanged = conditionChanged('Complete') || changed('completionTime');
  const isEarly = typeof start === 'string' && typeof end === 'string' && Date.parse(end) < Date.parse(start);
  return [
    ...ofConditions(
      conditionChanged('Complete', 'Failed') && isComplete && isFailed,
      'cannot set Complete=True and Failed=true conditions',
    ),
    ...ofConditions(
      conditionChanged('Complete', 'FailureTarget') && isComplete && next.isTrue('FailureTarget'),
      'cannot set Complete=True and FailureTarget=true conditions',
    ),
    ...(endChanged && end !== undefined && !isComplete
      ? [invalidField(endField, end, 'cannot set completionTime when there is no Complete=True condition')]
      : []),
    ...(endChanged && end === undefined && isComplete
      ? [requiredField(endField, 'completionTime is required for Complete jobs')]
      : []),
    ...(changed('startTime', 'completionTime') && isEarly
      ? [invalidField(endField, end, 'must be equal to or after `startTime`')]
      : []),
    ...ofConditions(
      (conditionChanged('Failed') || changed('failedIndexes')) && isFailed && !next.isTrue('FailureTarget'),
      'cannot set Failed=True condition without the FailureTarget=true condition',
    ),
    ...ofConditions(
      conditionChanged('Complete', 'SuccessCriteriaMet') && isComplete && !next.isTrue('SuccessCriteriaMet'),
      'cannot set Complete=True condition without the SuccessCriteriaMet=true condition',
    ),
  ];
}

function finishedErrors({ next, changed, finishedChanged }: JobChange): FieldError[] {
  if (!next.isFinished) return [];
  const active = Number(next.field('active') ?? 0);
  const never = valueAt(next.job, 'spec.suspend') === true && valueAt(next.job, 'spec.completions') === 0;
  const uncounted = next.field('uncountedTerminatedPods');
  const [succeeded, failed] = UNCOUNTED.map((list) => valueAt(uncounted, list));
  const isUncounted = UNCOUNTED.some((list) => listAt(uncounted, list).length > 0);
  return [
    ...((finishedChanged || changed('active')) && active > 0
      ? [invalidField('status.active', active, 'active>0 is invalid for finished job')]
      : []),
    ...((finishedChanged || changed('startTime')) && !never && next.field('startTime') === undefined
      ? [requiredField('status.startTime', 'startTime is required for finished job')]
      : []),
    ...((finishedChanged || changed('uncountedTerminatedPods')) && isUncounted
      ? [
          invalidField(
            'status.uncountedTerminatedPods',
            { Succeeded: succeeded ?? null, Failed: failed ?? null },
            'must be empty for finished job',
          ),
        ]
      : []),
  ];
}

function indexErrors({ next, changed }: JobChange): FieldError[] {
  const completions = valueAt(next.job, 'spec.completions');
  const hasLimit = valueAt(next.job, 'spec.backoffLimitPerIndex') !== undefined;
  const isIndexed = valueAt(next.job, 'spec.completionMode') === 'Indexed';
  const completed = scalarText(next.field('completedIndexes'));
  const failed = next.field('failedIndexes');
  const [completedField, failedField] = ['status.completedIndexes', 'status.failedIndexes'];
  const [completedChanged, failedChanged] = [changed('completedIndexes'), changed('failedIndexes')];
  const errors: FieldError[] = [];
  if (completedChanged && typeof completions === 'number') {
    const error = indexesError(completed, completions);
    if (error) errors.push(invalidField(completedField, completed, `error parsing completedIndexes: ${error}`));
  }
  if (failedChanged && typeof completions === 'number' && hasLimit && typeof failed === 'string') {
    const error = indexesError(failed, completions);
    if (error) errors.push(invalidField(failedField, failed, `error parsing failedIndexes: ${error}`));
  }
  if (completedChanged && completed !== '' && !isIndexed) {
    const detail = 'cannot set non-empty completedIndexes when non-indexed completion mode';
    errors.push(invalidField(completedField, completed, detail));
  }
  if (failedChanged && !hasLimit && failed !== undefined) {
    const detail = 'cannot set non-null failedIndexes when backoffLimitPerIndex is null';
    errors.push(invalidField(failedField, failed, detail));
  }
  if ((completedChanged || failedChanged) && typeof completions === 'number' && typeof failed === 'string') {
    const shared = sharedIndex(completed, failed, completions);
    const detail = `failedIndexes and completedIndexes overlap at index: ${shared}`;
    if (shared !== undefined) errors.push(invalidField(failedField, failed, detail));
  }
  return errors;
}

function countErrors({ next, changed, finishedChanged }: JobChange): FieldError[] {
  const [active = 0, ready = 0, terminating = 0] = ['active', 'ready', 'terminating'].map((name) =>
    Number(next.field(name) ?? 0),
  );
  const hasReady = next.field('ready') !== undefined;
  return [
    ...((finishedChanged || changed('terminating')) && next.isFinished && terminating > 0
      ? [invalidField('status.terminating', terminating, 'terminating>0 is invalid for finished job')]
      : []),
    ...(changed('ready', 'active') && hasReady && ready > active
      ? [invalidField('status.ready', ready, 'cannot set more ready pods than active')]
      : []),
  ];
}

function successErrors({ next }: JobChange): FieldError[] {
  const isMet = next.isTrue('SuccessCriteriaMet');
  const hasPolicy = valueAt(next.job, 'spec.successPolicy') !== undefined;
  return [
    ...ofConditions(isMet && next.isTrue('Failed'), 'cannot set SuccessCriteriaMet=True and Failed=true conditions'),
    ...ofConditions(
      isMet && next.isTrue('FailureTarget'),
      'cannot set SuccessCriteriaMet=True and FailureTarget=true conditions',
    ),
    ...ofConditions(
      hasPolicy && !isMet && next.isTrue('Complete'),
      'cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True',
    ),
  ];
}

function transitionErrors({ next, before, changed }: JobChange): FieldError[] {
  const { job } = next;
  const decreased = (field: string): boolean => Number(next.field(field) ?? 0) < Number(before.field(field) ?? 0);
  const decrease = (field: string): FieldError[] =>
    decreased(field)
      ? [invalidField(`status.${field}`, Number(next.field(field) ?? 0), `cannot decrease the ${field} counter`)]
      : [];
  // An elastic Job can be scaled down.
  const isElastic =
    valueAt(job, 'spec.completionMode') === 'Indexed' &&
    valueAt(job, 'spec.completions') === valueAt(job, 'spec.parallelism');
  const [end, earlierEnd] = [next, before].map((state) => state.field('completionTime'));
  const isResuming = before.isTrue('Suspended') && isFalse(next, 'Suspended');
  const isRunning = valueAt(job, 'spec.suspend') !== true;
  return [
    ...['Failed', 'Complete', 'FailureTarget'].flatMap((type) =>
      ofConditions(before.isTrue(type) && !next.isTrue(type), `cannot disable the terminal ${type}=True condition`),
    ),
    ...decrease('failed'),
    ...(isElastic ? [] : decrease('succeeded')),
    ...(end !== undefined && earlierEnd !== undefined && end !== earlierEnd
      ? [invalidField('status.completionTime', end, IMMUTABLE)]
      : []),
    ...(changed('startTime') && !isResuming && before.field('startTime') !== undefined && isRunning
      ? [requiredField('status.startTime', 'startTime cannot be removed for unsuspended job')]
      : []),
    ...ofConditions(
      before.isTrue('SuccessCriteriaMet') && !next.isTrue('SuccessCriteriaMet'),
      'cannot disable the SuccessCriteriaMet=True condition',
    ),
    ...ofConditions(
      before.isTrue('Complete') && !before.isTrue('SuccessCriteriaMet') && next.isTrue('SuccessCriteriaMet'),
      'cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions',
    ),
  ];
}

function isFalse({ job }: JobState, type: string): boolean {
  return listAt(job, 'status.conditions').some(
    (each) => valueAt(each, 'type') === type && valueAt(each, 'status') === 'False',
  );
}
