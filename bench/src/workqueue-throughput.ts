import type { ReconcileRequest } from '@mcr/core';
import { requestKey, requestType, WorkQueue } from '@mcr/core';
import type { Scenario } from './scenario.ts';
import { medianTime } from './scenario.ts';

const CLUSTERS = 100;
/** One of a hundred requests is delayed by a millisecond, and a third have the priority of an initial list. */
const DELAYED_OF = 100;
const LOW_PRIORITY_OF = 3;

/** Unmeasured runs of each case: a controller runs for long, so its code is compiled. */
const WARM_UP_RUNS = 10;

/** P-3: requests per second that a workqueue accepts, hands out and completes. */
export const workqueueThroughput: Scenario = {
  id: 'P-3',
  title: 'workqueue add, get, done with priority, fairness over 100 clusters, and delay; 100,000 keys',
  unit: 'items/s',
  goal: '≥ 1,000,000 items/s',
  isMet: ({ value }) => value >= 1_000_000,

  async measure(size) {
    const runs = size === 'full' ? 9 : 1;
    const requests = requestsOf(size === 'full' ? 100_000 : 1_000);
    const timeOf = async (work: () => unknown) => {
      if (size === 'full') await medianTime(WARM_UP_RUNS, work);
      return await medianTime(runs, work);
    };
    const value = await timeOf(() => throughQueue(requests));
    const floor = await timeOf(() => throughMapAndArray(requests));
    const perSecond = (time: number) => (requests.length * 1000) / time;
    return { value: perSecond(value), floor: perSecond(floor), details: {} };
  },
};

export async function throughQueue(requests: readonly ReconcileRequest[]): Promise<void> {
  const queue = new WorkQueue<ReconcileRequest>({ requestType });
  for (const [index, request] of requests.entries()) {
    const priority = index % LOW_PRIORITY_OF === 0 ? -100 : 0;
    queue.add(request, index % DELAYED_OF === 0 ? { priority, after: 1 } : { priority });
  }
  for (let left = requests.length; left > 0; left--) {
    const item = queue.tryGet() ?? (await queue.get());
    if (!item) throw new Error(`the queue still has ${left} requests at the end`);
    queue.done(item);
  }
  queue.shutDown();
}

export function throughMapAndArray(requests: readonly ReconcileRequest[]): void {
  const pending = new Map<string, ReconcileRequest>();
  const order: string[] = [];
  for (const request of requests) {
    const key = requestKey(request);
    if (!pending.has(key)) order.push(key);
    pending.set(key, request);
  }
  for (const key of order) pending.delete(key);
}

export function requestsOf(count: number): ReconcileRequest[] {
  return Array.from({ length: count }, (_, index) => ({
    clusterName: `cluster-${index % CLUSTERS}`,
    namespace: 'default',
    name: `object-${index}`,
  }));
}
