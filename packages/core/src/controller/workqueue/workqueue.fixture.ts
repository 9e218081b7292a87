import { VirtualClock } from '@mcr/client/testing';
import type { ReconcileRequest } from '../reconcile/request.ts';
import { requestType } from '../reconcile/request.ts';
import type { QueueItem } from './item.ts';
import type { WorkQueueOptions } from './workqueue.ts';
import { WorkQueue } from './workqueue.ts';

/** Creates a queue in virtual time. */
export function setUp(options: Partial<WorkQueueOptions<ReconcileRequest>> = {}) {
  const clock = new VirtualClock();
  return { clock, queue: new WorkQueue<ReconcileRequest>({ requestType, clock, ...options }) };
}

/** Returns a request in the namespace `default`. */
export function request(name: string, clusterName = 'a'): ReconcileRequest {
  return { clusterName, namespace: 'default', name };
}

/** Takes the next request. @throws {Error} if there is none. */
export function take(queue: WorkQueue<ReconcileRequest>): QueueItem<ReconcileRequest> {
  const item = queue.tryGet();
  if (!item) throw new Error('the queue has nothing to hand out');
  return item;
}

/** Takes and completes all requests one after another, and returns their names. */
export function drain(queue: WorkQueue<ReconcileRequest>): string[] {
  const names: string[] = [];
  for (let item = queue.tryGet(); item; item = queue.tryGet()) {
    names.push(item.request.name);
    queue.done(item);
  }
  return names;
}
