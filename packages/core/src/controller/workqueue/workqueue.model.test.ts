import { describe, it } from '@jest/globals';
import { VirtualClock } from '@mcr/client/testing';
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { ReconcileRequest } from '../reconcile/request.ts';
import { requestKey, requestType } from '../reconcile/request.ts';
import type { QueueItem } from './item.ts';
import type { AddOptions } from './request-queue.ts';
import { WorkQueue } from './workqueue.ts';

fc.configureGlobal({ seed: 1 });

const CAP = 2;

interface Pending {
  readonly request: ReconcileRequest;
  priority: number;
  readyAt: number;
  /** When it started to wait, which is its order within cluster and priority. */
  ready: number | undefined;
  /** When its time was set, which is its order among equal times. */
  added: number;
}

/** A simple model of the queue, with lists that are searched, sorted and filtered at every step. */
class ModelQueue {
  pending: Pending[] = [];
  processing: { request: ReconcileRequest; dropped: boolean }[] = [];
  /** Clusters whose requests are held back. */
  readonly #held = new Set<string>();
  /** Clusters that may be served in the order of their turns, by priority. */
  readonly turns = new Map<number, string[]>();
  #count = 0;

  add(now: number, request: ReconcileRequest, { after = 0, priority = 0 }: AddOptions): void {
    assert(after !== 'backoff');
    const key = requestKey(request);
    const readyAt = after > 0 ? now + after : 0;
    const present = this.pending.find((item) => requestKey(item.request) === key);
    if (!present) this.pending.push({ request, priority, readyAt, ready: undefined, added: (this.#count += 1) });
    else {
      // With another priority, it moves to the end.
      if (priority > present.priority) present.ready = undefined;
      present.priority = Math.max(priority, present.priority);
      if (readyAt < present.readyAt) present.added = this.#count += 1;
      present.readyAt = Math.min(readyAt, present.readyAt);
    }
    this.update(now);
  }

  get(): string | undefined {
    const priority = Math.max(...[...this.turns.keys()].filter((level) => this.turns.get(level)?.length));
    const cluster = this.turns.get(priority)?.shift();
    const [next] = this.pending
      .filter((item) => item.request.clusterName === cluster && item.priority === priority && item.ready !== undefined)
      .sort((a, b) => (a.ready ?? 0) - (b.ready ?? 0));
    if (!next || cluster === undefined) return undefined;
    this.turns.get(priority)?.push(cluster);
    this.pending = this.pending.filter((item) => item !== next);
    this.processing.push({ request: next.request, dropped: false });
    this.#updateTurns();
    return `${requestKey(next.request)} at ${next.priority}`;
  }

  done(now: number, key: string, priority: number, again: AddOptions | undefined): void {
    const item = this.processing.find(({ request }) => requestKey(request) === key);
    assert(item);
    // Added before the end of processing, so that it is merged with additions in the meantime.
    if (again && !item.dropped) this.add(now, item.request, { priority, ...again });
    this.processing = this.processing.filter((other) => other !== item);
    this.#updateTurns();
    this.update(now);
  }

  drop(clusterName: string): void {
    this.pending = this.pending.filter(({ request }) => request.clusterName !== clusterName);
    for (const item of this.processing) if (item.request.clusterName === clusterName) item.dropped = true;
    this.#updateTurns();
  }

  hold(clusterName: string): void {
    this.#held.add(clusterName);
    this.#updateTurns();
  }

  resume(clusterName: string): void {
    this.#held.delete(clusterName);
    this.#updateTurns();
  }

  /** Moves due items to the waiting ones, in the order of their times. */
  update(now: number): void {
    const due = this.pending
      .filter((item) => item.ready === undefined && item.readyAt <= now && !this.#isProcessing(item))
      .sort((a, b) => a.readyAt - b.readyAt || a.added - b.added);
    for (const item of due) {
      item.ready = this.#count += 1;
      this.#updateTurns();
    }
    this.#updateTurns();
  }

  #isProcessing(item: Pending): boolean {
    return this.processing.some(({ request }) => requestKey(request) === requestKey(item.request));
  }

  #updateTurns(): void {
    const eligible = this.pending
      .filter(({ ready, request }) => {
        if (this.#held.has(request.clusterName)) return false;
        const running = this.processing.filter((other) => other.request.clusterName === request.clusterName).length;
        return ready !== undefined && running < CAP;
      })
      .sort((a, b) => (a.ready ?? 0) - (b.ready ?? 0));
    for (const level of new Set([...this.turns.keys(), ...eligible.map(({ priority }) => priority)])) {
      const clusters = new Set(eligible.filter((i) => i.priority === level).map((i) => i.request.clusterName));
      const before = (this.turns.get(level) ?? []).filter((name) => clusters.has(name));
      this.turns.set(level, [...new Set([...before, ...clusters])]);
    }
  }
}

const options = fc.record(
  { after: fc.constantFrom(0, 3, 7), priority: fc.constantFrom(-100, 0, 10) },
  { requiredKeys: [] },
);
const command = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('add' as const),
      name: fc.constantFrom('x', 'y', 'z'),
      cluster: fc.constantFrom('a', 'b', 'c'),
      options,
    }),
  },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('get' as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({ type: fc.constant('done' as const), nth: fc.nat(5), again: fc.option(options) }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('advance' as const), by: fc.constantFrom(1, 2, 5) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('drop' as const), cluster: fc.constantFrom('a', 'b') }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constantFrom('hold' as const, 'resume' as const),
      cluster: fc.constantFrom('a', 'b'),
    }),
  },
);

describe('workqueue and its model', () => {
  it('WQ-1 to WQ-4, WQ-6, WQ-9 to WQ-11, SH-5: hands out the same as the model under any schedule', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { maxLength: 60, size: 'max' }), async (commands) => {
        const clock = new VirtualClock();
        const queue = new WorkQueue<ReconcileRequest>({ requestType, clock, maxConcurrentPerCluster: CAP });
        const model = new ModelQueue();
        const taken: QueueItem<ReconcileRequest>[] = [];
        for (const step of commands) {
          switch (step.type) {
            case 'add': {
              const request = { clusterName: step.cluster, namespace: '', name: step.name };
              queue.add(request, step.options);
              model.add(clock.now(), request, step.options);
              break;
            }
            case 'get': {
              const item = queue.tryGet();
              assert.equal(item && `${requestKey(item.request)} at ${item.priority}`, model.get());
              if (item) taken.push(item);
              break;
            }
            case 'done': {
              const [item] = taken.splice(step.nth % (taken.length || 1), 1);
              if (!item) break;
              queue.done(item, step.again ?? undefined);
              model.done(clock.now(), requestKey(item.request), item.priority, step.again ?? undefined);
              break;
            }
            case 'advance':
              for (let ms = 0; ms < step.by; ms++) {
                await clock.advance(1);
                model.update(clock.now());
              }
              break;
            case 'drop':
              queue.dropCluster(step.cluster);
              model.drop(step.cluster);
              break;
            case 'hold':
            case 'resume':
              queue[step.type](step.cluster);
              model[step.type](step.cluster);
              break;
          }
          assert.equal(queue.length, model.pending.filter(({ ready }) => ready !== undefined).length);
        }
        queue.shutDown();
        assert.equal(clock.pendingTimers, 0);
      }),
      { numRuns: 1_000 },
    );
  });
});
