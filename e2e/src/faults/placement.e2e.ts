import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ApiClient, ClusterConfig } from '@mcr/core';
import { ClusterRole, ClusterRoleBinding, ConfigMap, createClient, ValidatingWebhookConfiguration } from '@mcr/core';
import type { ControlPlane, ControlPlaneFleet } from '@mcr/envtest';
import { createControlPlaneFleet, createFaultProxy, type FaultProxy } from '@mcr/envtest';
import { until } from '../until.ts';
import { runShops, Shop, shopDefinition } from './shop.ts';

/** Maximum time until a healthy member has a change, in milliseconds: ten times the usual time on an idle machine. */
const USUAL = 10_000;

/** Maximum length of a message in the status of an owner. */
const MAX_MESSAGE = 512;

describe('a placement in a fleet with faults', () => {
  let fleet: ControlPlaneFleet;
  let good: ControlPlane;
  let bad: ControlPlane;
  let proxy: FaultProxy;
  let hub: ApiClient;
  let clients: ReadonlyMap<ControlPlane, ApiClient>;
  beforeAll(async () => {
    fleet = await createControlPlaneFleet({ members: 2, crds: [shopDefinition] });
    [good = fleet.hub, bad = fleet.hub] = fleet.members;
    hub = createClient(fleet.hub.config);
    clients = new Map(fleet.members.map((plane) => [plane, createClient(plane.config)]));
  });
  afterAll(async () => {
    await Promise.all([hub, ...clients.values()].map((client) => client.close()));
    await fleet.stop();
  });
  beforeEach(async () => {
    proxy = await createFaultProxy({ target: bad.config });
  });
  afterEach(() => proxy.stop());

  const key = (name: string) => ({ namespace: 'default', name });
  const copy = (plane: ControlPlane, name: string) => clients.get(plane)?.find(ConfigMap, key(name));
  const colour = async (plane: ControlPlane, name: string) => (await copy(plane, name))?.data?.['colour'];
  const create = (name: string) => hub.create(Shop, { metadata: key(name), spec: { colour: 'red' } });
  const paint = (name: string) => hub.patch(Shop, key(name), { spec: { colour: 'blue' } }, 'merge');
  const find = (name: string) => hub.find(Shop, key(name));
  const isGone = (name: string) => until(async () => (await find(name)) === undefined);
  const arePlaced = (name: string) =>
    until(async () => (await colour(good, name)) === 'red' && (await colour(bad, name)) === 'red');
  const condition = async (name: string) =>
    (await find(name))?.status?.conditions?.find(({ type }) => type === 'Placed');
  const failure = async (name: string) =>
    (await find(name))?.status?.clusters?.find((cluster) => cluster.name === bad.name);
  const halfOpen = () => proxy.inject({ on: 'connections', fault: { type: 'half-open' } });

  async function start(options: Parameters<typeof runShops>[1] = {}, config: ClusterConfig = proxy.config) {
    const run = await runShops(fleet.hub.config, options);
    run.join(good.name, good.config);
    run.join(bad.name, config);
    await until(() => run.isEngaged(good.name) && run.isEngaged(bad.name));
    return run;
  }

  it('FP-4, FP-3, F-23: a half-open member delays neither changes nor deletions of others, the deletion waits for it, and ends when it is back', async () => {
    await using run = await start();
    expect(run.isEngaged(bad.name)).toBe(true);
    await create('waiting');
    await arePlaced('waiting');
    halfOpen();
    await paint('waiting');
    await until(async () => (await colour(good, 'waiting')) === 'blue', { within: USUAL });
    await until(async () => (await failure('waiting')) !== undefined);
    expect(await condition('waiting')).toMatchObject({ status: 'False' });
    // One that is created meanwhile.
    await create('during');
    await until(async () => (await colour(good, 'during')) === 'red', { within: USUAL });

    await hub.delete(Shop, key('waiting'));
    await until(async () => (await copy(good, 'waiting')) === undefined, { within: USUAL });
    await until(async () => (await condition('waiting'))?.reason === 'Deleting');
    expect((await failure('waiting'))?.name).toBe(bad.name);
    proxy.heal();
    await isGone('waiting');
    expect(await copy(bad, 'waiting')).toBeUndefined();
    await arePlaced('during');
    await hub.delete(Shop, key('during'));
    await isGone('during');
  });

  it('FP-3: releases an owner whose member stays half-open until the deadline, and the member keeps its objects', async () => {
    await using run = await start({ deletionPolicy: { orphanAfter: 2_000 } });
    await create('orphaned');
    await arePlaced('orphaned');
    halfOpen();
    await hub.delete(Shop, key('orphaned'));
    await isGone('orphaned');
    expect(await copy(good, 'orphaned')).toBeUndefined();
    proxy.heal();
    await until(() => run.isEngaged(bad.name));
    // An owner of the same name takes the object over.
    const { metadata } = await create('orphaned');
    await until(async () => (await copy(bad, 'orphaned'))?.data?.['uid'] === metadata.uid);
    await hub.delete(Shop, key('orphaned'));
    await isGone('orphaned');
    expect(await copy(bad, 'orphaned')).toBeUndefined();
  });

  it.each<[string, (name: string) => Promise<{ config: ClusterConfig; heal: () => Promise<unknown> }>, RegExp]>([
    ['an admission webhook that fails', () => refuseByWebhook(), /webhook/],
    ['RBAC', () => refuseByRole(), /cannot patch/],
    [
      'an answer like that of a quota',
      () => {
        const fault = { type: 'answer', status: 403, reason: 'Forbidden' } as const;
        proxy.inject({ on: 'requests', match: { method: 'PATCH' }, fault });
        return Promise.resolve({
          config: proxy.config,
          heal: () =>
            Promise.resolve().then(() => {
              proxy.heal();
            }),
        });
      },
      /403|[Ff]orbidden/,
    ],
  ])(
    'FP-4: names a member whose writes are refused by %s and the reason, and does not hold up others',
    async (what, refuse, reason) => {
      const name = what.replaceAll(' ', '-').toLowerCase().slice(0, 40);
      const { config, heal } = await refuse(name);
      await using run = await start({}, config);
      expect(run.isEngaged(good.name)).toBe(true);
      await create(name);
      await until(async () => (await colour(good, name)) === 'red', { within: USUAL });
      await until(async () => (await failure(name))?.reason === 'Failed');
      const message = (await failure(name))?.message ?? '';
      expect(message).toMatch(reason);
      expect(message.length).toBeLessThanOrEqual(MAX_MESSAGE);
      expect((await condition(name))?.message).toContain(bad.name);
      await paint(name);
      await until(async () => (await colour(good, name)) === 'blue', { within: USUAL });
      expect(await copy(bad, name)).toBeUndefined();
      await heal();
      await until(async () => (await colour(bad, name)) === 'blue');
      await until(async () => (await condition(name))?.status === 'True');
      await hub.delete(Shop, key(name));
      await isGone(name);
    },
  );

  it('FP-1, FP-3, FP-4: a late member, one that is away during a deletion, and the next owner of the same name survive a restart', async () => {
    await using before = await runShops(fleet.hub.config);
    before.join(good.name, good.config);
    const { metadata } = await create('restarted');
    await until(async () => (await colour(good, 'restarted')) === 'red');
    before.join(bad.name, bad.config);
    await until(async () => (await colour(bad, 'restarted')) === 'red');
    await before.provider.delete(bad.name);
    await hub.delete(Shop, key('restarted'));
    await until(async () => (await copy(good, 'restarted')) === undefined);
    await before[Symbol.asyncDispose]();
    // The finalizer is removed by hand, because the member is said to be gone, and the owner is created again.
    await hub.patch(Shop, key('restarted'), { metadata: { finalizers: null } }, 'merge');
    const again = await create('restarted');
    expect(again.metadata.uid).not.toBe(metadata.uid);

    await using after = await runShops(fleet.hub.config);
    after.join(good.name, good.config);
    await until(async () => (await copy(good, 'restarted'))?.data?.['uid'] === again.metadata.uid);
    expect((await copy(bad, 'restarted'))?.data?.['uid']).toBe(metadata.uid);
    after.join(bad.name, bad.config);
    await until(async () => (await copy(bad, 'restarted'))?.data?.['uid'] === again.metadata.uid);
    await until(async () => (await condition('restarted'))?.status === 'True');
    await hub.delete(Shop, key('restarted'));
    await isGone('restarted');
    for (const plane of fleet.members) expect(await copy(plane, 'restarted')).toBeUndefined();
  });

  it('FP-4: continues when the connections of the hub are cut while owners change', async () => {
    await using run = await start({}, bad.config);
    await create('cut');
    await arePlaced('cut');
    expect(run.isEngaged(good.name)).toBe(true);
    await fleet.hub.cutConnections();
    await paint('cut');
    await fleet.hub.cutConnections();
    await until(async () => (await colour(good, 'cut')) === 'blue' && (await colour(bad, 'cut')) === 'blue');
    await hub.delete(Shop, key('cut'));
    await fleet.hub.cutConnections();
    await isGone('cut');
  });

  /** Has the bad member call a webhook that does not exist for each write of a ConfigMap. */
  async function refuseByWebhook() {
    const client = createClient(bad.config);
    const name = 'refuse.example.com';
    await client.create(ValidatingWebhookConfiguration, {
      metadata: { name },
      webhooks: [
        {
          name,
          admissionReviewVersions: ['v1'],
          sideEffects: 'None',
          clientConfig: { url: 'https://127.0.0.1:1/' },
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'default' } },
          rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
        },
      ],
    });
    const heal = async () => {
      await client.delete(ValidatingWebhookConfiguration, { name });
      await client.close();
    };
    return { config: proxy.config, heal };
  }

  /** Returns the configuration of a user that may not patch. */
  async function refuseByRole() {
    const client = createClient(bad.config);
    const role = (verbs: string[]) => ({
      metadata: { name: 'shops' },
      rules: [{ apiGroups: [''], resources: ['configmaps'], verbs }],
    });
    await client.create(ClusterRole, role(['get', 'list', 'watch']));
    await client.create(ClusterRoleBinding, {
      metadata: { name: 'shops' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'shops' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'shops' }],
    });
    const { config } = await bad.issueToken({ user: 'shops' });
    const heal = async () => {
      await client.patch(ClusterRole, { name: 'shops' }, { rules: role(['*']).rules }, 'merge');
      await client.close();
    };
    return { config, heal };
  }
});
