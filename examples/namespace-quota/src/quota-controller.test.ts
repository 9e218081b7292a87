import { describe, expect, it } from '@jest/globals';
import { InMemoryCluster } from '@mcr/core/testing';
import { QUOTA_NAME, reconcileQuota, ResourceQuota, TEAM } from './quota-controller.ts';

const namespace = (name: string, labels: Record<string, string> = {}) => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels },
});

describe('the quota controller', () => {
  const cluster = new InMemoryCluster({
    name: 'eu-1',
    objects: [namespace('shop', { [TEAM]: 'blue' }), namespace('default')],
  });
  const key = { namespace: 'shop', name: QUOTA_NAME };
  const reconcile = (name: string) => reconcileQuota({ clusterName: 'eu-1', namespace: '', name }, cluster.context());

  it('sets the quota of the namespace of a team, and restores it', async () => {
    await reconcile('shop');
    const { metadata, spec } = await cluster.client.get(ResourceQuota, key);
    expect(metadata.ownerReferences).toMatchObject([{ kind: 'Namespace', name: 'shop', controller: true }]);
    expect(spec?.hard).toMatchObject({ pods: '20' });

    await cluster.client.patch(ResourceQuota, key, { spec: { hard: { pods: '99' } } }, 'merge');
    await reconcile('shop');
    await reconcile('shop');
    expect((await cluster.client.get(ResourceQuota, key)).spec?.hard).toMatchObject({ pods: '20' });
    expect(cluster.events.map(({ note }) => note)).toEqual([
      'the quota of team blue was created',
      'the quota of team blue was updated',
    ]);
  });

  it('sets no quota in a namespace without a team, or that does not exist', async () => {
    await reconcile('default');
    await reconcile('gone');
    expect((await cluster.client.list(ResourceQuota)).items).toHaveLength(1);
  });
});
