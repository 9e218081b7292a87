import { describe, expect, it } from '@jest/globals';
import { getEventListeners } from 'node:events';
import type { Logger } from '@mcr/client';
import { ConfigMap, silentLogger } from '@mcr/client';
import { VirtualClock } from '@mcr/client/testing';
import { FakeCluster } from '../cluster/fake-cluster.fixture.ts';
import { Clusters } from '../clusters/clusters.ts';
import { reconcilerWithClusterInContext, withCluster } from '../context/cluster-context.ts';
import { BroadcastCoordinator } from '../coordinator/broadcast-coordinator.ts';
import type { Aware } from '../multicluster/aware.ts';
import { LOCAL_CLUSTER } from '../multicluster/cluster-name.ts';
import { isClusterNotFound } from '../multicluster/cluster-not-found-error.ts';
import type { Provider } from '../multicluster/provider.ts';
import type { ReconcileContext } from '../reconcile/reconciler.ts';
import type { Manager } from './manager.ts';
import type { ManagerParts } from './multi-cluster-manager.ts';
import { MultiClusterManager } from './multi-cluster-manager.ts';
import type { Runnable, RunnableGroup } from './runnable.ts';
import { withMultiCluster } from './with-multi-cluster.ts';

const clock = new VirtualClock();

function newManager(parts: Partial<ManagerParts> = {}): MultiClusterManager {
  return new MultiClusterManager({
    localCluster: FakeCluster.ready({ server: 'https://hub' }),
    coordinator: new BroadcastCoordinator(),
    logger: silentLogger,
    clock,
    controllerOptions: {},
    gracefulShutdownTimeout: 30_000,
    ...parts,
  });
}

