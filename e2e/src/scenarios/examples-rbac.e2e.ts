import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from '@jest/globals';
import type { ClusterConfig, Manager } from '@mcr/core';
import {
  ConfigMap,
  createCluster,
  createManager,
  EventsV1Event,
  InMemoryProvider,
  Namespace,
  Secret,
  silentLogger,
} from '@mcr/core';
import { PermissionRecorder } from '@mcr/core/testing';
import {
  addQuotaController,
  QUOTA_NAME,
  ResourceQuota,
  TEAM,
} from '../../../examples/namespace-quota/src/quota-controller.ts';
import { addSyncController, SYNC } from '../../../examples/sync-hub-to-members/src/sync-controller.ts';
import type { Site } from '../backend/site.ts';
import { scenario } from '../backend/stage.ts';
import type { Roles } from '../rbac/cast.ts';
import { permissionsOfRoles } from '../rbac/cast.ts';
import { openGround } from '../rbac/ground.ts';
import type { RoleManifest } from '../rbac/manifest.ts';
import { roleManifest } from '../rbac/manifest.ts';
import { forbiddenTo, grantedTo } from '../rbac/recorded-permissions.ts';
import { asServiceAccount, createServiceAccount, kubeconfigOf } from '../rbac/service-account.ts';
import { until } from '../until.ts';

const EXAMPLES = join(import.meta.dirname, '..', '..', '..', 'examples');

scenario('examples-rbac', { members: 1 }, (stage) => {
  let requests: PermissionRecorder;

  beforeEach(() => {
    requests = new PermissionRecorder();
  });

  /** Returns credentials of an account of `site` with exactly the permissions of the roles. */
  const accountIn = async (site: Site, name: string, roles: readonly RoleManifest[]): Promise<ClusterConfig> => {
    const key = { namespace: site.namespace, name };
    const inNamespace = roles.map(({ metadata, ...role }) => ({ ...role, metadata: { name: metadata.name } }));
    await createServiceAccount(site.client, key, inNamespace, { labels: site.labels, suffix: `-${site.namespace}` });
    const { withoutWatchList } = await openGround((await site.issuePass()).config, stage().stack);
    return asServiceAccount(site.client, key, withoutWatchList);
  };

  /** Runs a manager of the hub, with `member` in its fleet if there is one, until `play` is done. */
  const during = async (
    addController: (manager: Manager) => Promise<void>,
    { hub, member }: { readonly hub: ClusterConfig; readonly member?: ClusterConfig },
    play: () => Promise<void>,
  ): Promise<void> => {
    const provider = new InMemoryProvider();
    if (member) provider.set('member-1', createCluster(member, { name: 'member-1', tracer: requests }));
    const manager = await createManager({
      config: hub,
      ...(member && { provider }),
      logger: silentLogger,
      tracer: requests,
      metrics: { bindAddress: '0' },
    });
    await addController(manager);
    const end = new AbortController();
    const stopped = manager.start(end.signal);
    try {
      await play();
    } finally {
      end.abort();
      await stopped;
    }
  };

  /** An effect may be visible before its response has arrived. */
  const granted = (roles: Roles) =>
    until(() => permissionsOfRoles(roles).every((permission) => grantedTo(requests).has(permission)));

  it('S-7: namespace-quota needs exactly what its manifest allows', async () => {
    const { hub, namespace } = stage();
    const roles = { hub: [roleManifest('examples/namespace-quota/manifests/rbac-member.yaml')], member: [] };
    const key = { namespace: `${namespace}-carts`, name: QUOTA_NAME };
    const podsAre = (pods: string) =>
      until(async () => (await hub.client.find(ResourceQuota, key))?.spec?.hard?.['pods'] === pods);

    await during(addQuotaController, { hub: await accountIn(hub, 'quota', roles.hub) }, async () => {
      await hub.createNamespace(key.namespace, { [TEAM]: 'carts' });
      await podsAre('20');
      await hub.client.patch(ResourceQuota, key, { spec: { hard: { pods: '1000' } } }, 'merge');
      await podsAre('20');
      await hub.client.delete(ResourceQuota, key);
      await podsAre('20');
      await until(async () => {
        const { items } = await hub.client.list(EventsV1Event, { namespace: 'default' });
        return items.some(({ regarding, reason }) => reason === 'QuotaSet' && regarding?.name === key.namespace);
      });
      await granted(roles);
    });
    await hub.client.delete(Namespace, { name: key.namespace });
    expect(forbiddenTo(requests)).toEqual(new Set());
    expect(grantedTo(requests)).toEqual(new Set(permissionsOfRoles(roles)));
  });

  it('S-7: sync-hub-to-members needs exactly what its manifests allow', async () => {
    const { hub } = stage();
    const site = stage().member(0);
    const roles = {
      hub: [roleManifest('examples/sync-hub-to-members/manifests/rbac-hub.yaml')],
      member: [roleManifest('examples/sync-hub-to-members/manifests/rbac-member.yaml')],
    };
    const accounts = {
      hub: await accountIn(hub, 'sync', roles.hub),
      member: await accountIn(site, 'sync', roles.member),
    };
    const key = hub.key('palette');
    const copyIs = (colour: string | undefined) =>
      until(async () => (await site.client.find(ConfigMap, key))?.data?.['colour'] === colour);

    await during(addSyncController, accounts, async () => {
      const metadata = { ...key, labels: { [SYNC]: 'members' } };
      await hub.client.create(ConfigMap, { metadata, data: { colour: 'red' } });
      await copyIs('red');
      await hub.client.patch(ConfigMap, key, { data: { colour: 'blue' } }, 'merge');
      await copyIs('blue');
      await hub.client.delete(ConfigMap, key);
      await copyIs(undefined);
      await until(async () => (await hub.client.find(ConfigMap, key)) === undefined);
      await granted(roles);
    });
    expect(forbiddenTo(requests)).toEqual(new Set());
    expect(grantedTo(requests)).toEqual(new Set(permissionsOfRoles(roles)));
  });

  it('S-7: the kubeconfig example is forbidden nothing under the published roles', async () => {
    const { hub, namespace, directory } = stage();
    const site = stage().member(0);
    const member = await accountIn(site, 'example', [roleManifest('packages/core/manifests/rbac-member.yaml')]);
    await site.put('settings', 'a');
    await hub.client.create(Secret, {
      metadata: { ...hub.key('eu-1'), labels: { 'sigs.k8s.io/multicluster-runtime-kubeconfig': 'true' } },
      stringData: { kubeconfig: kubeconfigOf(member) },
    });
    const account = await accountIn(hub, 'example', [
      roleManifest('packages/provider-kubeconfig/manifests/rbac-hub.yaml'),
    ]);
    const kubeconfig = join(directory, 'account.kubeconfig');
    await writeFile(kubeconfig, kubeconfigOf(account), { mode: 0o600 });

    const program = join(EXAMPLES, 'kubeconfig', 'src', 'main.ts');
    const args = ['--conditions=@mcr/source', program, '--kubeconfig', kubeconfig, '--namespace', namespace];
    const child = spawn(process.execPath, args);
    let printed = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => void (printed += String(chunk)));
    try {
      const closed = once(child, 'close', { signal: AbortSignal.timeout(120_000) });
      await until(() => printed.includes('ConfigMap reconciled'));
      child.kill('SIGINT');
      expect(await closed).toEqual([0, null]);
      expect(printed).not.toContain('forbidden');
    } finally {
      child.kill('SIGKILL');
    }
  });
});
