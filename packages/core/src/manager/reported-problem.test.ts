import { describe, expect, it } from '@jest/globals';
import { FakeCluster } from '../fleet/cluster/fake-cluster.fixture.ts';
import type { Coordinator, Decision } from '../fleet/coordinator/coordinator.ts';
import { newManager } from './manager-scene.fixture.ts';
import type { MultiClusterManager } from './multi-cluster-manager.ts';

const REASON = 'its kubeconfig is not valid YAML; the cluster keeps its last good configuration';

function refuse(manager: MultiClusterManager): void {
  manager.report('eu-1', {
    phase: 'Unreachable',
    reason: REASON,
    error: new Error('its kubeconfig is not valid YAML'),
  });
}

describe('a problem that a provider reports about an engaged cluster', () => {
  it('FL-1: stays the reason if it is reported while controllers are being notified', async () => {
    const manager = newManager();
    const notified = Promise.withResolvers<void>();
    await manager.add({ run: async () => undefined, engage: () => notified.promise });
    const engaged = manager.engage('eu-1', FakeCluster.ready(), new AbortController().signal);
    refuse(manager);
    expect(manager.fleet.get('eu-1')).toMatchObject({ phase: 'Syncing', reason: REASON });
    notified.resolve();
    await engaged;
    expect(manager.fleet.get('eu-1')).toMatchObject({ phase: 'Engaged', reason: REASON });
  });

  it('FL-1: is the reason again after an outage, until the provider reports that it is solved', async () => {
    const manager = newManager();
    await manager.engage('eu-1', FakeCluster.ready(), new AbortController().signal);
    refuse(manager);
    manager.fleet.recorder.unreachable('eu-1', new Error('connection refused'));
    expect(manager.fleet.get('eu-1')).toMatchObject({ phase: 'Unreachable', reason: 'connection refused' });
    manager.fleet.recorder.reachable('eu-1');
    expect(manager.fleet.get('eu-1')).toMatchObject({ phase: 'Engaged', reason: REASON });
    manager.report('eu-1', { phase: 'Connecting', reason: 'its entry can be used again' });
    expect(manager.fleet.get('eu-1')).toMatchObject({ phase: 'Engaged', reason: 'its entry can be used again' });
  });

  it('FL-1: stays visible when the coordinator declines and accepts the cluster, and ends with the engagement', async () => {
    let decide: (decision: Decision) => void = () => undefined;
    const coordinator: Coordinator = {
      addAware: async () => undefined,
      engage: async (...[, , , options]) => void (decide = options.decide),
    };
    const manager = newManager({ coordinator });
    const engagement = new AbortController();
    await manager.engage('eu-1', FakeCluster.ready(), engagement.signal);
    refuse(manager);
    decide({ declined: 'replica b owns it' });
    expect(manager.fleet.get('eu-1')).toMatchObject({
      phase: 'Discovered',
      reason: `this process does not serve it: replica b owns it; ${REASON}`,
    });
    decide('accepted');
    expect(manager.fleet.get('eu-1')).toMatchObject({ phase: 'Engaged', reason: REASON });
    engagement.abort(new Error('its Secret was deleted'));
    expect(manager.fleet.get('eu-1')).toMatchObject({ phase: 'Disengaged', reason: 'its Secret was deleted' });
    await manager.engage('eu-1', FakeCluster.ready(), new AbortController().signal);
    expect(manager.fleet.get('eu-1')).toMatchObject({ phase: 'Engaged', reason: 'all watches have synced' });
  });
});
