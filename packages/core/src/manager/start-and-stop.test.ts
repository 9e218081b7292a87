import { describe, expect, it } from '@jest/globals';
import { getEventListeners } from 'node:events';
import type { Logger } from '@mcr/client';
import { silentLogger, untilAborted } from '@mcr/client';
import { clock, newManager, recorded, running, TestProvider } from './manager-scene.fixture.ts';

describe('how the manager starts and stops', () => {
  it('MG-4: starts servers, caches, others, leader-elected and the provider in this order, and stops in reverse', async () => {
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

  it('MG-4: can be started once, and takes nothing more when it stops', async () => {
    const manager = newManager();
    await running(manager, async () => {
      await expect(manager.start(new AbortController().signal)).rejects.toThrow('was started before');
    });
    await expect(manager.start(new AbortController().signal)).rejects.toThrow('was started before');
    await expect(manager.add({ run: untilAborted })).rejects.toThrow('is stopping');
  });

  it('MG-4: starts nothing when it is stopped before', async () => {
    const log: string[] = [];
    const manager = newManager({ provider: new TestProvider(log) });
    await manager.start(AbortSignal.abort());
    expect(log).toEqual([]);
  });

  describe.each([
    ['the grace period', 5_000, 5_000],
    ['no grace period', 0, 0],
  ])('with %s', (_, gracefulShutdownTimeout, duration) => {
    it(`MG-4: does not wait longer than ${duration} ms for what does not stop`, async () => {
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
          : ['waiting', '1 runnable has not stopped within the grace period of 5000 ms'],
      );
    });
  });

  it('MG-4: waits for as long as it takes with a grace period of -1', async () => {
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

  it('MG-4: logs what fails while it stops, and resolves', async () => {
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
