import { describe, expect, it } from '@jest/globals';
import { VirtualClock } from '@mcr/client/testing';
import { FakeCluster } from '../fleet/cluster/fake-cluster.fixture.ts';
import { Clusters } from '../fleet/clusters/clusters.ts';
import { FakeOwnership } from '../fleet/clusters/fake-ownership.fixture.ts';
import { BroadcastCoordinator } from '../fleet/coordinator/broadcast-coordinator.ts';
import { createFleet } from '../fleet/status/create-fleet.ts';
import { EngagementTracker } from './engagement-tracker.ts';

const describedBy = (labels: Record<string, string>) => ({ labels, properties: {} });

function scene() {
  const clock = new VirtualClock();
  const fleet = createFleet({ clock });
  const tracker = new EngagementTracker({
    coordinator: new BroadcastCoordinator(),
    recorder: fleet.recorder,
    clock,
    metrics: undefined,
    eventRecorder: () => undefined,
  });
  const end = new AbortController();
  const aware = {
    engage: (name: string, cluster: FakeCluster, signal: AbortSignal) => tracker.engage({ name, cluster, signal }),
    report: tracker.report.bind(tracker),
    described: tracker.described.bind(tracker),
  };
  const labelsOf = (name: string) => fleet.get(name)?.labels;
  return { clock, aware, end, labelsOf, clusters: new Clusters<FakeCluster>({ clock }) };
}

describe('the labels of clusters in the fleet status', () => {
  it('FP-1: are known while a cluster connects, and follow an engaged cluster', async () => {
    const { clusters, aware, end, labelsOf } = scene();
    const cluster = new FakeCluster();
    cluster.describe(describedBy({ env: 'one' }));
    const added = clusters.add('a', cluster, aware, end.signal);
    expect(labelsOf('a')).toEqual({ env: 'one' });
    clusters.describe('a', describedBy({ env: 'two' }));
    expect(labelsOf('a')).toEqual({ env: 'two' });
    cluster.answer();
    await added;
    cluster.describe(describedBy({ env: 'three' }));
    expect(labelsOf('a')).toEqual({ env: 'three' });
    end.abort();
    await clusters.removeAll();
  });

  it('FP-1: are known of clusters that another replica serves', async () => {
    const { clusters, aware, end, labelsOf } = scene();
    const sharded = { ...aware, ownership: new FakeOwnership() };
    const cluster = new FakeCluster();
    cluster.describe(describedBy({ env: 'one' }));
    await clusters.add('a', cluster, sharded, end.signal);
    expect(labelsOf('a')).toEqual({ env: 'one' });
    clusters.describe('a', describedBy({ env: 'two' }));
    expect(labelsOf('a')).toEqual({ env: 'two' });
    expect(cluster.state).toBe('new');
    await clusters.removeAll();
    end.abort();
  });
});
