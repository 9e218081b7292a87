import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiClient, ClusterConfig } from '@mcr/client';
import { ClusterRole, ClusterRoleBinding, ConfigMap, createClient, Secret, silentLogger } from '@mcr/client';
import type { ControlPlane } from '@mcr/envtest';
import { createControlPlane } from '@mcr/envtest';
import { controllerManagedBy } from '../controller/builder/builder.ts';
import { InMemoryProvider } from '../provider/in-memory-provider.ts';
import { createCluster } from '../fleet/cluster/create-cluster.ts';
import { createManager } from './create-manager.ts';

const rbac = 'rbac.authorization.k8s.io';

describe('a manager that stops while a reconcile waits for a cache', () => {
  let controlPlane: ControlPlane;
  let admin: ApiClient;
  /** Config of a user without permission to list Secrets, so that no cache of Secrets syncs. */
  let config: ClusterConfig;

  beforeAll(async () => {
    // Tokens for users exist in this backend only.
    controlPlane = await createControlPlane({ backend: 'embedded' });
    admin = createClient(controlPlane.config);
    const metadata = { name: 'reads-configmaps' };
    const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] }];
    await admin.create(ClusterRole, { metadata, rules });
    await admin.create(ClusterRoleBinding, {
      metadata,
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', ...metadata },
      subjects: [{ apiGroup: rbac, kind: 'User', name: 'reader' }],
    });
    await admin.create(ConfigMap, { metadata: { namespace: 'default', name: 'one' } });
    ({ config } = await controlPlane.issueToken({ user: 'reader', groups: [] }));
  });
  afterAll(async () => {
    await admin.close();
    await controlPlane.stop();
  });

  const member = () => {
    const provider = new InMemoryProvider();
    provider.set('eu-1', createCluster(config, { name: 'eu-1' }));
    return { provider, config: 'none' as const };
  };

  it.each([
    ['the local cluster', 'cluster "" left', () => ({ config })],
    ['a member', 'cluster "eu-1" left', member],
  ])('MG-4: does not wait for a read from %s that was given no signal', async (_, message, options) => {
    const manager = await createManager({
      ...options(),
      logger: silentLogger,
      metrics: { bindAddress: '0' },
      gracefulShutdownTimeout: -1,
    });
    const end = new AbortController();
    const failures: unknown[] = [];
    await controllerManagedBy(manager)
      .named('reader')
      .for(ConfigMap)
      .complete(async (_request, { cluster }) => {
        const { client } = await cluster();
        const read = client.list(Secret, { namespace: 'default' });
        setImmediate(() => end.abort());
        await read.catch((error: unknown) => failures.push(error));
      });
    await manager.start(end.signal);
    expect(failures).toMatchObject([{ message }]);
  });
});
