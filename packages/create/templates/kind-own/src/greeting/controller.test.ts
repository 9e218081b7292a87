import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ConfigMap } from '@mcr/core';
import { InMemoryCluster } from '@mcr/core/testing';
import { crdOf, newObject } from '@mcr/kinds';
import { reconcile } from './controller.ts';
import { Greeting } from './kind.ts';

const key = { namespace: 'default', name: 'first' };

describe('the controller of Greetings', () => {
  it('writes the text into a ConfigMap that the Greeting owns', async () => {
    const cluster = new InMemoryCluster({ name: 'eu-1', crds: [crdOf(Greeting)] });
    const created = newObject(Greeting, { metadata: key, spec: { recipient: 'world' } });
    await cluster.client.create(Greeting, created);

    await reconcile({ clusterName: 'eu-1', ...key }, cluster.context());

    const { data, metadata } = await cluster.client.get(ConfigMap, key);
    assert.deepEqual(data, { text: 'Hello, world' });
    assert.equal(metadata.ownerReferences?.[0]?.kind, 'Greeting');
    assert.deepEqual((await cluster.client.get(Greeting, key)).status, { text: 'Hello, world' });
  });

  it('does nothing after the Greeting was deleted', async () => {
    const cluster = new InMemoryCluster({ name: 'eu-1', crds: [crdOf(Greeting)] });
    await reconcile({ clusterName: 'eu-1', ...key }, cluster.context());
    assert.equal(await cluster.client.find(ConfigMap, key), undefined);
  });
});
