import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Cluster, Manager } from '@mcr/core';
import { ConfigMap, createCluster, createManager, InMemoryProvider, silentLogger } from '@mcr/core';
import { startControlPlane, startFleet } from '@mcr/envtest';
import { addQuotaController } from '../../examples/namespace-quota/src/quota-controller.ts';
import { playIn } from '../../examples/namespace-quota/src/quota-story.ts';
import { addSyncController, SYNC } from '../../examples/sync-hub-to-members/src/sync-controller.ts';
import { permissionsOfRoles } from './rbac/cast.ts';
import type { Ground } from './rbac/ground.ts';
import { standOn } from './rbac/ground.ts';
import type { RoleManifest } from './rbac/manifest.ts';
import { roleManifest } from './rbac/manifest.ts';
import { RequestLedger } from './rbac/request-ledger.ts';
import { asServiceAccount, createServiceAccount } from './rbac/service-account.ts';
import { until } from './until.ts';

const ACCOUNT = { namespace: 'default', name: 'controllers' };

describe('the controller of an example, with its manifests', () => {
  let stack: AsyncDisposableStack;
  let requests: RequestLedger;

  beforeEach(() => {
    stack = new AsyncDisposableStack();
    requests = new RequestLedger();
  });
  afterEach(() => stack.disposeAsync());

  const accountIn = async ({ admin, withoutWatchList }: Ground, roles: readonly RoleManifest[]) => {
    await createServiceAccount(admin, ACCOUNT, roles);
    return asServiceAccount(admin, ACCOUNT, withoutWatchList);
  };

  /** A manager of the hub, and of a member if there is one, with accounts that may do what the roles say. */
  async function run(
    addController: (manager: Manager) => Promise<void>,
    { hub, member, roles }: { hub: Ground; member?: Ground; roles: Record<'hub' | 'member', readonly RoleManifest[]> },
  ): Promise<void> {
    const provider = new InMemoryProvider();
    const manager = await createManager({
      config: await accountIn(hub, roles.hub),
      ...(member && { provider }),
      logger: silentLogger,
      tracer: requests,
      metrics: { bindAddress: '0' },
    });
    await addController(manager);
    if (member) provider.set('member-1', await clusterOf(member, roles.member));
    const end = new AbortController();
    const stopped = manager.start(end.signal);
    stack.defer(async () => {
      end.abort();
      await stopped;
    });
  }

  const clusterOf = async (member: Ground, roles: readonly RoleManifest[]): Promise<Cluster> =>
    createCluster(await accountIn(member, roles), { name: 'member-1', tracer: requests });

  it('S-7: namespace-quota needs just what its manifest says', async () => {
    const plane = stack.use(await startControlPlane());
    const roles = { hub: [roleManifest('examples/namespace-quota/manifests/rbac-member.yaml')], member: [] };
    await run(addQuotaController, { hub: await standOn(plane.config, stack), roles });
    await playIn(plane);
    await until(() => requests.granted.has('hub: patch events.events.k8s.io'));
    expect(requests.forbidden).toEqual(new Set());
    expect(requests.granted).toEqual(new Set(permissionsOfRoles(roles)));
  });

  it('S-7: sync-hub-to-members needs just what its manifests say', async () => {
    const fleet = stack.use(await startFleet({ members: 1 }));
    const [plane = fleet.hub] = fleet.members;
    const [hub, member] = [await standOn(fleet.hub.config, stack), await standOn(plane.config, stack)];
    const roles = {
      hub: [roleManifest('examples/sync-hub-to-members/manifests/rbac-hub.yaml')],
      member: [roleManifest('examples/sync-hub-to-members/manifests/rbac-member.yaml')],
    };
    await run(addSyncController, { hub, member, roles });
    const key = { namespace: 'default', name: 'palette' };
    const copyIs = (colour: string | undefined) =>
      until(async () => (await member.admin.find(ConfigMap, key))?.data?.['colour'] === colour);

    await hub.admin.create(ConfigMap, { metadata: { ...key, labels: { [SYNC]: 'members' } }, data: { colour: 'red' } });
    await copyIs('red');
    await hub.admin.patch(ConfigMap, key, { data: { colour: 'blue' } }, 'merge');
    await copyIs('blue');
    await hub.admin.delete(ConfigMap, key);
    await copyIs(undefined);
    expect(requests.forbidden).toEqual(new Set());
    expect(requests.granted).toEqual(new Set(permissionsOfRoles(roles)));
  });
});
