import { afterEach, describe, expect, it } from '@jest/globals';
import { ConfigMap } from '@mcr/client';
import type { Reconciler } from './reconcile/reconciler.ts';
import { FakeMetrics } from './fake-metrics.fixture.ts';
import { RunningController } from './running-controller.fixture.ts';

const never = () => new Promise<void>(() => undefined);

describe('a reconcile with a deadline', () => {
  let running: RunningController;
  afterEach(async () => {
    await running.stop().catch(() => undefined);
    expect(running.fake.clock.pendingTimers).toBe(0);
  });
  const results = () => running.fake.outcomes.map(({ result }) => result);
  const errorLines = () => running.fake.lines.filter(({ level }) => level === 'error');

  it('RC-6: reconciliationTimeout aborts the signal and retries; the cluster stays engaged', async () => {
    const reasons: unknown[] = [];
    const metrics = new FakeMetrics();
    let calls = 0;
    const reconciler: Reconciler = (_, { signal }) => {
      calls += 1;
      if (calls > 1) return Promise.resolve();
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          reasons.push(signal.reason);
          reject(signal.reason as Error);
        });
      });
    };
    running = new RunningController({ reconciliationTimeout: 100, reconciler }, { metrics });
    const member = await running.engage('a', 'x');
    await running.advance(99);
    expect(reasons).toEqual([]);
    await running.advance(1);
    expect(reasons).toMatchObject([
      { name: 'ReconcileTimeoutError', message: 'the reconcile took longer than 100 ms' },
    ]);
    expect(metrics.ended).toMatchObject([{ result: 'error', failure: 'timeout', duration: 100 }]);
    await running.advance(5);
    expect(results()).toEqual(['error', 'success']);
    expect(member.informer(ConfigMap).handlers.size).toBe(1);
  });

  it('RC-6, WQ-3: a reconcile that ends after its deadline is retried only once it has ended', async () => {
    const late = Promise.withResolvers<void>();
    running = new RunningController({ reconciliationTimeout: 100, reconciler: () => late.promise });
    await running.engage('a', 'x');
    await running.advance(500);
    expect(running.seen).toHaveLength(1);
    late.resolve();
    await running.advance(5);
    expect(running.seen).toHaveLength(2);
    expect(results()).toEqual(['error', 'success']);
  });

  it('F-15: a reconciler that never settles does not occupy a worker', async () => {
    running = new RunningController({
      reconciliationTimeout: 100,
      reconciler: ({ name }) => (name === 'stuck' ? never() : Promise.resolve()),
    });
    const member = await running.engage('a', 'stuck');
    member.informer(ConfigMap).set({ namespace: 'default', name: 'fine' });
    await running.advance(1_100);
    expect(running.seen).toEqual(['a/stuck', 'a/fine']);
    expect(errorLines().map(({ message }) => message)).toContain(
      'reconcile did not return after its timeout, abandoning it',
    );
  });

  it('F-15: a reconciler that rejects long after its timeout has no effect', async () => {
    const late = Promise.withResolvers<void>();
    let calls = 0;
    running = new RunningController({
      reconciliationTimeout: 100,
      reconciler: () => (calls++ === 0 ? late.promise : Promise.resolve()),
    });
    await running.engage('a', 'x');
    await running.advance(1_105);
    expect(results()).toEqual(['error', 'success']);
    late.reject(new Error('too late'));
    await running.advance(1_000);
    expect(results()).toEqual(['error', 'success']);
  });
});
