import { AsyncLocalStorage } from 'node:async_hooks';
import type { WriteFence } from './write-fence.ts';

const reconciles = new AsyncLocalStorage<WriteFence | undefined>();
const calls = new AsyncLocalStorage<WriteFence>();

/**
 * Runs a reconcile whose request belongs to the cluster or slot of `fence`. Its writes to the local cluster pass the fence,
 * and so do those of work that it starts and does not wait for.
 */
export function withinReconcile<T>(fence: WriteFence, reconcile: () => T): T {
  return reconciles.run(fence, reconcile);
}

/** Runs work that a reconcile may have started, and that does not belong to it. */
export function outsideReconcile<T>(work: () => T): T {
  return reconciles.run(undefined, work);
}

/** Returns the fence of the reconcile that the caller belongs to, also if that has ended. `undefined`: none. */
export function reconcileFence(): WriteFence | undefined {
  return reconciles.getStore();
}

/**
 * Runs a call whose writes, to any cluster, pass `fence` and no other. It is for clusters that share the connection of
 * another one.
 */
export function withFence<T>(fence: WriteFence, call: () => T): T {
  return calls.run(fence, call);
}

/** Returns the fence of the caller's {@link withFence}. `undefined`: none. */
export function callFence(): WriteFence | undefined {
  return calls.getStore();
}
