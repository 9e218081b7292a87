import type { ReconcileOutcome } from '../fleet/fleet.ts';
import type { FailureKind } from '../metrics/controller-metrics.ts';
import { isPanic } from '../reconcile/panic.ts';
import type { Result } from '../reconcile/reconciler.ts';
import { isTerminal } from '../reconcile/terminal-error.ts';
import type { AddOptions } from '../workqueue/workqueue.ts';
import type { Conclusion } from './attempt.ts';
import { isReconcileTimeout } from './reconcile-timeout-error.ts';

/** What follows from a reconcile. */
export interface Verdict {
  readonly outcome: ReconcileOutcome['result'];
  /** As it was thrown. */
  readonly error?: unknown;
  /** Back into the queue. */
  readonly again?: AddOptions;
  /** Whether the request's backoff begins anew. */
  readonly forget: boolean;
  /** With the outcome `error`. */
  readonly failure?: FailureKind;
}

/** Decides what follows (RC-2, RC-3, RC-5). (Upstream: `reconcileHandler` of controller-runtime's controller.) */
export function judge(conclusion: Exclude<Conclusion, { type: 'aborted' }>): Verdict {
  if (conclusion.type === 'result') return judgeResult(conclusion.result ?? {});
  const { error } = conclusion;
  if (isTerminal(error)) return { outcome: 'error', error, failure: 'terminal', forget: true };
  return judgeFailure(error);
}

function judgeFailure(error: unknown): Verdict {
  const failure = isReconcileTimeout(error) ? 'timeout' : isPanic(error) ? 'panic' : 'error';
  return { outcome: 'error', error, failure, again: { after: 'backoff' }, forget: false };
}

function judgeResult({ requeueAfter = 0, requeue = false, priority }: Result): Verdict {
  const raised = priority === undefined ? {} : { priority };
  if (Number.isNaN(requeueAfter) || Number.isNaN(priority)) {
    return judgeFailure(new RangeError('requeueAfter and priority of a reconcile result must be numbers, found NaN'));
  }
  if (requeueAfter > 0) return { outcome: 'requeue_after', again: { after: requeueAfter, ...raised }, forget: true };
  if (requeue) return { outcome: 'requeue', again: { after: 'backoff', ...raised }, forget: false };
  return { outcome: 'success', forget: true };
}
