import { afterEach, describe, expect, it } from '@jest/globals';
import { ConfigMap, Deployment, Secret } from '@mcr/client';
import { FakeMember } from '../fake-member.fixture.ts';
import { enqueueRequestForObject } from '../handler/enqueue-object.ts';
import { ClusterNotFoundError } from '../../fleet/multicluster/cluster-not-found-error.ts';
import type { Provider } from '../../manager/provider.ts';
import { Scene } from './scene.fixture.ts';

describe('the clusters of a watch', () => {
  let scene = new Scene();
  afterEach(() => scene.stop());

  it('CT-10: each watch selects its own clusters', async () => {
    scene = new Scene();
    const members = {
      '': FakeMember.synced(ConfigMap, Secret, Deployment),
      'eu-1': FakeMember.synced(ConfigMap, Secret, Deployment),
      'us-1': FakeMember.synced(ConfigMap, Secret, Deployment),
    };
    await scene.run(
      scene.builder
        .for(ConfigMap)
        .watches(Secret, enqueueRequestForObject(), { engage: { local: true, provider: false } })
        .watches(Deployment, enqueueRequestForObject(), {
          engage: { local: true, filter: (name) => name.startsWith('eu') },
        }),
      members,
    );
    for (const member of Object.values(members)) {
      for (const kind of [ConfigMap, Secret, Deployment]) member.informer(kind).set({ name: kind.kind });
    }
    expect((await scene.settle()).toSorted()).toEqual([
      'Deployment',
      'Secret',
      'cluster://eu-1/ConfigMap',
      'cluster://eu-1/Deployment',
      'cluster://us-1/ConfigMap',
    ]);
  });

  it('CT-11: a filter or selector restricts provider clusters, but not the local cluster', async () => {
    scene = new Scene();
    const members = {
      '': FakeMember.synced(ConfigMap),
      a: FakeMember.synced(ConfigMap),
      b: FakeMember.synced(ConfigMap),
    };
    members.a.describe({ labels: { env: 'prod' }, properties: {} });
    members.b.describe({ labels: { env: 'prod' }, properties: {} });
    const engage = { local: true, clusterSelector: 'env in (prod)', filter: (name: string) => name !== 'b' };
    await scene.run(scene.builder.for(ConfigMap, { engage }), members);
    for (const member of Object.values(members)) member.informer(ConfigMap).set({ name: 'x' });
    expect(await scene.settle()).toEqual(['x', 'cluster://a/x']);
  });

  it('CT-11: a cluster selector is evaluated again when the labels change', async () => {
    scene = new Scene();
    const a = FakeMember.synced(ConfigMap);
    const informer = a.informer(ConfigMap);
    informer.set({ name: 'x' });
    const builder = scene.builder.for(ConfigMap, { engage: { clusterSelector: 'env in (prod)' } });
    expect(await scene.run(builder, { a })).toEqual([]);
    a.describe({ labels: { env: 'prod' }, properties: {} });
    expect(await scene.settle()).toEqual(['cluster://a/x']);
    a.describe({ labels: { env: 'prod' }, properties: { region: 'eu' } });
    expect(await scene.settle()).toEqual([]);
    informer.set({ name: 'x' });
    // Waiting requests of the cluster are no longer reconciled.
    a.describe({ labels: { env: 'test' }, properties: {} });
    expect(await scene.settle()).toEqual([]);
    expect(informer.handlers.size).toBe(0);
    a.describe({ labels: { env: 'prod' }, properties: {} });
    expect(await scene.settle()).toEqual(['cluster://a/x']);
  });

  it('CT-11: a cluster selector that cannot be parsed is refused', () => {
    scene = new Scene();
    const options = { engage: { clusterSelector: 'env in prod' } };
    expect(() => scene.builder.for(ConfigMap, options)).toThrow('label selector "env in prod"');
  });

  it('CT-11: from selects the clusters of one of several providers, whatever their names', async () => {
    scene = new Scene();
    const [a, b] = [FakeMember.synced(ConfigMap), FakeMember.synced(ConfigMap)];
    for (const member of [a, b]) Object.assign(member, { name: 'eu' });
    const provider = (known: FakeMember): Pick<Provider, 'get'> => ({
      get: async (name) => {
        if (name !== 'eu') throw new ClusterNotFoundError(name);
        return known;
      },
    });
    await scene.run(scene.builder.for(ConfigMap, { engage: { from: provider(b) } }), { 'one#eu': a, 'two#eu': b });
    for (const member of [a, b]) member.informer(ConfigMap).set({ name: 'x' });
    expect(await scene.settle()).toEqual(['cluster://two#eu/x']);
  });

  it('CT-10: without a provider, the local cluster is engaged', async () => {
    scene = new Scene({ provider: false });
    const [hub, a] = [FakeMember.synced(ConfigMap), FakeMember.synced(ConfigMap)];
    await scene.run(scene.builder.for(ConfigMap), { '': hub, a });
    for (const member of [hub, a]) member.informer(ConfigMap).set({ name: 'x' });
    expect(await scene.settle()).toEqual(['x']);
  });
});
