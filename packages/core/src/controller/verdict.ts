import { foundText } from '@mcr/client';
import type { ReconcileOutcome } from '../fleet/status/fleet.ts';
import type { FailureKind } from '../manager/metrics/controller-metrics.ts';
import { isPanic } from '../errors/panic.ts';
import { isClusterIsolated } from '../fleet/isolation/cluster-isolated-error.ts';
import type { ClusterName } from '../fleet/multicluster/cluster-name.ts';
import { isNotOwner } from '../fleet/multicluster/not-owner-error.ts';
import type { Result } from './reconcile/reconciler.ts';
import { thrownError } from './reconcile/thrown-error.ts';
import { isTerminal } from './reconcile/terminal-error.ts';
import type { AddOptions } from './workqueue/request-queue.ts';
import type { Conclusion } from './attempt.ts';
import { isCausedBy } from './cause.ts';
import { isReconcileTimeout } from './reconcile-timeout-error.ts';

/** Consequences of a reconcile. */
export interface Verdict {
  /** Absent if the reconcile does not count: neither as a success nor as a failure. */
  readonly outcome?: ReconcileOutcome['result'];
  /** The thrown value, if it is an `Error`. */
  readonly error?: Error;
  /** How the request returns to the queue, if it does. */
  readonly again?: AddOptions;
  /** Whether the request's backoff is reset. */
  readonly forget: boolean;
  /** Set if the outcome is `error`. */
  readonly failure?: FailureKind;
}

/** The cluster of a reconciled request. */
export interface JudgedCluster {
  readonly clusterName: ClusterName;
  /** Whether its lane in the queue is restricted. */
  readonly isIsolated: boolean;
  /** Whether the controller reconciles it only while this process owns it. */
  readonly isSharded: boolean;
}

const SUCCESS: Verdict = { outcome: 'success', forget: true };

/** Returns the consequences of a reconcile. (Upstream: `reconcileHandler` of controller-runtime's controller.) */
export function judge(conclusion: Conclusion, cluster: JudgedCluster): Verdict {
  if (conclusion.type === 'aborted') {
    return { forget: false, ...(conclusion.again && { again: conclusion.again }) };
  }
  if (conclusion.type === 'result') {
    return conclusion.result === undefined ? SUCCESS : judgeResult(conclusion.result);
  }
  const { error } = conclusion;
  const withdrawn = judgeWithdrawn(error, cluster);
  if (withdrawn) return withdrawn;
  if (isTerminal(error)) return { outcome: 'error', error: thrownError(error), failure: 'terminal', forget: true };
  return judgeFailure(error);
}

/**
 * Returns the consequences of an error that says only that the request's own cluster was withdrawn from this reconcile.
 * Its lane is restricted, and the request waits there. Or this replica may no longer write to it: then the request
 * waits until the cluster is disengaged, which drops it, because the next owner reconciles every object. If this replica
 * stays the owner, because it could only not renew its Lease in time, no other replica has the request. For a controller
 * that is not sharded, it is an ordinary error, because no other replica has its requests.
 */
function judgeWithdrawn(error: unknown, { clusterName, isIsolated, isSharded }: JudgedCluster): Verdict | undefined {
  const isParked = (cause: Error) => isIsolated && isClusterIsolated(cause) && cause.clusterName === clusterName;
  const isLost = (cause: Error) => isSharded && isNotOwner(cause) && cause.clusterName === clusterName;
  if (isCausedBy(error, isParked)) return { again: {}, forget: false };
  if (isCausedBy(error, (cause) => isParked(cause) || isLost(cause))) {
    return { again: { after: 'backoff' }, forget: false };
  }
  return undefined;
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
