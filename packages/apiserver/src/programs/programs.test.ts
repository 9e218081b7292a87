import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { generateKeyPairSync, randomInt } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { claimPort, PORTS } from '../http/ports.ts';
import { CONFIG_MAPS, configMap, RawClient } from '../raw-client.fixture.ts';
import { createIdentity, issueClientCertificate } from '../tls/authority.ts';
import type { Identity } from '../tls/identity.ts';

const program = (name: string): string[] => ['--conditions=@mcr/source', join(import.meta.dirname, `${name}.ts`)];

/** A program that has logged that it is ready. */
class Running {
  readonly #child;

  constructor(name: string, args: readonly string[]) {
    this.#child = spawn(process.execPath, [...program(name), ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  }

  static async start(name: string, args: readonly string[]): Promise<Running> {
    const running = new Running(name, args);
    for await (const line of createInterface({ input: running.#child.stderr })) {
      if (line.includes('serving on')) return running;
    }
    throw new Error(`${name} did not start`);
  }

  /** Sends a signal, and returns the exit code. */
  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const exited = once(this.#child, 'exit');
      this.#child.kill(signal);
      await exited;
    }
    return this.#child.exitCode;
  }

  async ended(): Promise<number | null> {
    if (this.#child.exitCode === null) await once(this.#child, 'exit');
    return this.#child.exitCode;
  }
}

/** Returns a port that no outgoing connection of another test gets before the program listens. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(PORTS.from, PORTS.to);
    const claim = await claimPort(port);
    claim?.release();
    if (claim) return port;
  }
}

describe('the programs kube-apiserver and etcd', () => {
  let directory: string;
  let identity: Identity;
  let etcdUrl: string;
  let port: number;
  let args: string[];
  let etcd: Running;
  let apiServer: Running;

  const client = async (user: string, groups: readonly string[]): Promise<RawClient> => {
    const { certificate, key } = await issueClientCertificate(identity, { user, groups, cluster: 'of another name' });
    const tls = { caData: identity.caCertificate, certData: certificate, keyData: key };
    return new RawClient({ server: `https://127.0.0.1:${port}`, tls });
  };

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mcr-programs-'));
    identity = await createIdentity();
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const files = {
      'apiserver.crt': identity.certificate,
      'apiserver.key': identity.key,
      'client-ca.crt': identity.caCertificate,
      'sa.key': privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      'tokens.csv': 'secret,robot,7,"system:masters,others"\n',
    };
    for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text);
    etcdUrl = `http://127.0.0.1:${await freePort()}`;
    port = await freePort();
    // The flags that envtest of controller-runtime passes.
    args = [
      '--allow-privileged=true',
      '--authorization-mode=RBAC',
      '--bind-address=127.0.0.1',
      `--cert-dir=${directory}`,
      `--client-ca-file=${join(directory, 'client-ca.crt')}`,
      '--disable-admission-plugins=ServiceAccount',
      `--etcd-servers=${etcdUrl}`,
      `--secure-port=${port}`,
      `--service-account-issuer=https://127.0.0.1:${port}/`,
      `--service-account-key-file=${join(directory, 'sa.key')}`,
      `--service-account-signing-key-file=${join(directory, 'sa.key')}`,
      '--service-cluster-ip-range=10.0.0.0/24',
      `--token-auth-file=${join(directory, 'tokens.csv')}`,
    ];
    etcd = await Running.start('etcd', [
      `--listen-client-urls=${etcdUrl}`,
      '--listen-peer-urls=http://127.0.0.1:0',
      `--advertise-client-urls=${etcdUrl}`,
      `--data-dir=${join(directory, 'etcd')}`,
      '--unsafe-no-fsync=true',
    ]);
    apiServer = await Running.start('kube-apiserver', args);
  });
  afterAll(async () => {
    await apiServer.end();
    await etcd.end();
    await rm(directory, { recursive: true });
  });

  it('K-31: serves a client with a certificate of the authority in --client-ca-file', async () => {
    using admin = await client('admin', ['system:masters']);
    expect((await admin.post(CONFIG_MAPS, configMap('settings'))).status).toBe(201);
    using stranger = await client('stranger', []);
    const { status, body } = await stranger.get(CONFIG_MAPS);
    expect(status).toBe(403);
    expect(body['message']).toContain('User "stranger" cannot list resource "configmaps"');
    using robot = new RawClient({
      server: `https://127.0.0.1:${port}`,
      tls: { caData: identity.caCertificate },
      auth: { type: 'token', token: 'secret' },
    });
    expect((await robot.get(CONFIG_MAPS)).status).toBe(200);
  });

  it('K-31: issues tokens of service accounts in the name of --service-account-issuer', async () => {
    using admin = await client('admin', ['system:masters']);
    await admin.post('/api/v1/namespaces/default/serviceaccounts', {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'worker' },
    });
    const { body } = await admin.post('/api/v1/namespaces/default/serviceaccounts/worker/token', {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: {},
    });
    const { token } = (body as unknown as { status: { token: string } }).status;
    const [, claims = ''] = token.split('.');
    const issuer = `https://127.0.0.1:${port}/`;
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({ iss: issuer, aud: [issuer] });
  });

  it('K-31: etcd passes health checks, has no keys, and serves one API server at a time', async () => {
    expect(await responseOf(`${etcdUrl}/health`)).toEqual([200, '{"health":"true","reason":""}']);
    expect((await responseOf(`${etcdUrl}/v3/kv/range`))[0]).toBe(501);
    const { status, stderr } = spawnSync(process.execPath, [...program('kube-apiserver'), ...args], {
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([
      1,
      `kube-apiserver: --etcd-servers: another API server uses ${etcdUrl}: start an etcd for each\n`,
    ]);
  });

  it('K-31: a restarted kube-apiserver finds its objects in etcd, and ends with it', async () => {
    expect(await apiServer.end()).toBe(0);
    apiServer = await Running.start('kube-apiserver', args);
    using admin = await client('admin', ['system:masters']);
    expect((await admin.get(`${CONFIG_MAPS}/settings`)).status).toBe(200);
    expect(await etcd.end()).toBe(0);
    expect(await apiServer.ended()).toBe(1);
  });
});

function responseOf(url: string): Promise<[number | undefined, string]> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve([response.statusCode, text]));
    }).on('error', reject);
  });
}
