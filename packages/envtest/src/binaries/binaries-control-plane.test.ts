import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ClusterConfig } from '@mcr/client';
import { ConfigMap, createClient, defineKind, isForbidden, isUnauthorized } from '@mcr/client';
import type { ControlPlane } from '../control-plane.ts';
import { createControlPlane } from '../create-control-plane.ts';
import { createControlPlaneFleet } from '../fleet.ts';
import { CONFIG_MAPS, configMap, RawClient } from '../../../apiserver/src/raw-client.fixture.ts';
import { isUnsupportedOperation } from '../unsupported-operation-error.ts';
import { AssetsStandIn } from './stand-in.fixture.ts';

const CARTS = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'carts.shop.example.com' },
  spec: {
    group: 'shop.example.com',
    names: { plural: 'carts', singular: 'cart', kind: 'Cart', listKind: 'CartList' },
    scope: 'Namespaced',
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
};

/** Names that no other process uses, so that the tests can find leftover files. */
const [LATE, ORPHAN, BROKEN] = ['late', 'orphan', 'broken'].map((name) => `${name}-${process.pid}`) as [
  string,
  string,
  string,
];

const given = process.env['KUBEBUILDER_ASSETS'];

describe(`a control plane of backend "binaries" (${given ? `of ${given}` : 'stand-ins'})`, () => {
  let folder: string;
  let standIn: AssetsStandIn | undefined;
  let plane: ControlPlane;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mcr-binaries-test-'));
    // This backend is the default if its programs are available and no other backend is selected.
    delete process.env['MCR_BACKEND'];
    if (!given) process.env['KUBEBUILDER_ASSETS'] = (standIn = await AssetsStandIn.create()).folder;
    plane = await createControlPlane({ name: 'stand-in', crds: [CARTS] });
  });
  afterAll(async () => {
    await plane.stop();
    await standIn?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
    if (given) process.env['KUBEBUILDER_ASSETS'] = given;
    else delete process.env['KUBEBUILDER_ASSETS'];
  });

  it('is the default if KUBEBUILDER_ASSETS is set, and serves the given kinds', async () => {
    expect(plane.pid).toBeGreaterThan(0);
    await using client = createClient(plane.config);
    const Cart = defineKind({ apiVersion: 'shop.example.com/v1', kind: 'Cart' });
    await client.create(Cart, { metadata: { namespace: 'default', name: 'mine' } });
    await plane.seed({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name: 'seed' } }, 3);
    const { items } = await client.list(ConfigMap, { namespace: 'default' });
    expect(items.map(({ metadata }) => metadata.name).filter((name) => name.startsWith('seed'))).toHaveLength(3);
  });

  it('K-21: issues certificates whose permissions RBAC decides', async () => {
    const { config } = await plane.issueCertificate({ user: 'jane' });
    await using jane = createClient(config);
    const refusal = await jane.list(ConfigMap).catch((error: unknown) => error);
    expect(isForbidden(refusal)).toBe(true);
    expect(String(refusal)).toContain('User "jane" cannot list resource "configmaps"');
  });

  it('K-21: issues tokens and revokes them', async () => {
    const issued = await plane.issueToken();
    await using client = createClient(issued.config);
    await client.list(ConfigMap);
    await plane.revokeToken(issued);
    expect(isUnauthorized(await client.list(ConfigMap).catch((error: unknown) => error))).toBe(true);
  });

  it('K-5: discards its history', async () => {
    using before = new RawClient(plane.config);
    const { body } = await before.post(CONFIG_MAPS, configMap('compacted'));
    await before.post(CONFIG_MAPS, configMap('after'));
    await plane.compact();
    using after = new RawClient(plane.config);
    const watch = await after.watch(`${CONFIG_MAPS}?watch=true&resourceVersion=${body.metadata.resourceVersion}`);
    expect(await watch.next()).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } });
  });

  it('after a SIGKILL it restarts with the same port, credentials and objects', async () => {
    using before = new RawClient(plane.config);
    await before.post(CONFIG_MAPS, configMap('survivor'));
    const { pid } = plane;
    await plane.kill();
    expect(plane.pid).toBe(0);
    expect(isRunning(pid)).toBe(false);
    await plane.restart();
    using after = new RawClient(plane.config);
    expect((await after.get(`${CONFIG_MAPS}/survivor`)).status).toBe(200);
  });

  it('refuses operations that only the embedded server supports', async () => {
    const failure = await plane.cutConnections().catch((error: unknown) => error);
    expect(isUnsupportedOperation(failure)).toBe(true);
    expect(String(failure)).toContain('backend "binaries" do not support cutConnections()');
    await expect(createControlPlane({ historyLimit: 5 })).rejects.toThrow(
      'backend "binaries" does not support the option',
    );
  });

  it('survives its processes in a dataDir, and only there', async () => {
    const dataDir = join(folder, 'data');
    const first = await createControlPlane({ name: 'kept', dataDir, crds: [CARTS] });
    const { pid } = first;
    {
      using before = new RawClient(first.config);
      await before.post(CONFIG_MAPS, configMap('kept'));
    }
    await first.stop();
    expect(isRunning(pid)).toBe(false);
    await using second = await createControlPlane({ name: 'kept', dataDir, crds: [CARTS] });
    expect(second.config).toEqual(first.config);
    using after = new RawClient(second.config);
    expect((await after.get(`${CONFIG_MAPS}/kept`)).status).toBe(200);
  });

  it('is a part of each control plane of a fleet of that backend', async () => {
    const fleet = await createControlPlaneFleet({ members: 1, backend: 'binaries' });
    // Stopped while it is being created.
    const late = fleet.addMember(LATE).then(String, String);
    const pids = [fleet.hub, ...fleet.members].map(({ pid }) => pid);
    await fleet.stop();
    expect(await late).toContain('was stopped while it started');
    expect(pids.filter(isRunning)).toEqual([]);
    expect(await leftOf(LATE)).toEqual([]);
  });

  it('ends with the process that started it', async () => {
    const index = JSON.stringify(new URL('../index.ts', import.meta.url).href);
    const source = `const { createControlPlane } = await import(${index});
      const { pid, config } = await createControlPlane({ name: '${ORPHAN}' });
      console.log(JSON.stringify({ pid, config }));
      setInterval(() => undefined, 1000);`;
    const args = ['--conditions=@mcr/source', '--input-type=module', '--eval', source];
    const parent = spawn(process.execPath, args, { env: process.env, stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = (await once(parent.stdout, 'data')) as [Buffer];
    const { config } = JSON.parse(line.toString()) as { config: ClusterConfig };
    expect(await leftOf(ORPHAN)).toHaveLength(1);
    using client = new RawClient(config);
    const watch = await client.watch(`${CONFIG_MAPS}?watch=true&resourceVersion=0`);
    parent.kill('SIGKILL');
    while (await watch.next());
    await gone(async () => (await leftOf(ORPHAN)).length === 0);
    using late = new RawClient(config);
    await expect(late.get('/version')).rejects.toThrow();
  });

  it('reports why a program does not start, and leaves no files or processes behind', async () => {
    const assets = process.env['KUBEBUILDER_ASSETS'];
    await using broken = await AssetsStandIn.create({ fails: 'Error: unknown flag: --allow-privileged' });
    try {
      process.env['KUBEBUILDER_ASSETS'] = broken.folder;
      await expect(createControlPlane({ name: BROKEN })).rejects.toThrow(
        'kube-apiserver did not start: exit code 3\nError: unknown flag: --allow-privileged',
      );
      process.env['KUBEBUILDER_ASSETS'] = '/nowhere';
      await expect(createControlPlane()).rejects.toThrow(
        /needs the program \/nowhere\/etcd, .*: set KUBEBUILDER_ASSETS/,
      );
    } finally {
      process.env['KUBEBUILDER_ASSETS'] = assets;
    }
    expect(await leftOf(BROKEN)).toEqual([]);
  });
});

/** Returns the directories of control planes with this name. */
async function leftOf(name: string): Promise<string[]> {
  return (await readdir(tmpdir())).filter((entry) => entry.startsWith(`mcr-envtest-${name}-`));
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Polls until `isGone` resolves with true. The test's own deadline limits the wait. */
async function gone(isGone: () => Promise<boolean>): Promise<void> {
  while (!(await isGone())) await new Promise((resolve) => setTimeout(resolve, 50));
}
