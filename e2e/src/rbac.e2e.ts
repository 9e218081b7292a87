import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ClusterConfig, ClusterName } from '@mcr/core';
import { ConfigMap, CustomResourceDefinition, Namespace } from '@mcr/core';
import type { ControlPlane } from '@mcr/envtest';
import { createControlPlane, createControlPlaneFleet } from '@mcr/envtest';
import { createNamespaceProvider } from '@mcr/provider-namespace';
import type { CastOptions, Roles } from './rbac/cast.ts';
import { Cast, permissionsOfRoles } from './rbac/cast.ts';
import { openGround } from './rbac/ground.ts';
import type { Inventory } from './rbac/inventory.ts';
import { inventoriesIn } from './rbac/inventory.ts';
import { declaredPermissions, roleManifest, withoutPermission } from './rbac/manifest.ts';
import { forbiddenTo, grantedTo, timesGranted } from './rbac/recorded-permissions.ts';
import { asServiceAccount, createNamespace, createServiceAccount, kubeconfigOf } from './rbac/service-account.ts';
import { symptomOf } from './rbac/symptom.ts';
import type { Watcher } from './rbac/watcher.ts';
import { until } from './until.ts';

/** Namespace of all inventories in the hub. */
const FLEET = 'fleet';

const leaderElection = roleManifest('packages/core/manifests/rbac-leader-election.yaml');
const memberRole = roleManifest('packages/core/manifests/rbac-member.yaml');

/** A provider, its roles, and the events of one cluster. */
interface Scene {
  readonly name: string;
  readonly roles: Roles;
  readonly clusterName: string;
  /** Whether the members are parts of the hub. Default: false. */
  readonly membersAreInHub?: boolean;
  /** @param stack owns everything that the scene starts. */
  play(stack: AsyncDisposableStack): Promise<Cast>;
}

const namespaceScene: Scene = {
  name: 'namespace',
  clusterName: 'alice',
  membersAreInHub: true,
  roles: {
    // The provider's own cluster cannot move to another endpoint.
    hub: [
      leaderElection,
      roleManifest('packages/provider-namespace/manifests/rbac-hub.yaml'),
      withoutPermission(memberRole, 'get namespaces'),
    ],
    member: [],
  },
  async play(stack) {
    const { roles, clusterName } = namespaceScene;
    const plane = stack.use(await createControlPlane());
    const hub = await openGround(plane.config, stack);
    const createProvider = () => createNamespaceProvider({ labelSelector: 'tenant=true' });
    const cast = await assemble(stack, { roles, hub, createProvider });

    await hub.admin.create(Namespace, { metadata: { name: 'alice', labels: { tenant: 'true' } } });
    await hub.admin.create(ConfigMap, { metadata: { namespace: 'alice', name: 'settings' } });
    await all(cast.witnesses, ({ reconciled }) => reconciled.has(clusterName));
    // The watch is opened after the list has been reconciled.
    await until(() => grantedTo(cast.complete.requests).has('hub: watch configmaps'));
    await showRefusals(cast, clusterName);
    await interrupt({ plane, cast, clusterName });
    await hub.admin.delete(Namespace, { name: 'alice' });
    await all([cast.complete, cast.streaming], (watcher) => watcher.status(clusterName)?.phase === 'Disengaged');
    return cast;
  },
};

function sceneOf(inventory: Inventory): Scene {
  const clusterName = inventory.clusterName('eu');
  const roles = { hub: [leaderElection, ...inventory.manifests.map(roleManifest)], member: [memberRole] };
  return {
    name: inventory.name,
    roles,
    clusterName,
    async play(stack) {
      const fleet = stack.use(await createControlPlaneFleet({ members: 1 }));
      const [plane = fleet.hub] = fleet.members;
      const [hub, member] = [await openGround(fleet.hub.config, stack), await openGround(plane.config, stack)];
      await createNamespace(hub.admin, FLEET);
      if (inventory.definition) await hub.admin.create(CustomResourceDefinition, inventory.definition);
      await member.admin.create(ConfigMap, { metadata: { namespace: 'default', name: 'settings' } });
      const account = { namespace: FLEET, name: 'controllers' };
      await createServiceAccount(member.admin, account, roles.member);
      /** Declares the cluster with a new token. */
      const declare = async (text: (config: ClusterConfig) => string) => {
        const config = await asServiceAccount(member.admin, account, member.withoutWatchList);
        await inventory.declare(hub.admin, 'eu', text(config));
      };
      const createProvider: CastOptions['createProvider'] = (configure) => inventory.createProvider(configure);
      const cast = await assemble(stack, { roles, hub, member, createProvider });
      const { complete, streaming, witnesses } = cast;
      const configOf = async ({ manager }: Watcher) => (await manager.getCluster(clusterName)).config;

      await declare(kubeconfigOf);
      await all(witnesses, ({ reconciled }) => reconciled.has(clusterName));
      const { auth } = await configOf(complete);
      await declare(() => 'this is not a kubeconfig');
      await all(witnesses, (watcher) => watcher.statuses(clusterName).includes('the cluster keeps its last good'));
      await declare(kubeconfigOf);
      await until(async () => (await configOf(complete)).auth !== auth);
      await declare((config) => kubeconfigOf({ ...config, server: config.server.replace('127.0.0.1', 'localhost') }));
      for (const watcher of witnesses) {
        await until(async () => (await configOf(watcher)).server.includes('localhost'));
      }
      await showRefusals(cast, clusterName);
      await interrupt({ plane, cast, clusterName });
      await inventory.remove(hub.admin, 'eu');
      await all([complete, streaming], (watcher) => watcher.status(clusterName)?.phase === 'Disengaged');
      return cast;
    },
  };
}

