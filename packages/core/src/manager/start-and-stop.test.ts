import { describe, expect, it } from '@jest/globals';
import { getEventListeners } from 'node:events';
import type { Logger } from '@mcr/client';
import { silentLogger, untilAborted } from '@mcr/client';
import { createController } from '../controller/create-controller.ts';
import type { ReconcileRequest } from '../controller/reconcile/request.ts';
import { funcSource } from '../controller/source/func-source.ts';
import type { Manager } from './manager.ts';
import type { Runnable } from './runnable.ts';
import { clock, newManager, recorded, running, TestProvider } from './manager-scene.fixture.ts';

describe('how the manager starts and stops', () => {
  it('MG-4: starts servers, caches, others, leader-elected runnables and the provider in this order, and stops them in reverse', async () => {
    const log: string[] = [];
    const manager = newManager({ provider: new TestProvider(log) });
    await manager.add(recorded('leader-elected', log, 'leader-elected'));
    await manager.add(recorded('other', log));
    await manager.add(recorded('cache', log, 'cache'));
    await manager.add(recorded('server', log, 'server'));
    await running(manager, async () => undefined);
    expect(log).toEqual([
      'provider is set up',
      'server starts',
      'cache starts',
      'other starts',
      'leader-elected starts',
      'provider starts',
      'provider stopped',
      'leader-elected stopped',
      'other stopped',
      'cache stopped',
      'server stopped',
    ]);
  });

  it('MG-4: rejects with the error of the first runnable that fails, after the others have stopped', async () => {
    const log: string[] = [];
    const manager = newManager();
    await manager.add(recorded('other', log));
    await manager.add({ run: () => Promise.reject(new Error('port 8080 is taken')) });
    const signal = new AbortController().signal;
    await expect(manager.start(signal)).rejects.toThrow('port 8080 is taken');
    expect(log).toEqual(['other starts', 'other stopped']);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('MG-4: stops with the error of a provider that fails, or cannot be set up', async () => {
    const provider = new TestProvider();
    provider.failure.reject(new Error('the inventory is gone'));
    await expect(newManager({ provider }).start(new AbortController().signal)).rejects.toThrow('the inventory is gone');

    const unfit = Object.assign(new TestProvider(), {
      setupWithManager: () => Promise.reject(new Error('controller "x" is there')),
    });
    await expect(newManager({ provider: unfit }).start(new AbortController().signal)).rejects.toThrow('"x" is there');
    expect(unfit.log).toEqual([]);
  });

  it('MG-4: can be started once, and refuses additions while it stops', async () => {
    const manager = newManager();
    await running(manager, async () => {
      await expect(manager.start(new AbortController().signal)).rejects.toThrow('was started already');
    });
    await expect(manager.start(new AbortController().signal)).rejects.toThrow('was started already');
    await expect(manager.add({ run: untilAborted })).rejects.toThrow('is stopping');
  });

  it('MG-4: starts nothing if it is stopped before', async () => {
    const log: string[] = [];
    const manager = newManager({ provider: new TestProvider(log) });
    await manager.start(AbortSignal.abort());
    expect(log).toEqual([]);
  });

  describe.each([
    ['the grace period', 5_000, 5_000],
    ['no grace period', 0, 0],
  ])('with %s', (_, gracefulShutdownTimeout, duration) => {
    it(`MG-4: does not wait longer than ${duration} ms for runnables that do not stop`, async () => {
      const manager = newManager({ gracefulShutdownTimeout });
      await manager.add({ run: () => new Promise(() => undefined) });
      const end = new AbortController();
      const outcome = manager.start(end.signal).then(
        () => 'resolved',
        (error: unknown) => (error as Error).message,
      );
      await clock.advance(0);
      end.abort();
      await clock.advance(Math.max(duration - 1, 0));
      const waiting = await Promise.race([outcome, Promise.resolve('waiting')]);
      await clock.advance(1);
      expect([waiting, await outcome]).toEqual(
        duration === 0
          ? ['resolved', 'resolved']
          : ['waiting', '1 runnable has not stopped within the grace period of 5000 ms: this runnable'],
      );
    });
  });

  describe('the error after the grace period', () => {
    /** Returns the error of a manager that is stopped with these runnables. */
    const errorWith = async (add: (manager: Manager) => Promise<void>, provider?: TestProvider): Promise<unknown> => {
      const manager = newManager({ gracefulShutdownTimeout: 5_000, ...(provider && { provider }) });
      await add(manager);
      const end = new AbortController();
      const failure = manager.start(end.signal).catch((error: unknown) => error);
      await clock.advance(0);
      end.abort();
      await clock.advance(5_000);
      return failure;
    };

    /** Adds a controller whose reconciles never return. */
    const addStuck = async (manager: Manager, requests: readonly ReconcileRequest[]): Promise<void> => {
      const maxConcurrentReconciles = requests.length;
      const reconciler = () => new Promise<void>(() => undefined);
      const controller = createController('shop', manager, { maxConcurrentReconciles, reconciler });
      await controller.watch(funcSource(({ queue }) => requests.forEach((request) => queue.add(request))));
      await manager.add(controller);
    };

    it('MG-4: names the controller and the requests that it still reconciles', async () => {
      const requests = [
        { clusterName: '', namespace: 'default', name: 'one' },
        { clusterName: '', namespace: '', name: 'n'.repeat(300) },
      ];
      expect(await errorWith((manager) => addStuck(manager, requests))).toHaveProperty(
        'message',
        `1 runnable has not stopped within the grace period of 5000 ms: controller "shop" still reconciles default/one, ${'n'.repeat(253)}…`,
      );
    });

    it('MG-4: names at most five requests, and the number of the others', async () => {
      const requests = [1, 2, 3, 4, 5, 6, 7].map((number) => ({ clusterName: '', namespace: 'x', name: `${number}` }));
      expect(await errorWith((manager) => addStuck(manager, requests))).toHaveProperty(
        'message',
        expect.stringMatching(/still reconciles x\/1, x\/2, x\/3, x\/4, x\/5 and 2 more$/),
      );
    });

    it('MG-4: names at most five runnables by their description or class, and the number of the others', async () => {
      class Flusher implements Runnable {
        run = () => new Promise<void>(() => undefined);
      }
      class Broken extends Flusher {
        describe = (): string => {
          throw new Error('no description');
        };
      }
      const addAll = async (manager: Manager) => {
        await manager.add(Object.assign(new Flusher(), { describe: () => 'queue of 3 uploads' }));
        await manager.add(new Broken());
        await manager.add(new Flusher(), { signal: new AbortController().signal });
        for (let count = 0; count < 4; count += 1) await manager.add(new Flusher());
      };
      expect(await errorWith(addAll)).toHaveProperty(
        'message',
        '7 runnables have not stopped within the grace period of 5000 ms: queue of 3 uploads; runnable Broken; runnable Flusher; runnable Flusher; runnable Flusher; 2 more',
      );
    });

    it('MG-4: names a provider by its class', async () => {
      class StuckProvider extends TestProvider {
        override run = () => new Promise<never>(() => undefined);
      }
      expect(await errorWith(async () => undefined, new StuckProvider())).toHaveProperty(
        'message',
        expect.stringMatching(/: provider StuckProvider$/),
      );
    });
  });

  it('MG-4: waits without limit with a grace period of -1', async () => {
    const manager = newManager({ gracefulShutdownTimeout: -1 });
    const stopped = Promise.withResolvers<void>();
    await manager.add({ run: () => stopped.promise });
    const end = new AbortController();
    let settled = false;
    const started = manager.start(end.signal).finally(() => (settled = true));
    await clock.advance(0);
    end.abort();
    await clock.advance(10_000_000);
    expect(settled).toBe(false);
    stopped.resolve();
    await started;
  });

  it('MG-4: logs failures while it stops, and resolves', async () => {
    const errors: unknown[] = [];
    const logger: Logger = { ...silentLogger, error: (_, fields) => errors.push(fields?.['error']) };
    const manager = newManager({ logger });
    await manager.add({
      async run(signal) {
        await untilAborted(signal);
        throw new Error('could not flush');
      },
    });
    await manager.add({
      async run(signal) {
        await untilAborted(signal);
        throw signal.reason as Error;
      },
    });
    await running(manager, async () => undefined);
    expect(errors).toMatchObject([{ message: 'could not flush' }]);
  });
});
