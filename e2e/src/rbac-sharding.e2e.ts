import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { LogFields, Logger, Manager } from '@mcr/core';
import { ConfigMap, controllerManagedBy, createManager, silentLogger } from '@mcr/core';
import { PermissionRecorder } from '@mcr/core/testing';
import type { ControlPlane } from '@mcr/envtest';
import { createControlPlane } from '@mcr/envtest';
import type { Ground } from './rbac/ground.ts';
import { openGround } from './rbac/ground.ts';
import type { RoleManifest } from './rbac/manifest.ts';
import { permissionsOf, roleManifest, withoutPermission } from './rbac/manifest.ts';
import { forbiddenTo, grantedTo } from './rbac/recorded-permissions.ts';
import { asServiceAccount, createServiceAccount } from './rbac/service-account.ts';
import { until } from './until.ts';

const NAMESPACE = 'fleet';
/** Times of the group, in milliseconds: shorter than the defaults, so that the test takes less time. */
const TIMES = { leaseDuration: 6_000, margin: 2_000, renewInterval: 1_000, writeDeadline: 1_000, warmTimeout: 5_000 };

const sharding = roleManifest('packages/core/manifests/rbac-sharding.yaml');
/** The permissions of the controller itself. */
const controller: RoleManifest = {
  kind: 'Role',
  metadata: { name: 'controller' },
  rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list', 'watch'] }],
};

interface Replica {
  readonly manager: Manager;
  readonly requests: PermissionRecorder;
  /** Logged problems. */
  readonly problems: readonly string[];
  stop(): Promise<void>;
}

describe('replicas with exactly the permissions of the manifest', () => {
  const stack = new AsyncDisposableStack();
  let plane: ControlPlane;
  let hub: Ground;
  beforeAll(async () => {
    plane = stack.use(await createControlPlane());
    hub = await openGround(plane.config, stack);
  });
  afterAll(() => stack.disposeAsync());

  /** Starts a replica of a group with a role of its own. */
  async function start(
    name: string,
    { group, role = sharding }: { readonly group: string; readonly role?: RoleManifest },
  ) {
    const account = { namespace: NAMESPACE, name: `${group}-${name}` };
    await createServiceAccount(hub.admin, account, [role, controller]);
    const requests = new PermissionRecorder();
    const problems: string[] = [];
    const note = (_: string, fields?: LogFields) => void problems.push(String(fields?.['error']));
    const logger: Logger = { ...silentLogger, warn: note, error: note, child: () => logger };
    const manager = await createManager({
      config: await asServiceAccount(hub.admin, account, plane.config),
      sharding: { name: group, namespace: NAMESPACE, replicaId: name, ...TIMES },
      cache: { namespaces: [NAMESPACE] },
      metrics: { bindAddress: '0' },
      tracer: requests,
      logger,
    });
    await controllerManagedBy(manager)
      .for(ConfigMap)
      .shardBy(({ name }) => name)
      .complete(async () => undefined);
    const end = new AbortController();
    const ended = manager.start(end.signal);
    const replica: Replica = { manager, requests, problems, stop: () => (end.abort(), ended) };
    return stack.adopt(replica, () => replica.stop());
  }

  const owned = ({ manager: { slots } }: Replica) =>
    Array.from({ length: slots?.count ?? 0 }, (_, slot) => slot).filter((slot) => slots?.stateOf(slot) === 'active');

  it('SH-15: divide the slots, hand them over and end, and no permission is missing', async () => {
    const a = await start('a', { group: 'complete' });
    await until(() => owned(a).length === 1_024);
    const b = await start('b', { group: 'complete' });
    await until(() => owned(b).length > 0);
    await a.stop();
    await until(() => owned(b).length === 1_024);
    for (const { requests } of [a, b]) expect(forbiddenTo(requests)).toEqual(new Set());
    const used = new Set([...grantedTo(a.requests), ...grantedTo(b.requests)]);
    const unused = permissionsOf(sharding).filter((permission) => !used.has(`hub: ${permission}`));
    // The Lease of the replica that ended is deleted after a minute, and only a storm of handovers writes an Event.
    expect(unused).toEqual(['delete leases.coordination.k8s.io', 'create events.events.k8s.io']);
    await b.stop();
  });

  it.each(['list', 'create', 'update'])(
    'SH-15: a replica that may not %s Leases says so, and owns nothing',
    async (verb) => {
      const permission = `${verb} leases.coordination.k8s.io`;
      const replica = await start('a', { group: `no-${verb}`, role: withoutPermission(sharding, permission) });
      await until(() => replica.problems.some((problem) => problem.includes('leases') && problem.includes(verb)));
      expect(owned(replica)).toEqual([]);
      expect(forbiddenTo(replica.requests)).toContain(`hub: ${permission}`);
      await replica.stop();
    },
  );
});
