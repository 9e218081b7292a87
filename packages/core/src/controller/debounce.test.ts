import { afterEach, describe, expect, it } from '@jest/globals';
import { ConfigMap, Secret } from '@mcr/client';
import { enqueueRequestForObject } from './handler/enqueue-object.ts';
import { kindSource } from './source/kind-source.ts';
import type { FakeInformer } from './fake-member.fixture.ts';
import { RunningController } from './running-controller.fixture.ts';

const key = { namespace: 'default', name: 'x' };

describe('debounce', () => {
  let running: RunningController;
  let secrets: FakeInformer;
  let configMaps: FakeInformer;

  /** Starts a controller whose watch of Secrets is debounced by 500 ms, and whose watch of ConfigMaps is not. */
  const start = async (reconciler = async () => undefined) => {
    running = new RunningController({ reconciler });
    await running.controller.watch(kindSource(Secret, enqueueRequestForObject(), { debounce: 500 }));
    const member = await running.engage('eu-1');
    secrets = member.informer(Secret);
    configMaps = member.informer(ConfigMap);
    secrets.sync();
    await running.fake.settle();
  };
  afterEach(async () => {
    await running.stop();
    expect(running.fake.clock.pendingTimers).toBe(0);
  });

  it('FP-6: a burst of events of one object causes one reconcile, after the debounce time', async () => {
    await start();
    for (let count = 0; count < 100; count += 1) secrets.set(key);
    secrets.set({ ...key, name: 'y' });
    await running.advance(499);
    expect(running.seen).toEqual([]);
    await running.advance(1);
    expect(running.seen).toEqual(['eu-1/x', 'eu-1/y']);
    await running.advance(10_000);
    expect(running.seen).toHaveLength(2);
  });

  it('FP-6: an object that changes all the time is reconciled once per period', async () => {
    await start();
    for (let elapsed = 0; elapsed < 5_000; elapsed += 100) {
      secrets.set(key);
      await running.advance(100);
    }
    await running.advance(500);
    expect(running.seen).toHaveLength(10);
  });

  it('FP-6, WQ-6: an event of a watch without debounce is not delayed, and replaces the waiting request', async () => {
    await start();
    secrets.set(key);
    await running.advance(100);
    configMaps.set(key);
    await running.fake.settle();
    expect(running.seen).toEqual(['eu-1/x']);
    await running.advance(10_000);
    expect(running.seen).toEqual(['eu-1/x']);
  });

  it('FP-6: an event during the reconcile of its object is debounced as well', async () => {
    const gate = Promise.withResolvers<undefined>();
    await start(() => gate.promise);
    configMaps.set(key);
    await running.fake.settle();
    secrets.set(key);
    await running.advance(200);
    gate.resolve(undefined);
    await running.advance(299);
    expect(running.seen).toHaveLength(1);
    await running.advance(1);
    expect(running.seen).toHaveLength(2);
  });
});
