import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ConfigMap } from '@mcr/core';
import { InMemoryCluster } from '@mcr/core/testing';
import { reconcile, SEEN } from './controller.ts';

const key = { namespace: 'default', name: 'first' };

describe('the controller of ConfigMaps', () => {
  it('writes the name of the cluster into the ConfigMap', async () => {
    const cluster = new InMemoryCluster({ name: 'eu-1' });
    await cluster.client.create(ConfigMap, { metadata: key });
    await reconcile({ clusterName: 'eu-1', ...key }, cluster.context());
    const { metadata } = await cluster.client.get(ConfigMap, key);
    assert.deepEqual(metadata.annotations, { [SEEN]: 'eu-1' });
  });

  it('does nothing after the ConfigMap was deleted', async () => {
    const cluster = new InMemoryCluster({ name: 'eu-1' });
    await reconcile({ clusterName: 'eu-1', ...key }, cluster.context());
    assert.equal(await cluster.client.find(ConfigMap, key), undefined);
  });
});
