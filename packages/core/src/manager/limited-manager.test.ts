import { describe, expect, it } from '@jest/globals';
import { silentLogger, systemClock } from '@mcr/client';
import { FakeCluster } from '../fleet/cluster/fake-cluster.fixture.ts';
import { createController } from '../controller/create-controller.ts';
import { BroadcastCoordinator } from '../fleet/coordinator/broadcast-coordinator.ts';
import { eventually } from '../testing/eventually.ts';
import { limitedManager } from './limited-manager.ts';
import { MultiClusterManager } from './multi-cluster-manager.ts';

describe('limitedManager', () => {
  const newManager = () =>
    new MultiClusterManager({
      localCluster: FakeCluster.ready({ server: 'https://hub' }),
      coordinator: new BroadcastCoordinator(),
      logger: silentLogger,
      clock: systemClock,
      controllerOptions: {},
      gracefulShutdownTimeout: 1_000,
    });

  it('MU-3: runnables added by one of several providers are stopped and removed with that provider', async () => {
    const manager = newManager();
    const stop = new AbortController();
    const running = manager.start(stop.signal);
    const leave = new AbortController();
    const limited = limitedManager(manager, leave.signal);
    const log: string[] = [];
    const runnable = (name: string) => ({
      engage: async (cluster: string) => void log.push(`${name} engages ${cluster}`),
      run: async (signal: AbortSignal) => {
        log.push(`${name} starts`);
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        log.push(`${name} stops`);
      },
    });
    await limited.add(runnable('limited'));
    await manager.add(runnable('lasting'));
    await eventually(() => expect(log.filter((line) => line.endsWith('starts'))).toHaveLength(2));

    leave.abort();
    await eventually(() => expect(log).toContain('limited stops'));
    await manager.engage('late', FakeCluster.ready({ server: 'https://late' }), stop.signal);
    expect(log).toContain('lasting engages late');
    expect(log).not.toContain('limited engages late');
    expect(log).not.toContain('lasting stops');
    for (const view of [limited, limited.localManager, await limited.getManager('')]) {
      await expect(view.add(runnable('too late'))).rejects.toThrow('aborted');
    }
    stop.abort();
    await running;
  });

  it('MU-3: a controller name is free again after the provider that used it was removed', () => {
    const manager = newManager();
    const leave = new AbortController();
    const options = { reconciler: async () => undefined };
    createController('inventory', limitedManager(manager, leave.signal), options);
    expect(() => createController('inventory', manager, options)).toThrow('controller "inventory" exists already');
    leave.abort();
    // A removed provider cannot take another name.
    expect(() => createController('inventory', limitedManager(manager, leave.signal), options)).toThrow('aborted');
    expect(() => createController('inventory', manager, options)).not.toThrow();
  });

  it('otherwise behaves like the manager', async () => {
    const manager = newManager();
    const limited = limitedManager(manager, new AbortController().signal);
    expect(limited.fleet).toBe(manager.fleet);
    expect(limited.isLeader()).toBe(true);
    expect(await limited.getCluster('')).toBe(manager.localManager.cluster);
  });
});