/** A runnable that writes down when it starts and stops. */
function recorded(name: string, log: string[], group?: RunnableGroup): Runnable {
  return {
    ...(group && { group }),
    async run(signal) {
      log.push(`${name} starts`);
      await untilAborted(signal);
      await new Promise(setImmediate);
      log.push(`${name} stopped`);
    },
  };
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** A provider whose clusters a test adds by hand. */
class TestProvider implements Provider {
  readonly clusters = new Clusters<FakeCluster>({ clock });
  readonly log: string[];
  readonly running = Promise.withResolvers<{ aware: Aware; signal: AbortSignal }>();
  failure = Promise.withResolvers<never>();

  constructor(log: string[] = []) {
    this.log = log;
  }

  async get(name: string): Promise<FakeCluster> {
    return this.clusters.get(name);
  }

  indexField: Provider['indexField'] = (...args) => this.clusters.indexField(...args);

  async setupWithManager(): Promise<void> {
    this.log.push('provider is set up');
  }

  async run(aware: Aware, signal: AbortSignal): Promise<void> {
    this.log.push('provider starts');
    this.running.resolve({ aware, signal });
    await Promise.race([untilAborted(signal), this.failure.promise]);
    await this.clusters.removeAll();
    this.log.push('provider stopped');
  }
}

/** Starts a manager, runs `work`, stops it. */
async function running(manager: Manager, work: () => Promise<void>): Promise<void> {
  const end = new AbortController();
  const started = manager.start(end.signal);
  await clock.advance(0);
  try {
    await work();
  } finally {
    end.abort();
  }
  await started;
  expect(getEventListeners(end.signal, 'abort')).toEqual([]);
  expect(clock.pendingTimers).toBe(0);
}

describe('the manager', () => {
  it('MG-1: without a provider knows the local cluster only, and says how to have more', async () => {
    const manager = newManager();
    expect((await manager.getCluster(LOCAL_CLUSTER)).config.server).toBe('https://hub');
    const error = await manager.getCluster('eu-1').catch((caught: unknown) => caught);
    expect(isClusterNotFound(error)).toBe(true);
    expect((error as Error).message).toMatch(/"eu-1" is not engaged: the manager has no provider/);
    await expect(manager.getManager('eu-1')).rejects.toThrow('no provider');
  });

  it('MG-2: gives the local cluster as "", and the clusters of the provider by name', async () => {
    const provider = new TestProvider();
    const manager = newManager({ provider });
    await running(manager, async () => {
      const { aware, signal } = await provider.running.promise;
      const cluster = FakeCluster.ready({ server: 'https://eu-1' });
      await provider.clusters.add('eu-1', cluster, aware, signal);
      expect(await manager.getCluster('eu-1')).toBe(cluster);
      expect((await manager.getCluster('')).config.server).toBe('https://hub');
      await expect(manager.getCluster('eu-2')).rejects.toThrow('"eu-2" is not engaged');
    });
  });

  it('MG-2: gives a manager that is scoped to one cluster', async () => {
    const provider = new TestProvider();
    const manager = newManager({ provider });
    await running(manager, async () => {
      const { aware, signal } = await provider.running.promise;
      const cluster = FakeCluster.ready({ server: 'https://eu-1' });
      await provider.clusters.add('eu-1', cluster, aware, signal);
      const scoped = await manager.getManager('eu-1');
      expect(scoped.clusterName).toBe('eu-1');
      expect(scoped.cluster).toBe(cluster);
      expect(await manager.getManager('')).toBe(manager.localManager);
      expect(manager.localManager.cluster).toBe(await manager.getCluster(''));
    });
  });

  it('RC-7: gives the cluster of the context', async () => {
    const provider = new TestProvider();
    const manager = newManager({ provider });
    const wrapped = await withMultiCluster(newManager(), provider);
    await running(manager, async () => {
      const { aware, signal } = await provider.running.promise;
      const cluster = FakeCluster.ready({ server: 'https://eu-1' });
      await provider.clusters.add('eu-1', cluster, aware, signal);
      const seen: unknown[] = [];
      const reconcile = reconcilerWithClusterInContext(async () => {
        seen.push(await manager.clusterFromContext(), await wrapped.clusterFromContext());
      });
      await reconcile({ clusterName: 'eu-1', namespace: '', name: 'x' }, {} as ReconcileContext);
      expect(seen).toEqual([cluster, cluster]);
      await expect(manager.clusterFromContext()).rejects.toThrow('there is no cluster in this context');
      await expect(withCluster('eu-2', () => manager.clusterFromContext())).rejects.toThrow('"eu-2" is not engaged');
    });
  });

  it('MG-3: indexes fields on the clusters of the provider, and on the local one', async () => {
    const provider = new TestProvider();
    const local = FakeCluster.ready();
    const manager = newManager({ provider, localCluster: local });
    await running(manager, async () => {
      const { aware, signal } = await provider.running.promise;
      const [before, after] = [FakeCluster.ready(), FakeCluster.ready()];
      await provider.clusters.add('before', before, aware, signal);
      await manager.fieldIndexer.indexField(ConfigMap, 'by-team', () => []);
      await provider.clusters.add('after', after, aware, signal);
      for (const cluster of [local, before, after]) expect(cluster.indexes).toEqual(['by-team']);
    });
  });

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

  it('CT-2: starts what is added while it runs, and tells it of the engaged clusters', async () => {
    const provider = new TestProvider();
    const manager = newManager({ provider });
    await running(manager, async () => {
      const { aware, signal } = await provider.running.promise;
      await provider.clusters.add('eu-1', FakeCluster.ready(), aware, signal);
      await provider.clusters.add('gone', FakeCluster.ready(), aware, signal);
      await provider.clusters.remove('gone');
      const log: string[] = [];
      await manager.add({ ...recorded('late', log), engage: async (name) => void log.push(`engaged "${name}"`) });
      await clock.advance(0);
      expect(log).toEqual(['engaged ""', 'engaged "eu-1"', 'late starts']);
    });
  });

  it('engages everyone, the local cluster too, and the same instance once', async () => {
    const seen: string[] = [];
    const manager = newManager();
    for (const who of ['one', 'two']) {
      await manager.add({ run: untilAborted, engage: async (name) => void seen.push(`${who} "${name}"`) });
    }
    await running(manager, async () => {
      const cluster = FakeCluster.ready();
      const { signal } = new AbortController();
      await manager.engage('eu-1', cluster, signal);
      await manager.engage('eu-1', cluster, signal);
      expect(seen).toEqual(['one ""', 'two ""', 'one "eu-1"', 'two "eu-1"']);
      expect(await manager.getCluster('eu-1')).toBe(cluster);
    });
  });

  it('FL-1: follows a cluster from its discovery to its end', async () => {
    const provider = new TestProvider();
    const manager = newManager({ provider });
    await running(manager, async () => {
      const { aware, signal } = await provider.running.promise;
      const cluster = new FakeCluster();
      provider.clusters.ensure('eu-1', cluster, aware, signal);
      await clock.advance(30_000);
      expect(manager.fleet.get('eu-1')).toMatchObject({ phase: 'Unreachable' });
      await clock.advance(1_000);
      cluster.answer();
      await clock.advance(0);
      expect(manager.fleet.get('eu-1')).toMatchObject({ phase: 'Engaged' });
      await provider.clusters.remove('eu-1', { reason: 'its Secret was deleted' });
      expect(manager.fleet.get('eu-1')).toMatchObject({ phase: 'Disengaged', reason: 'its Secret was deleted' });
      expect(manager.fleet.get('eu-1')?.history.map(({ phase }) => phase)).toEqual([
        'Connecting',
        'Unreachable',
        'Syncing',
        'Engaged',
        'Disengaged',
      ]);
    });
  });

  it('FL-1: does not call a cluster disengaged whose instance was replaced', async () => {
    const manager = newManager();
    const [first, second] = [new AbortController(), new AbortController()];
    await manager.engage('eu-1', FakeCluster.ready(), first.signal);
    await manager.engage('eu-1', FakeCluster.ready(), second.signal);
    first.abort();
    expect(manager.fleet.get('eu-1')?.phase).toBe('Engaged');
    second.abort(new Error('its Secret was deleted'));
    expect(manager.fleet.get('eu-1')?.phase).toBe('Disengaged');
  });

  it('FL-4: records once, about the object that stands for a cluster in the hub, that it does not answer any more', async () => {
    const provider = new TestProvider();
    const localCluster = FakeCluster.ready({ server: 'https://hub' });
    const manager = newManager({ provider, localCluster });
    const origin = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: 'fleet', name: 'eu-1', uid: 'u', resourceVersion: '1', creationTimestamp: '' },
    };
    await running(manager, async () => {
      const { aware, signal } = await provider.running.promise;
      const cluster = FakeCluster.ready({ server: 'https://eu-1', origin });
      await provider.clusters.add('eu-1', cluster, aware, signal);
      cluster.silence = new Error('connection refused');
      await clock.advance(600_000);
      expect(localCluster.events).toEqual([
        [origin, expect.objectContaining({ type: 'Warning', reason: 'ClusterUnreachable' })],
      ]);
      expect(localCluster.events[0]?.[1].note).toContain(
        '"eu-1" is engaged and does not answer any more: connection refused',
      );
    });
  });

  it('FL-1: shows what a provider has to say of an engaged cluster beside its phase', async () => {
    const manager = newManager();
    await manager.engage('eu-1', FakeCluster.ready(), new AbortController().signal);
    const error = new Error('users[0].user.exec is refused');
    manager.report('eu-1', { phase: 'Unreachable', reason: 'the one before is kept', error });
    expect(manager.fleet.get('eu-1')).toMatchObject({
      phase: 'Engaged',
      reason: 'the one before is kept',
      lastError: 'users[0].user.exec is refused',
    });
  });

  it('runs on while the local cluster does not answer, and engages it once it does', async () => {
    const localCluster = new FakeCluster();
    const provider = new TestProvider();
    const manager = newManager({ localCluster, provider });
    await running(manager, async () => {
      const { aware, signal } = await provider.running.promise;
      await provider.clusters.add('eu-1', FakeCluster.ready(), aware, signal);
      expect(manager.fleet.get(LOCAL_CLUSTER)?.phase).toBe('Connecting');
      localCluster.answer();
      await clock.advance(0);
      expect(manager.fleet.get(LOCAL_CLUSTER)?.phase).toBe('Engaged');
    });
    expect(localCluster.state).toBe('stopped');
  });

  it('CT-8: gives a controller name to one controller only', () => {
    const manager = newManager();
    manager.claimControllerName('copy');
    expect(() => manager.claimControllerName('copy')).toThrow('there is a controller "copy" already');
    newManager().claimControllerName('copy');
  });
});
