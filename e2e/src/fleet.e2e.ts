import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiClient } from '@mcr/core';
import { ConfigMap, createClient, Namespace, Secret } from '@mcr/core';
import type { ControlPlane } from '@mcr/envtest';
import { startControlPlane } from '@mcr/envtest';
import { Controller } from './controller.ts';
import { until } from './until.ts';

const LABEL = 'sigs.k8s.io/multicluster-runtime-kubeconfig';
const NAMESPACE = 'fleet';

describe('a fleet of processes: hub, members, and a controller', () => {
  let directory: string;
  let hub: ControlPlane;
  let members: ControlPlane[];
  let controller: Controller;
  const clients = new Map<ControlPlane, ApiClient>();

  const client = (controlPlane: ControlPlane): ApiClient => {
    const present = clients.get(controlPlane) ?? createClient(controlPlane.config);
    clients.set(controlPlane, present);
    return present;
  };
  const member = (index: number): ControlPlane => {
    const found = members[index];
    if (!found) throw new Error(`there is no member ${index}`);
    return found;
  };
  const key = (name: string) => ({ namespace: 'default', name });
  const declare = (name: string, kubeconfig: string) =>
    client(hub).create(Secret, {
      metadata: { namespace: NAMESPACE, name, labels: { [LABEL]: 'true' } },
      stringData: { kubeconfig },
    });
  const output = async (controlPlane: ControlPlane, name: string) =>
    (await client(controlPlane).get(ConfigMap, key(name))).data?.['output'];

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mcr-e2e-'));
    const start = (name: string) => startControlPlane({ name, dataDir: join(directory, name) });
    [hub, ...members] = (await Promise.all(['hub', 'member-1', 'member-2', 'member-3'].map(start))) as [
      ControlPlane,
      ...ControlPlane[],
    ];
    await client(hub).create(Namespace, { metadata: { name: NAMESPACE } });
    for (const each of members) {
      await client(each).create(ConfigMap, { metadata: key('settings'), data: { input: each.name } });
      await client(each).create(ConfigMap, { metadata: key('untouched'), data: { input: 'x', output: 'x' } });
    }
    controller = await Controller.start(hub, NAMESPACE, directory);
  });

  afterAll(async () => {
    controller[Symbol.dispose]();
    await Promise.all([...clients.values()].map((each) => each.close()));
    await Promise.all([hub, ...members].map((each) => each.stop()));
    await rm(directory, { recursive: true, force: true });
  });

  it('reconciles what is there in every member that joins, beside members that are broken or cannot be reached', async () => {
    const unreachable = member(0).kubeconfig.replace(new URL(member(0).config.server).host, '127.0.0.1:1');
    await declare('broken', 'not a kubeconfig');
    await declare('unreachable', unreachable);
    for (const each of members) await declare(each.name, each.kubeconfig);

    for (const each of members) await until(async () => (await output(each, 'settings')) === each.name);
    await until(() => controller.status('unreachable')?.phase === 'Unreachable');
    await until(() => controller.status('broken')?.phase === 'Unreachable');
    expect(controller.status('unreachable')?.reason).toContain('127.0.0.1:1');
    expect(controller.status('broken')?.reason).toContain('kubeconfig');
    expect(controller.log('broken')).toHaveLength(1);
    expect(controller.log('unreachable')).toHaveLength(1);
  });

  it('F-1: a member whose process is killed costs the others nothing, and is resumed without a relist when it is back', async () => {
    await until(() => controller.reconciles('member-2', 'untouched') > 0);
    const before = controller.reconciles('member-2', 'untouched');
    await member(1).kill();

    await client(member(0)).create(ConfigMap, { metadata: key('meanwhile'), data: { input: 'still here' } });
    await until(async () => (await output(member(0), 'meanwhile')) === 'still here');

    await member(1).restart();
    await client(member(1)).create(ConfigMap, { metadata: key('afterwards'), data: { input: 'back again' } });
    await until(async () => (await output(member(1), 'afterwards')) === 'back again');
    // A relist would have told of every object again.
    expect(controller.reconciles('member-2', 'untouched')).toBe(before);
  });

  it('keeps the members going while the hub is down, and takes new ones in when it is back', async () => {
    await hub.kill();
    await client(member(2)).create(ConfigMap, { metadata: key('without-hub'), data: { input: 'alone' } });
    await until(async () => (await output(member(2), 'without-hub')) === 'alone');

    await hub.restart();
    await client(hub).delete(Secret, { namespace: NAMESPACE, name: 'member-3' });
    await until(() => controller.status('member-3')?.phase === 'Disengaged');
    expect(controller.status('member-1')?.phase).toBe('Engaged');
  });

  it('ends the controller at SIGTERM, with exit code 0', async () => {
    await expect(controller.stop()).resolves.toBe(0);
  });
});
