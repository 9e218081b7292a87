import { describe, expect, it } from '@jest/globals';
import { ConfigMap, silentLogger } from '@mcr/client';
import { VirtualClock } from '@mcr/client/testing';
import { collectGarbage, growthOfHeap } from '../../../client/src/garbage/garbage.fixture.ts';
import { controllerManagedBy } from '../controller/builder/builder.ts';
import { FakeCluster } from '../fleet/cluster/fake-cluster.fixture.ts';
import { InMemoryProvider } from '../provider/in-memory-provider.ts';
import { EngagedClusters } from './engaged-clusters.ts';
import { FakeMember } from '../controller/fake-member.fixture.ts';
import { BroadcastCoordinator } from '../fleet/coordinator/broadcast-coordinator.ts';
import { PrometheusMetrics } from './metrics/prometheus-metrics.ts';
import { MultiClusterManager } from './multi-cluster-manager.ts';

describe('a manager whose clusters come and go', () => {
  it('CT-3: a thousand engagements and disengagements do not grow the heap', async () => {
    const clock = new VirtualClock();
    const provider = new InMemoryProvider<FakeMember>({ clock });
    const manager = new MultiClusterManager({
      localCluster: FakeCluster.ready(),
      provider,
      coordinator: new BroadcastCoordinator(),
      logger: silentLogger,
      clock,
      controllerOptions: {},
      gracefulShutdownTimeout: 30_000,
      metrics: await PrometheusMetrics.create({ clock, maxClusterLabels: 100 }),
    });
    let reconciles = 0;
    await controllerManagedBy(manager)
      .for(ConfigMap)
      .complete(async () => void (reconciles += 1));
    await manager.add(new EngagedClusters());
    const end = new AbortController();
    const started = manager.start(end.signal);
    await clock.advance(0);

    /** Twenty names, so that the history of the fleet is full when the heap is measured first. */
    const comeAndGo = async (times: number): Promise<WeakRef<FakeMember>[]> => {
      const gone: WeakRef<FakeMember>[] = [];
      for (let i = 0; i < times; i++) {
        const member = FakeMember.synced(ConfigMap);
        member.answer();
        member.informer(ConfigMap).set({ namespace: 'default', name: `settings-${i}` });
        provider.set(`eu-${i % 20}`, member);
        await clock.advance(5);
        await provider.delete(`eu-${i % 20}`);
        gone.push(new WeakRef(member));
      }
      return gone;
    };

    await comeAndGo(600);
    const count = 200;
    const gone: WeakRef<FakeMember>[] = [];
    const growth = await growthOfHeap(async () => void gone.push(...(await comeAndGo(count))));
    for (let pass = 0; pass < 3; pass += 1) await collectGarbage();
    expect(reconciles).toBe(600 + gone.length);
    expect(gone.filter((member) => member.deref() !== undefined).length).toBeLessThanOrEqual(1);
    // Each engagement that stayed would hold a few kilobytes at least.
    expect(growth / count).toBeLessThan(1_000);
    end.abort();
    await started;
    expect(clock.pendingTimers).toBe(0);
  });
});
