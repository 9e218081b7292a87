import { describe, expect, it } from '@jest/globals';
import { ConfigMap, untilAborted } from '@mcr/client';
import { declarationOf } from '../fleet/clusters/cluster-declaration.ts';
import { FakeCluster } from '../fleet/cluster/fake-cluster.fixture.ts';
import { reconcilerWithClusterInContext } from '../controller/context/single-cluster-reconciler.ts';
import { withCluster } from '../fleet/multicluster/cluster-context.ts';
import { LOCAL_CLUSTER } from '../fleet/multicluster/cluster-name.ts';
import { isClusterNotFound } from '../fleet/multicluster/cluster-not-found-error.ts';
import type { ReconcileContext } from '../controller/reconcile/reconciler.ts';
import { clock, newManager, recorded, running, TestProvider } from './manager-scene.fixture.ts';
import { EngagedClusters } from './engaged-clusters.ts';
import { withMultiCluster } from './with-multi-cluster.ts';

describe('the manager', () => {
  it('MG-1: without a provider, it knows only the local cluster, and the error says how to add others', async () => {
    const manager = newManager();
    expect((await manager.getCluster(LOCAL_CLUSTER)).config.server).toBe('https://hub');
    const error = await manager.getCluster('eu-1').catch((caught: unknown) => caught);
    expect(isClusterNotFound(error)).toBe(true);
    expect((error as Error).message).toMatch(/"eu-1" is not engaged: the manager has no provider/);
    await expect(manager.getManager('eu-1')).rejects.toThrow('no provider');
  });

  it('MG-2: returns the local cluster for "", and the clusters of the provider by name', async () => {
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

  it('MG-2: returns a manager that is scoped to one cluster', async () => {
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

  it('RC-7: returns the cluster of the context', async () => {
    const provider = new TestProvider();
    const manager = await withMultiCluster(newManager(), provider);
    await running(manager, async () => {
      const { aware, signal } = await provider.running.promise;
      const cluster = FakeCluster.ready({ server: 'https://eu-1' });
      await provider.clusters.add('eu-1', cluster, aware, signal);
      const seen: unknown[] = [];
      const reconcile = reconcilerWithClusterInContext(async () => {
        seen.push(await manager.clusterFromContext());
      });
      await reconcile({ clusterName: 'eu-1', namespace: '', name: 'x' }, {} as ReconcileContext);
      expect(seen).toEqual([cluster]);
      await expect(manager.clusterFromContext()).rejects.toThrow('no cluster in this context');
      await expect(withCluster('eu-2', () => manager.clusterFromContext())).rejects.toThrow('"eu-2" is not engaged');
    });
  });

  it('MG-3: indexes fields on the clusters of the provider and on the local cluster', async () => {
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

  it('CT-2: starts a runnable that is added while it runs, and engages the current clusters with it', async () => {
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
      expect(log).toEqual(['engaged "eu-1"', 'late starts']);
    });
  });

  it('FP-7: engages clusters with all runnables, the local cluster only on request, and each instance once', async () => {
    const seen: string[] = [];
    const manager = newManager();
    for (const who of ['one', 'two']) {
      const engage = async (name: string) => void seen.push(`${who} "${name}"`);
      await manager.add({ run: untilAborted, engage, ...(who === 'two' && { engageLocal: true }) });
    }
    const [registry, withLocal] = [new EngagedClusters(), new EngagedClusters({ engageLocal: true })];
    for (const each of [registry, withLocal]) await manager.add(each);
    await running(manager, async () => {
      const cluster = FakeCluster.ready();
      const { signal } = new AbortController();
      await manager.engage('eu-1', cluster, signal);
      await manager.engage('eu-1', cluster, signal);
      expect(seen).toEqual(['two ""', 'one "eu-1"', 'two "eu-1"']);
      expect([registry.clusterNames(), withLocal.clusterNames()]).toEqual([['eu-1'], ['', 'eu-1']]);
      expect(await manager.getCluster('eu-1')).toBe(cluster);
    });
  });

  it('FP-7: engages a runnable that is added later with the local cluster on request only', async () => {
    const seen: string[] = [];
    const manager = newManager();
    await running(manager, async () => {
      await manager.engage('eu-1', FakeCluster.ready(), new AbortController().signal);
      for (const engageLocal of [undefined, false, true]) {
        const engage = async (name: string) => void seen.push(`${engageLocal} "${name}"`);
        await manager.add({ run: untilAborted, engage, ...(engageLocal !== undefined && { engageLocal }) });
      }
      const registry = new EngagedClusters();
      await manager.add(registry);
      await clock.advance(0);
      expect(seen.toSorted()).toEqual(['false "eu-1"', 'true ""', 'true "eu-1"', 'undefined "eu-1"']);
      expect(registry.clusterNames()).toEqual(['eu-1']);
    });
  });

  it('FL-1: follows a cluster from its discovery to its disengagement', async () => {
    const provider = new TestProvider();
    const manager = newManager({ provider });
    await running(manager, async () => {
      const { aware, signal } = await provider.running.promise;
      const cluster = new FakeCluster();
      provider.clusters.ensure('eu-1', declarationOf(cluster), aware, signal);
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

  it('FL-1: a cluster whose instance was replaced is not disengaged', async () => {
    const manager = newManager();
    const [first, second] = [new AbortController(), new AbortController()];
    await manager.engage('eu-1', FakeCluster.ready(), first.signal);
    await manager.engage('eu-1', FakeCluster.ready(), second.signal);
    first.abort();
    expect(manager.fleet.get('eu-1')?.phase).toBe('Engaged');
    second.abort(new Error('its Secret was deleted'));
    expect(manager.fleet.get('eu-1')?.phase).toBe('Disengaged');
  });

  it('FL-4: records one event about the hub object of a cluster that stopped answering', async () => {
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
      cluster.silence = new Error('cluster "eu-1" refuses the credentials');
      await clock.advance(600_000);
      expect(localCluster.events).toEqual([
        [origin, expect.objectContaining({ type: 'Warning', reason: 'ClusterUnreachable' })],
      ]);
      expect(localCluster.events[0]?.[1].note).toBe('health checks failed: cluster "eu-1" refuses the credentials');
    });
  });

  it('FL-1: shows the report of a provider about an engaged cluster as the reason of its phase', async () => {
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

  it('F-18: keeps running while the local cluster does not answer, and engages it once it does', async () => {
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
    expect(() => manager.claimControllerName('copy')).toThrow('controller "copy" exists already');
    newManager().claimControllerName('copy');
  });
});
