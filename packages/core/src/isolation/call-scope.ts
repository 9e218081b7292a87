import { AsyncLocalStorage } from 'node:async_hooks';
import type { PendingCall } from './pending-call.ts';

/** The reconcile that calls are sent from. */
export interface CallScope {
  /** Calls without response headers yet, to whichever cluster. */
  readonly calls: Set<PendingCall>;
  /** Why further calls of it are refused: its worker serves other clusters by now. */
  readonly preempted: Error | undefined;
  /** Whether the reconcile has ended. Calls that it left behind are nobody's. */
  readonly ended: boolean;
}

/** A worker of a controller, and the reconcile that it runs. */
export interface WorkerScope {
  current: CallScope | undefined;
}

/**
 * One context for each worker instead of one for each reconcile: to enter a context takes longer than a reconcile that
 * does nothing.
 */
const storage = new AsyncLocalStorage<WorkerScope>();

/** Calls `work`; calls to clusters in it, and in what it starts, are of `worker`'s current reconcile. */
export function withinWorker<T>(worker: WorkerScope, work: () => T): T {
  return storage.run(worker, work);
}

/** The reconcile that the caller runs in. */
export function currentScope(): CallScope | undefined {
  const scope = storage.getStore()?.current;
  return scope?.ended ? undefined : scope;
}
