import { describe, expect, it } from '@jest/globals';
import { ConfigMap, silentLogger } from '@mcr/client';
import { VirtualClock } from '@mcr/client/testing';
import { FakeCluster } from '../fleet/cluster/fake-cluster.fixture.ts';
import { InMemoryProvider } from '../provider/in-memory-provider.ts';
import { createNopProvider } from '../provider/nop-provider.ts';
import { BroadcastCoordinator } from '../fleet/coordinator/broadcast-coordinator.ts';
import { MultiClusterManager } from './multi-cluster-manager.ts';
import { withMultiCluster } from './with-multi-cluster.ts';

const clock = new VirtualClock();

function hostOf(localCluster = FakeCluster.ready({ server: 'https://hub' })) {
  return new MultiClusterManager({
    localCluster,
    coordinator: new BroadcastCoordinator(),
    logger: silentLogger,
    clock,
    controllerOptions: {},
    gracefulShutdownTimeout: 30_000,
  });
}

describe('withMultiCluster', () => {
  it('MG-10: adds a fleet to a manager of one cluster, with the same local cluster', async () => {
    const host = hostOf();
    const run = (signal: AbortSignal) =>
      new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    const ofHost: string[] = [];
    await host.add({ engage: async (name) => void ofHost.push(name), run });
    const provider = new InMemoryProvider<FakeCluster>({ clock });
    const manager = await withMultiCluster(host, provider);
    const engaged: string[] = [];
    await manager.add({ engage: async (name) => void engaged.push(name), run });
    const end = new AbortController();
    const started = manager.start(end.signal);
    const member = FakeCluster.ready({ server: 'https://eu-1' });
    provider.set('eu-1', member);
    await clock.advance(0);

    expect(engaged).toEqual(['eu-1']);
    expect(ofHost).toEqual(['eu-1']);
    expect(await host.getCluster('eu-1')).toBe(member);
    expect(await manager.getCluster('')).toBe(await host.getCluster(''));
    expect(await manager.getCluster('eu-1')).toBe(member);
    expect((await manager.getManager('eu-1')).cluster).toBe(member);
    expect(await manager.getManager('')).toBe(host.localManager);
    await expect(manager.getCluster('eu-2')).rejects.toThrow('"eu-2" is not engaged');
    await manager.fieldIndexer.indexField(ConfigMap, 'by-team', () => []);
    expect(member.indexes).toEqual(['by-team']);
    expect(manager.fleet.list().map(({ name }) => name)).toEqual(['', 'eu-1']);

    end.abort();
    await started;
    expect(member.state).toBe('stopped');
    expect(clock.pendingTimers).toBe(0);
  });

  it('MG-10: starts and stops together with its host, whichever of them is started', async () => {
    const host = hostOf();
    const log: string[] = [];
    const provider = Object.assign(createNopProvider(), {
      setupWithManager: async () => void log.push('is set up'),
      run: async (_: unknown, signal: AbortSignal) => {
        log.push('starts');
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        log.push('stopped');
      },
    });
    await withMultiCluster(host, provider);
    const end = new AbortController();
    const started = host.start(end.signal);
    await clock.advance(0);
    end.abort();
    await started;
    expect(log).toEqual(['is set up', 'starts', 'stopped']);
  });

  it('MG-10: passes on the signal of add and of claimControllerName', async () => {
    const manager = await withMultiCluster(hostOf(), createNopProvider());
    const leave = new AbortController();
    const log: string[] = [];
    const limited = {
      engage: async (name: string) => void log.push(name),
      run: () => Promise.reject(new Error('it has left')),
    };
    await manager.add(limited, leave);
    await manager.localManager.add({ ...limited }, leave);
    manager.claimControllerName('inventory', leave);
    leave.abort();
    manager.claimControllerName('inventory');
    const end = new AbortController();
    const started = manager.start(end.signal);
    await clock.advance(0);
    expect(log).toEqual([]);
    end.abort();
    await started;
  });

  it('refuses a manager that has a provider', async () => {
    const manager = await withMultiCluster(hostOf(), createNopProvider());
    await expect(withMultiCluster(manager, createNopProvider())).rejects.toThrow(
      'expected a manager without a provider',
    );
  });
});
