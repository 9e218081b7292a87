import { describe, expect, it } from '@jest/globals';
import { createControlPlane } from '../control-plane.fixture.ts';
import { CONFIG_MAPS, configMap, RawClient } from '../raw-client.fixture.ts';

describe('a control plane without controllers', () => {
  it('K-31: keeps finalizers of propagation, dependents and namespaces, as a kube-apiserver by itself does', async () => {
    await using controlPlane = await createControlPlane({ controllers: false });
    using client = new RawClient(controlPlane.config);
    const { body } = await client.post(CONFIG_MAPS, configMap('owner'));
    const { uid } = body.metadata;
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid, blockOwnerDeletion: true };
    const dependent = { ...configMap('dependent'), metadata: { name: 'dependent', ownerReferences: [owner] } };
    await client.post(CONFIG_MAPS, dependent);
    await client.delete(`${CONFIG_MAPS}/owner?propagationPolicy=Foreground`);
    await client.post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'old' } });
    await client.delete('/api/v1/namespaces/old');

    // Without controllers, no request waits for background work: the answers do not change later.
    const { body: marked } = await client.get(`${CONFIG_MAPS}/owner`);
    expect(marked.metadata).toMatchObject({ finalizers: ['foregroundDeletion'] });
    expect((await client.get(`${CONFIG_MAPS}/dependent`)).status).toBe(200);
    expect((await client.get('/api/v1/namespaces/old')).body).toMatchObject({ status: { phase: 'Terminating' } });
  });
});
