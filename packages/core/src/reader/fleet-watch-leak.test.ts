import { describe, expect, it } from '@jest/globals';
import { ConfigMap, silentLogger } from '@mcr/client';
import { VirtualClock } from '@mcr/client/testing';
import { collectGarbage } from '../../../client/src/garbage/garbage.fixture.ts';
import { FakeMember } from '../controller/fake-member.fixture.ts';
import { BroadcastCoordinator } from '../fleet/coordinator/broadcast-coordinator.ts';
import { PrometheusMetrics } from '../manager/metrics/prometheus-metrics.ts';
import { MultiClusterManager } from '../manager/multi-cluster-manager.ts';
import { InMemoryProvider } from '../provider/in-memory-provider.ts';
import { createFleetReader } from './fleet-reader.ts';

describe('watches over the fleet that have ended', () => {
  it('FP-5: leave nothing behind in the manager, its clusters or the fleet status', async () => {
    const clock = new VirtualClock();
    const provider = new InMemoryProvider<FakeMember>({ clock });
    const manager = new MultiClusterManager({
      provider,
      coordinator: new BroadcastCoordinator(),
      logger: silentLogger,
      clock,
      controllerOptions: {},
      gracefulShutdownTimeout: 30_000,
      metrics: await PrometheusMetrics.create({ clock, maxClusterLabels: 100 }),
    });
    const reader = createFleetReader(manager);
    const end = new AbortController();
    const started = manager.start(end.signal);
    await clock.advance(0);
    const member = FakeMember.synced(ConfigMap);
    member.answer();
    member.informer(ConfigMap).set({ namespace: 'default', name: 'settings' });
    provider.set('eu-1', member);
    await clock.advance(5);

    const filters: WeakRef<object>[] = [];
    /** Each watch has a filter of its own, which its sources hold. */
    const watch = (signal?: AbortSignal) => {
      const filter = () => true;
      filters.push(new WeakRef(filter));
      return reader.watch(ConfigMap, { clusters: { filter }, ...(signal && { signal }) });
    };
    for (let count = 0; count < 50; count += 1) {
      for await (const _ of watch()) break;
      const aborted = new AbortController();
      for await (const _ of watch(aborted.signal)) aborted.abort();
    }
    await clock.advance(5);
    for (let pass = 0; pass < 3; pass += 1) await collectGarbage();
    expect(filters.filter((each) => each.deref() !== undefined).length).toBeLessThanOrEqual(2);
    expect(Object.keys(manager.fleet.get('eu-1')?.sources ?? {})).toEqual([]);
    end.abort();
    await started;
  });
});
