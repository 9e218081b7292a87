import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ApiClient, createClient, Namespace, Node, Pod } from '@mcr/core';
import { type ControlPlane, createControlPlane } from '@mcr/envtest';

const PROGRAMS = join(import.meta.dirname, '..', 'judges', 'go');
const MCR = join(import.meta.dirname, '..', '..', 'packages', 'cli', 'src', 'mcr.ts');
const NAMESPACE = 'fleet';

/** Time of a first build on a busy machine, in milliseconds. */
const BUILD_TIMEOUT = 15 * 60_000;
const DEADLINE = 30_000;

/** They need Go, kubectl, and the programs in `$KUBEBUILDER_ASSETS`. */
const isRequested = process.env['MCR_JUDGES'] === '1';

(isRequested ? describe : describe.skip)('ports that kube-apiserver forwards, with the code of the kubelet', () => {
  let directory: string;
  let kubeconfig: string;
  let plane: ControlPlane;
  let client: ApiClient;
  let kubelet: ChildProcess;
  let manager: Server;
  /** Response of the manager. */
  let body: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mcr-kubelet-judge-'));
    execFileSync('go', ['build', '-o', `${directory}/`, './kubelet'], { cwd: PROGRAMS });
    plane = await createControlPlane({ backend: 'binaries' });
    client = createClient(plane.config);
    kubeconfig = join(directory, 'config');
    await writeFile(kubeconfig, plane.kubeconfig, { mode: 0o600 });
    kubelet = spawn(join(directory, 'kubelet'), { stdio: ['pipe', 'pipe', 'inherit'] });
    await client.create(Node, { metadata: { name: 'node' } });
    const daemonEndpoints = { kubeletEndpoint: { Port: Number(await firstLine(kubelet)) } };
    const status = { addresses: [{ type: 'InternalIP', address: '127.0.0.1' }], daemonEndpoints };
    await client.status.patch(Node, { name: 'node' }, { status }, 'merge');
    await client.create(Namespace, { metadata: { name: NAMESPACE } });
    manager = createServer((_, response) => response.end(body));
    await once(manager.listen(0, '127.0.0.1'), 'listening');
    await addPod('copier-0', portOf(manager));
  }, BUILD_TIMEOUT);
  afterAll(async () => {
    manager.close();
    kubelet.stdin?.end();
    await client.close();
    await plane.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const addPod = async (name: string, containerPort: number): Promise<void> => {
    const containers = [{ name: 'manager', image: 'copier', ports: [{ name: 'metrics', containerPort }] }];
    const metadata = { namespace: NAMESPACE, name, labels: { app: 'copier' } };
    await client.create(Pod, { metadata, spec: { nodeName: 'node', containers } });
    await client.status.patch(Pod, { namespace: NAMESPACE, name }, { status: { phase: 'Running' } }, 'merge');
  };

  const mcr = (...args: readonly string[]) =>
    promisify(execFile)(
      process.execPath,
      ['--conditions=@mcr/source', MCR, 'fleet', ...args, '--kubeconfig', kubeconfig, '-n', NAMESPACE],
      { timeout: DEADLINE, maxBuffer: 2 ** 28 },
    );

  it('WB-5: kubectl reaches the manager', async () => {
    body = statusOf(1);
    const args = ['--kubeconfig', kubeconfig, '-n', NAMESPACE, 'port-forward', 'pod/copier-0', `:${portOf(manager)}`];
    const forwarding = spawn('kubectl', args, { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      const [, port] = /127\.0\.0\.1:(\d+)/.exec(await firstLine(forwarding)) ?? [];
      const response = await fetch(`http://127.0.0.1:${port}/fleet`, { signal: AbortSignal.timeout(DEADLINE) });
      expect(await response.text()).toBe(body);
    } finally {
      forwarding.kill();
    }
  });

  it('WB-5: mcr fleet reaches the manager, also with a large status', async () => {
    for (const clusters of [1, 20_000]) {
      body = statusOf(clusters);
      const { stdout, stderr } = await mcr('--manager', 'pod/copier-0', '-o', 'json');
      expect(stderr).toBe('');
      expect(JSON.parse(stdout)).toEqual(JSON.parse(body));
    }
  });

  it('WB-5: mcr fleet reports a port that is closed, and a Pod that does not exist', async () => {
    await addPod('copier-1', 1);
    await expect(mcr('--manager', 'pod/copier-1')).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/pod\/copier-1: port-forward failed: error forwarding port 1 .*connection refused/),
    });
    await expect(mcr('--manager', 'pod/none')).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('pods "none" not found'),
    });
  });
});

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

/** Returns the first line that a program prints. */
async function firstLine({ stdout }: ChildProcess): Promise<string> {
  if (!stdout) throw new Error('expected the output of the program');
  const [line] = (await once(createInterface(stdout), 'line', { signal: AbortSignal.timeout(DEADLINE) })) as [string];
  return line;
}

function statusOf(count: number): string {
  const status = { phase: 'Engaged', since: 0, reason: 'all sources have synced', sources: {}, history: [] };
  const clusters = Array.from({ length: count }, (_, at) => ({
    ...{ name: `cluster-${String(at).padStart(5, '0')}`, objects: 3, reconciles: 7, errors: 0 },
    ...status,
  }));
  return JSON.stringify({ clusters });
}
