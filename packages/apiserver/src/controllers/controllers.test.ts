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
    const { body: old } = await client.get('/api/v1/namespaces/old');
    expect(old).toMatchObject({ status: { phase: 'Terminating' } });
    expect(old.metadata).not.toHaveProperty('deletionGracePeriodSeconds');
  });

  it('K-21: grants a user nothing by a role that aggregates others, as a kube-apiserver by itself does', async () => {
    await using controlPlane = await createControlPlane({ controllers: false });
    using client = new RawClient(controlPlane.config);
    const bind = async (name: string): Promise<unknown> => {
      const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name };
      const binding = {
        metadata: { name: name.replaceAll(':', '-') },
        roleRef,
        subjects: [{ kind: 'User', name: 'u' }],
      };
      await client.post('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', binding);
      const spec = { user: 'u', resourceAttributes: { verb: 'list', resource: 'pods' } };
      return (await client.post('/apis/authorization.k8s.io/v1/subjectaccessreviews', { spec })).body.status;
    };
    expect(await bind('view')).toEqual({ allowed: false });
    expect(await bind('system:aggregate-to-view')).toMatchObject({ allowed: true });
  });

  it('K-14: answers a deletion with the last state, and lets one policy follow another, as kube-apiserver does', async () => {
    await using controlPlane = await createControlPlane({ controllers: false });
    using client = new RawClient(controlPlane.config);
    const spec = { containers: [{ name: 'c', image: 'i' }] };
    const pods = '/api/v1/namespaces/default/pods';
    const services = '/api/v1/namespaces/default/services';
    const finalizersOf = async (path: string, policies: readonly string[]): Promise<unknown[]> => {
      const answers = [];
      for (const policy of policies) {
        const { body } = await client.delete(`${path}?propagationPolicy=${policy}`);
        answers.push(body.metadata.finalizers);
      }
      return [...answers, (await client.get(path)).status];
    };
    const all = ['Foreground', 'Orphan', 'Background'];

    await client.post(pods, { metadata: { name: 'waiting' }, spec });
    const { body: dry } = await client.delete(`${pods}/waiting?dryRun=All`);
    expect(dry.metadata).toMatchObject({ deletionGracePeriodSeconds: 0, generation: 2 });
    expect(dry.metadata.deletionTimestamp).toBeDefined();
    expect(await finalizersOf(`${pods}/waiting`, all)).toEqual([['foregroundDeletion'], ['orphan'], ['orphan'], 404]);

    await client.post(pods, { metadata: { name: 'running' }, spec: { ...spec, nodeName: 'n' } });
    const kept = ['foregroundDeletion'];
    expect(await finalizersOf(`${pods}/running`, all)).toEqual([kept, kept, kept, 200]);

    await client.post(services, { metadata: { name: 's' }, spec: { ports: [{ port: 80 }] } });
    expect(await finalizersOf(`${services}/s`, ['Orphan', 'Background'])).toEqual([['orphan'], ['orphan'], 404]);
  });
});
