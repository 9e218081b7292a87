import { VirtualClock } from '@mcr/client/testing';
import type { Request } from '../reconcile/request.ts';
import { requestType } from '../reconcile/request.ts';
import type { QueueItem } from './item.ts';
import type { WorkQueueOptions } from './workqueue.ts';
import { WorkQueue } from './workqueue.ts';

/** A queue in virtual time. */
export function setUp(options: Partial<WorkQueueOptions<Request>> = {}) {
  const clock = new VirtualClock();
  return { clock, queue: new WorkQueue<Request>({ requestType, clock, ...options }) };
}

/** A request in `default`. */
export function request(name: string, clusterName = 'a'): Request {
  return { clusterName, namespace: 'default', name };
}

/** Takes the next request, which there must be. */
export function take(queue: WorkQueue<Request>): QueueItem<Request> {
  const item = queue.tryGet();
  if (!item) throw new Error('the queue has nothing to hand out');
  return item;
}

/** The names of the requests that are handed out one after another, each done before the next. */
export function drain(queue: WorkQueue<Request>): string[] {
  const names: string[] = [];
  for (let item = queue.tryGet(); item; item = queue.tryGet()) {
    names.push(item.request.name);
    queue.done(item);
  }
  return names;
}
