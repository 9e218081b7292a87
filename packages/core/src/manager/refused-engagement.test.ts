import { describe, expect, it } from '@jest/globals';
import { silentLogger } from '@mcr/client';
import { VirtualClock } from '@mcr/client/testing';
import { FakeCluster } from '../fleet/cluster/fake-cluster.fixture.ts';
import { BroadcastCoordinator } from '../fleet/coordinator/broadcast-coordinator.ts';
import { MultiClusterManager } from './multi-cluster-manager.ts';

describe('a cluster whose engagement is refused', () => {
  it('CT-1: is shown as disengaged with the reason, and is engaged when the same instance is offered again', async () => {
    const manager = new MultiClusterManager({
      localCluster: FakeCluster.ready({ server: 'https://hub' }),
      coordinator: new BroadcastCoordinator(),
      logger: silentLogger,
      clock: new VirtualClock(),
      controllerOptions: {},
      gracefulShutdownTimeout: 30_000,
    });
    let refusals = 0;
    await manager.add({
      run: async () => undefined,
      engage: async () => {
        if (refusals++ === 0) throw new Error('not now');
      },
    });
    const cluster = FakeCluster.ready();
    const engagement = new AbortController();
    await expect(manager.engage('eu-1', cluster, engagement.signal)).rejects.toThrow('not now');
    expect(manager.fleet.get('eu-1')).toMatchObject({
      phase: 'Disengaged',
      reason: 'its engagement was refused: not now',
      lastError: 'not now',
    });
    await manager.engage('eu-1', cluster, engagement.signal);
    expect(manager.fleet.get('eu-1')?.phase).toBe('Engaged');
    engagement.abort(new Error('it left'));
    expect(manager.fleet.get('eu-1')).toMatchObject({ phase: 'Disengaged', reason: 'it left' });
  });
});
