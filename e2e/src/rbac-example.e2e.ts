import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiClient } from '@mcr/core';
import { ConfigMap, createClient, Secret } from '@mcr/core';
import type { ControlPlane, ControlPlaneFleet } from '@mcr/envtest';
import { createControlPlaneFleet } from '@mcr/envtest';

import { roleManifest } from './rbac/manifest.ts';
import { asServiceAccount, createServiceAccount, kubeconfigOf } from './rbac/service-account.ts';
import { until } from './until.ts';

/** Namespace of the Secrets in the hub, and of the accounts in both clusters. */
const FLEET = 'fleet';

const ROOT = join(import.meta.dirname, '..', '..');
const GIVE_ACCESS = join(ROOT, 'packages', 'provider-kubeconfig', 'src', 'mcr-kubeconfig-secret.ts');
const MEMBER_RULES = join(ROOT, 'packages', 'core', 'manifests', 'rbac-member.yaml');
const EXAMPLE = join(ROOT, 'examples', 'kubeconfig', 'src', 'main.ts');

describe('the example, on a hub and a member with exactly the permissions of the manifests', () => {
  let fleet: ControlPlaneFleet;
  let member: ControlPlane;
  let hub: ApiClient;
  let inMember: ApiClient;
  let directory: string;

  beforeAll(async () => {
    fleet = await createControlPlaneFleet({ members: 1 });
    member = fleet.members[0] ?? fleet.hub;
    [hub, inMember] = [createClient(fleet.hub.config), createClient(member.config)];
    directory = await mkdtemp(join(tmpdir(), 'mcr-rbac-'));
    await inMember.create(ConfigMap, { metadata: { namespace: 'default', name: 'settings' } });
  });
  afterAll(async () => {
    await Promise.all([hub.close(), inMember.close()]);
    await fleet.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const write = async (name: string, text: string) => {
    const file = join(directory, name);
    await writeFile(file, text, { mode: 0o600 });
    return file;
  };
  const start = (program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) => {
    const child = spawn(process.execPath, ['--conditions=@mcr/source', program, ...args], {
      env: { ...process.env, ...env },
    });
    const printed: string[] = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => void printed.push(String(chunk)));
    return { child, said: () => printed.join('') };
  };

  /** Runs `mcr-kubeconfig-secret` as an administrator of both clusters. */
  async function giveAccess(): Promise<void> {
    const files = await Promise.all([write('hub', fleet.hub.kubeconfig), write('member', member.kubeconfig)]);
    const names = ['--namespace', FLEET, '--name', 'eu-1', '--context', member.name, '--hub-context', 'hub'];
    const { child, said } = start(GIVE_ACCESS, [...names, '--rules', MEMBER_RULES], {
      KUBECONFIG: files.join(delimiter),
    });
    const [code] = await Promise.all([exitOf(child), fillInToken()]);
    if (code !== 0) throw new Error(said());
  }

  /** Creates the token of a Secret, as kube-controller-manager does. */
  async function fillInToken(): Promise<void> {
    const key = { namespace: FLEET, name: 'multicluster-kubeconfig-provider' };
    await until(async () => (await inMember.find(Secret, key)) !== undefined);
    const { auth } = await asServiceAccount(inMember, key, member.config);
    if (auth?.type !== 'token') throw new Error('the API server returned no token');
    await inMember.patch(Secret, key, { stringData: { token: auth.token } }, 'merge');
  }

  it('S-7: reconciles a member with access from mcr-kubeconfig-secret, and is forbidden nothing', async () => {
    await giveAccess();
    const account = { namespace: FLEET, name: 'controllers' };
    await createServiceAccount(hub, account, [roleManifest('packages/provider-kubeconfig/manifests/rbac-hub.yaml')]);
    const kubeconfig = await write('account', kubeconfigOf(await asServiceAccount(hub, account, fleet.hub.config)));

    const { child, said } = start(EXAMPLE, ['--kubeconfig', kubeconfig, '--namespace', FLEET]);
    try {
      await until(() => said().includes('ConfigMap reconciled'));
      child.kill('SIGINT');
      expect(await exitOf(child)).toBe(0);
      expect(said()).not.toContain('forbidden');
    } finally {
      child.kill('SIGKILL');
    }
  });
});

async function exitOf(child: ChildProcess): Promise<number | null> {
  const [code] = (await once(child, 'close', { signal: AbortSignal.timeout(120_000) })) as [number | null];
  return code;
}
