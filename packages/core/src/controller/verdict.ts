import { foundText } from '@mcr/client';
import type { ReconcileOutcome } from '../fleet/status/fleet.ts';
import type { FailureKind } from '../manager/metrics/controller-metrics.ts';
import { isPanic } from '../errors/panic.ts';
import type { Result } from './reconcile/reconciler.ts';
import { thrownError } from './reconcile/thrown-error.ts';
import { isTerminal } from './reconcile/terminal-error.ts';
import type { AddOptions } from './workqueue/request-queue.ts';
import type { Conclusion } from './attempt.ts';
import { isReconcileTimeout } from './reconcile-timeout-error.ts';

/** Consequences of a reconcile. */
export interface Verdict {
  readonly outcome: ReconcileOutcome['result'];
  /** The thrown value, if it is an `Error`. */
  readonly error?: Error;
  /** How the request returns to the queue, if it does. */
  readonly again?: AddOptions;
  /** Whether the request's backoff is reset. */
  readonly forget: boolean;
  /** Set if the outcome is `error`. */
  readonly failure?: FailureKind;
}

const SUCCESS: Verdict = { outcome: 'success', forget: true };

/** Returns the consequences of a reconcile. (Upstream: `reconcileHandler` of controller-runtime's controller.) */
export function judge(conclusion: Exclude<Conclusion, { type: 'aborted' }>): Verdict {
  if (conclusion.type === 'result') {
    return conclusion.result === undefined ? SUCCESS : judgeResult(conclusion.result);
  }
  const { error } = conclusion;
  if (isTerminal(error)) return { outcome: 'error', error: thrownError(error), failure: 'terminal', forget: true };
  return judgeFailure(error);
}

function judgeFailure(error: unknown): Verdict {
  const failure = isReconcileTimeout(error) ? 'timeout' : isPanic(error) ? 'panic' : 'error';
  return { outcome: 'error', error: thrownError(error), failure, again: { after: 'backoff' }, forget: false };
}

function judgeResult(result: Result): Verdict {
  const mistake = mistakeIn(result);
  if (mistake) return judgeFailure(mistake);
  const { requeueAfter = 0, requeue = false, priority } = result;
  const raised = priority === undefined ? {} : { priority };
  if (Number.isNaN(requeueAfter) || Number.isNaN(priority)) {
    return judgeFailure(new RangeError('requeueAfter and priority of a reconcile result must be numbers, found NaN'));
  }
  if (requeueAfter > 0) return { outcome: 'requeue_after', again: { after: requeueAfter, ...raised }, forget: true };
  if (requeue) return { outcome: 'requeue', again: { after: 'backoff', ...raised }, forget: false };
  return SUCCESS;
}

/** The type of each field of a {@link Result}. */
const FIELD_TYPES: ReadonlyMap<string, string> = new Map(
  Object.entries({ requeueAfter: 'number', requeue: 'boolean', priority: 'number' } satisfies Record<
    keyof Result,
    string
  >),
);

/** Describes why a value is not a result. Plain JavaScript may return anything. */
function mistakeIn(result: unknown): TypeError | undefined {
  if (typeof result !== 'object' || result === null || Array.isArray(result)) {
    return new TypeError(
      `a reconcile result must be undefined or an object, found ${foundText(result)}: return nothing, { requeueAfter: <milliseconds> } or { requeue: true }`,
    );
  }
  for (const [field, value] of Object.entries(result)) {
    const expected = FIELD_TYPES.get(field);
    if (expected === undefined) {
      return new TypeError(
        `a reconcile result has the unknown field ${JSON.stringify(field)}: the fields are requeueAfter (in milliseconds), requeue and priority`,
      );
    }
    if (value !== undefined && typeof value !== expected) {
      return new TypeError(
        `the field ${field} of a reconcile result must be a ${expected}, found ${foundText(value)}: return a ${expected}, or leave it out`,
      );
    }
  }
  return undefined;
}
