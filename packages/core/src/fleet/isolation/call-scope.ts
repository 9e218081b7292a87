import { AsyncLocalStorage } from 'node:async_hooks';
import type { CallScope } from './pending-call.ts';

/** A worker of a controller, and its current reconcile. */
export interface WorkerScope {
  current: CallScope | undefined;
}

/** One context per worker, not per reconcile, because entering a context takes longer than a reconcile without work. */
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
