import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { ApiClient, ClusterConfig } from '@mcr/core';
import { createManager, CustomResourceDefinition, silentLogger } from '@mcr/core';
import { PermissionRecorder } from '@mcr/core/testing';
import { createEmbeddedApiServer, createEmbeddedClusterActuator, type EmbeddedClusterActuator } from '@mcr/envtest';
import { createClusterController, ClusterResource } from '@mcr/provider-capi';
import { parse } from 'yaml';
import { openGround } from './rbac/ground.ts';
import type { Permission } from './rbac/manifest.ts';
import { permissionsOf, roleManifest, withoutPermission } from './rbac/manifest.ts';
import { forbiddenTo, grantedTo } from './rbac/recorded-permissions.ts';
import { asServiceAccount, createServiceAccount } from './rbac/service-account.ts';
import { until } from './until.ts';

const role = roleManifest('packages/provider-capi/manifests/rbac-actuator.yaml');
const permissions = permissionsOf(role);

describe('the cluster controller, with its published manifest', () => {
  const stack = new AsyncDisposableStack();
  let hub: ApiClient;
  let config: ClusterConfig;
  let actuator: EmbeddedClusterActuator;

  beforeAll(async () => {
    const server = stack.adopt(await createEmbeddedApiServer(), (started) => started.stop());
    const plane = await server.createCluster({ name: 'hub' });
    ({ admin: hub, withoutWatchList: config } = await openGround(plane.config, stack));
    const manifest = fileURLToPath(import.meta.resolve('@mcr/provider-capi/manifests/cluster.k8s.io_clusters.yaml'));
    await hub.create(CustomResourceDefinition, parse(await readFile(manifest, 'utf8')) as CustomResourceDefinition);
    actuator = createEmbeddedClusterActuator(server);
  });
  afterAll(() => stack.disposeAsync());

  /**
   * Creates, reconciles and deletes a Cluster in the account's namespace `name`, until it is deleted or a request is
   * forbidden.
   */
  async function live(name: string, missing?: Permission): Promise<PermissionRecorder> {
    const requests = new PermissionRecorder();
    const account = { namespace: name, name };
    await createServiceAccount(hub, account, [withoutPermission(role, missing)]);
    const manager = await createManager({
      config: await asServiceAccount(hub, account, config),
      logger: silentLogger,
      tracer: requests,
      metrics: { bindAddress: '0' },
    });
    await createClusterController(manager, actuator, { namespace: name });
    const end = new AbortController();
    const stopped = manager.start(end.signal);
    const cluster = { namespace: name, name: 'eu-1' };
    const reached = (condition: () => Promise<boolean>) =>
      until(async () => forbiddenTo(requests).size > 0 || (await condition()));
    const status = async () => (await hub.get(ClusterResource, cluster)).status;
    const write = (credentials: number) =>
      hub.apply(
        ClusterResource,
        { metadata: cluster, spec: { providerSpec: { value: { credentials } } } },
        { fieldManager: 'rbac' },
      );

    await write(0);
    await reached(async () => (await status())?.apiEndpoints?.length === 1);
    await write(-1);
    await reached(async () => (await status())?.errorMessage !== undefined);
    await write(1);
    await reached(async () => (await status())?.errorMessage === undefined);
    await hub.delete(ClusterResource, cluster);
    await reached(async () => (await hub.find(ClusterResource, cluster)) === undefined);
    end.abort();
    await stopped;
    return requests;
  }

  it('S-7: creates and deletes a Cluster with exactly these permissions', async () => {
    const requests = await live('complete');
    expect(forbiddenTo(requests)).toEqual(new Set());
    expect(grantedTo(requests)).toEqual(new Set(permissions.map((permission) => `hub: ${permission}`)));
  });

  it.each(permissions.map((missing, index) => ({ missing, index })))(
    'S-7: without "$missing", only that permission is forbidden',
    async ({ missing, index }) => {
      expect(forbiddenTo(await live(`lacking-${index}`, missing))).toEqual(new Set([`hub: ${missing}`]));
    },
  );
});
