import { AsyncLocalStorage } from 'node:async_hooks';
import type { PendingCall } from './pending-call.ts';

/** The reconcile that sends calls. */
export interface CallScope {
  /** Calls without a complete response yet, to any cluster. */
  readonly calls: Set<PendingCall>;
  /** Why further calls are refused: its worker serves other clusters now. */
  readonly preempted: Error | undefined;
  /** Aborts when the result of the reconcile no longer counts: its controller stops, its cluster left or its time is up. */
  readonly signal: AbortSignal;
  /** Whether the reconcile has ended. Calls that it left behind belong to no reconcile. */
  readonly ended: boolean;
}

/** A worker of a controller, and its current reconcile. */
export interface WorkerScope {
  current: CallScope | undefined;
}

/**
 * One context per worker, not per reconcile: entering a context takes longer than a reconcile that does nothing.
 */
const storage = new AsyncLocalStorage<WorkerScope>();

/** Runs `work`. Its calls to clusters, and those of the work that it starts, belong to `worker`'s current reconcile. */
export function withinWorker<T>(worker: WorkerScope, work: () => T): T {
  return storage.run(worker, work);
}

/** Returns the reconcile that the caller runs in. */
export function currentScope(): CallScope | undefined {
  const scope = storage.getStore()?.current;
  return scope?.ended ? undefined : scope;
}