describe.each([...inventoriesIn(FLEET).map(sceneOf), namespaceScene])(
  'the provider $name, with its published manifests',
  (scene) => {
    const permissions = permissionsOfRoles(scene.roles);
    const stack = new AsyncDisposableStack();
    let cast: Cast;

    beforeAll(async () => {
      cast = await scene.play(stack);
    });
    afterAll(() => stack.disposeAsync());

    it('S-7: is forbidden nothing from the time a cluster joins until it leaves', () => {
      for (const { requests } of [cast.complete, cast.streaming]) expect(forbiddenTo(requests)).toEqual(new Set());
    });

    it('WB-3: declares the permissions of its manifests', () => {
      const declared = declaredPermissions(cast.complete.manager.permissions.list());
      const inManifests = (permission: string) =>
        scene.membersAreInHub ? permission.replace('member: ', 'hub: ') : permission;
      expect(new Set(declared.map(inManifests))).toEqual(new Set(permissions));
    });

    it('WB-3: uses exactly what it declares', () => {
      const { requests, manager } = cast.complete;
      const members = scene.membersAreInHub ? 'namespaces' : 'clusters';
      expect(requests.report(manager, { members })).toEqual({ missing: [], unused: [] });
    });

    it('S-7: grants only permissions that it uses', () => {
      expect(grantedTo(cast.complete.requests)).toEqual(new Set(permissions));
    });

    it.each(permissions)('S-7: without "%s", only that permission is forbidden, and the symptom shows', (missing) => {
      const watcher = cast.without(missing);
      const { requests, log, reconciled } = watcher;
      const { shows, reconciles, becomes } = symptomOf(missing);
      expect(forbiddenTo(requests)).toEqual(new Set([missing]));
      expect([...log.lines, watcher.statuses(scene.clusterName)].join('\n')).toMatch(shows);
      if (reconciles !== undefined) expect(reconciled.has(scene.clusterName)).toBe(reconciles);
      if (becomes) expect(statusesOf(watcher, scene.clusterName)).toMatch(becomes);
    });
  },
);

const all = (watchers: readonly Watcher[], condition: (watcher: Watcher) => boolean) =>
  until(() => watchers.every(condition));

async function assemble(stack: AsyncDisposableStack, options: CastOptions): Promise<Cast> {
  return stack.adopt(await Cast.assemble(options), (cast) => cast.stop());
}

/** Makes the cluster unreachable twice: the second event patches the first one. */
async function interrupt({ plane, cast, clusterName }: InterruptedCluster): Promise<void> {
  const { requests } = cast.complete;
  const eventsWritten = () =>
    timesGranted(requests, 'hub: create events.events.k8s.io') +
    timesGranted(requests, 'hub: patch events.events.k8s.io');
  for (let outage = 0; outage < 2; outage++) {
    await all(cast.witnesses, (watcher) => watcher.status(clusterName)?.phase === 'Engaged');
    const before = eventsWritten();
    await plane.suspend();
    await all(cast.witnesses, (watcher) => watcher.status(clusterName)?.phase === 'Unreachable');
    await plane.resume();
    await until(() => eventsWritten() > before);
  }
  await all([...cast.lacking.values()], ({ requests }) => forbiddenTo(requests).size > 0);
}

interface InterruptedCluster {
  readonly plane: ControlPlane;
  readonly cast: Cast;
  readonly clusterName: string;
}

/** Waits until the fleet status of each watcher shows the phase that its missing permission leads to. */
async function showRefusals({ lacking }: Cast, clusterName: ClusterName): Promise<void> {
  for (const [missing, watcher] of lacking) {
    const { becomes } = symptomOf(missing);
    if (becomes) await until(() => becomes.test(statusesOf(watcher, clusterName)));
  }
}

/** Returns the phases and reasons that the fleet status has shown for the hub and the cluster. */
function statusesOf(watcher: Watcher, clusterName: ClusterName): string {
  return ['', clusterName].map((name) => watcher.statuses(name)).join('\n');
}
