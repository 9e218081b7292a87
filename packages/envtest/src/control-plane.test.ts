import { once } from 'node:events';
import { spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'node:https';
import type { Readable } from 'node:stream';
import type { ClusterConfig } from '@mcr/client';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { chooseBackend, isUnsupportedBackend } from './backend.ts';
import type { ControlPlane } from './control-plane.ts';
import { createControlPlane } from './create-control-plane.ts';
import { CONFIG_MAPS, configMap, RawClient } from '../../apiserver/src/raw-client.fixture.ts';
import { claimPort } from '../../apiserver/src/http/ports.ts';

describe('control plane', () => {
  let plane: ControlPlane;
  let dataDir: string;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'mcr-envtest-'));
    plane = await createControlPlane({ dataDir });
  });
  afterAll(async () => {
    await plane.stop();
    await rm(dataDir, { recursive: true });
  });

  it('K-20: starts with the namespaces of a real cluster', async () => {
    using client = new RawClient(plane.config);
    const { body } = await client.get('/api/v1/namespaces');
    expect(body.items.map(({ metadata }) => metadata.name)).toEqual([
      'default',
      'kube-node-lease',
      'kube-public',
      'kube-system',
    ]);
  });

  it('returns a kubeconfig with the same content as its config', () => {
    const kubeconfig: unknown = parse(plane.kubeconfig);
    const { server, tls, auth } = plane.config;
    const ca = Buffer.from(tls?.caData ?? '').toString('base64');
    expect(kubeconfig).toMatchObject({
      clusters: [{ cluster: { server, 'certificate-authority-data': ca } }],
      users: [{ user: { token: auth?.type === 'token' ? auth.token : '' } }],
    });
  });

  it('K-21: issues tokens and client certificates for users', async () => {
    const certified = await plane.issueCertificate({ user: 'dora', groups: ['certified'] });
    expect(certified.kubeconfig).toContain('client-certificate-data');
    const self = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    for (const { config } of [certified, await plane.issueToken({ user: 'dora', groups: ['certified'] })]) {
      using client = new RawClient(config);
      const { body } = await client.post('/apis/authentication.k8s.io/v1/selfsubjectreviews', self);
      expect(body.status).toEqual({ userInfo: { username: 'dora', groups: ['certified', 'system:authenticated'] } });
    }
  });

  it('K-21: refuses requests without a valid token, and returns its version to anonymous clients', async () => {
    const { server, tls } = plane.config;
    using anonymous = new RawClient({ server, ...(tls && { tls }) });
    const refused = await anonymous.get(CONFIG_MAPS);
    expect(refused.status).toBe(401);
    expect(refused.body).toMatchObject({ kind: 'Status', reason: 'Unauthorized', message: 'Unauthorized' });
    expect((await anonymous.get('/version')).status).toBe(200);
    using wrong = new RawClient({ ...plane.config, auth: { type: 'token', token: 'wrong' } });
    expect((await wrong.get('/version')).status).toBe(401);
  });

  it('K-21: issues further tokens, and refuses a revoked one while the others remain valid', async () => {
    const issued = await plane.issueToken();
    using client = new RawClient(issued.config);
    using first = new RawClient(plane.config);
    const { status, body } = await client.get(CONFIG_MAPS);
    expect(status).toBe(200);
    const watch = await client.watch(`${CONFIG_MAPS}?watch=true&resourceVersion=${body.metadata.resourceVersion}`);
    await plane.revokeToken(issued);
    expect((await client.get(CONFIG_MAPS)).status).toBe(401);
    expect((await first.get(CONFIG_MAPS)).status).toBe(200);
    await first.post(CONFIG_MAPS, configMap('seen-by-revoked'));
    expect(await watch.take(1)).toEqual([expect.stringContaining('ADDED seen-by-revoked@')]);
  });

  it('serves HTTP/1.1 to clients without HTTP/2', async () => {
    const { server, tls, auth } = plane.config;
    const authorization = `Bearer ${auth?.type === 'token' ? auth.token : ''}`;
    const message = request(`${server}/version`, { ca: tls?.caData, headers: { authorization }, agent: false });
    message.end();
    const [response] = (await once(message, 'response')) as [IncomingMessage];
    expect([response.httpVersion, response.statusCode]).toEqual(['1.1', 200]);
    response.resume();
    await once(response, 'close');
  });

  it('after a SIGKILL it restarts with the same port, tokens, objects and versions', async () => {
    const issued = await plane.issueToken();
    using before = new RawClient(issued.config);
    const { body: first } = await before.post(CONFIG_MAPS, configMap('survivor', { v: '1' }));
    const { body: second } = await before.patch(`${CONFIG_MAPS}/survivor`, { data: { v: '2' } });
    const watch = await before.watch(`${CONFIG_MAPS}?watch=true&resourceVersion=${first.metadata.resourceVersion}`);
    expect(await watch.take(1)).toEqual([`MODIFIED survivor@${second.metadata.resourceVersion}`]);
    const { pid } = plane;

    await plane.kill();
    expect(await watch.next()).toBeUndefined();
    await plane.restart();

    expect(plane.pid).not.toBe(pid);
    using after = new RawClient(issued.config);
    expect((await after.get(`${CONFIG_MAPS}/survivor`)).body).toEqual(second);
    const resumed = await after.watch(`${CONFIG_MAPS}?watch=true&resourceVersion=${second.metadata.resourceVersion}`);
    const { body: third } = await after.patch(`${CONFIG_MAPS}/survivor`, { data: { v: '3' } });
    expect(third.metadata.resourceVersion).toBe(String(Number(second.metadata.resourceVersion) + 1));
    expect(await resumed.take(1)).toEqual([`MODIFIED survivor@${third.metadata.resourceVersion}`]);
  });

  it('a compaction survives a restart of the process', async () => {
    using before = new RawClient(plane.config);
    const { body } = await before.post(CONFIG_MAPS, configMap('compacted'));
    await before.post(CONFIG_MAPS, configMap('after'));
    await plane.compact();
    await plane.restart();
    using after = new RawClient(plane.config);
    const watch = await after.watch(`${CONFIG_MAPS}?watch=true&resourceVersion=${body.metadata.resourceVersion}`);
    expect(await watch.next()).toMatchObject({ type: 'ERROR', object: { code: 410 } });
  });

  it('refuses connections while it is suspended', async () => {
    await plane.suspend();
    using refused = new RawClient(plane.config);
    await expect(refused.get('/version')).rejects.toThrow(/ECONNREFUSED/);
    await plane.resume();
    using client = new RawClient(plane.config);
    expect((await client.get('/version')).status).toBe(200);
  });

  it('keeps its port while it is suspended: no connection and no other control plane gets it', async () => {
    const port = Number(new URL(plane.config.server).port);
    expect(port).toBeLessThan(32_768);
    await plane.suspend();
    expect(await claimPort(port)).toBeUndefined();
    await plane.resume();
  });

  it('names the port that is already in use', async () => {
    const squatter = createServer().listen(0, '127.0.0.1');
    await once(squatter, 'listening');
    const { port } = squatter.address() as AddressInfo;
    await expect(createControlPlane({ port })).rejects.toThrow(`port ${port} of 127.0.0.1 is in use`);
    squatter.close();
  });

  it('refuses unknown options and invalid names', async () => {
    const options = { port: 0, prot: 6443 };
    await expect(createControlPlane(options)).rejects.toThrow(
      new TypeError(
        'createControlPlane: unknown option "prot": use only dataDir, historyLimit, bookmarkInterval, featureGates, services, controllers, name, port, crds, crdPaths, webhooks, backend, existing, kubeconfig, context',
      ),
    );
    await expect(createControlPlane({ name: 'Not a name' })).rejects.toThrow(
      new TypeError('createControlPlane: option "name": must be a DNS-1123 label'),
    );
  });

  it('uses the backend of the option, else of MCR_BACKEND, else the one whose programs are available', () => {
    const environment = { MCR_BACKEND: 'kind', KUBEBUILDER_ASSETS: '/assets' };
    expect(chooseBackend('embedded', environment)).toBe('embedded');
    expect(chooseBackend('auto', environment)).toBe('kind');
    expect(chooseBackend('auto', { KUBEBUILDER_ASSETS: '/assets' })).toBe('binaries');
    expect(chooseBackend('auto', {})).toBe('embedded');
  });

  it('names the unknown backend and the option or variable that selected it', () => {
    const choose = (): unknown => chooseBackend('auto', { MCR_BACKEND: 'minikube' });
    expect(choose).toThrow('environment variable MCR_BACKEND: unknown backend "minikube"');
    try {
      choose();
    } catch (error) {
      expect(isUnsupportedBackend(error)).toBe(true);
    }
  });

  it('does not restart a control plane that is kept in memory', async () => {
    await using memory = await createControlPlane();
    await expect(memory.restart()).rejects.toThrow(/dataDir/);
  });

  it('ends with the process that started it', async () => {
    const parent = run(`
      console.log(JSON.stringify((await createControlPlane()).config));
      setInterval(() => undefined, 1000);
    `);
    const [line] = (await once(parent.stdout, 'data')) as [Buffer];
    using client = new RawClient(JSON.parse(line.toString()) as ClusterConfig);
    const watch = await client.watch(`${CONFIG_MAPS}?watch=true`);
    parent.kill('SIGKILL');
    expect(await watch.next()).toBeUndefined();
    using late = new RawClient(JSON.parse(line.toString()) as ClusterConfig);
    await expect(late.get('/version')).rejects.toThrow();
  });

  it('stops a process that is frozen, within some seconds', async () => {
    const frozen = await createControlPlane();
    const { pid } = frozen;
    process.kill(pid, 'SIGSTOP');
    await frozen.stop();
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });

  it('does not keep an otherwise idle process running', async () => {
    const [code] = (await once(run('await createControlPlane();'), 'exit')) as [number];
    expect(code).toBe(0);
  });
});

/** Runs a program that starts a control plane, in a separate process. */
function run(program: string): ChildProcessByStdio<null, Readable, null> {
  const index = JSON.stringify(new URL('./index.ts', import.meta.url).href);
  const source = `const { createControlPlane } = await import(${index});\n${program}`;
  const args = ['--conditions=@mcr/source', '--input-type=module', '--eval', source];
  return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
}
