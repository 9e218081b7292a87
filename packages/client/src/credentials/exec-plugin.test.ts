import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { VirtualClock } from '../clock/virtual-clock.ts';
import type { ClusterConfig, ExecAuth } from '../config/cluster-config.ts';
import { createCertificateAuthority, type Identity as Certificate } from '../transport/certificates.fixture.ts';
import { failureOf } from '../transport/transport.fixture.ts';
import { createIdentity, type Identity } from './identity.ts';

const API_VERSION = 'client.authentication.k8s.io/v1';
const { signal } = new AbortController();

let directory: string;
let certificate: Certificate;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'plugin-'));
  certificate = await (await createCertificateAuthority()).issue('me');
});
afterAll(() => rm(directory, { recursive: true }));

const identities: Identity[] = [];
afterEach(() => identities.splice(0).forEach((identity) => identity.close()));

const clock = new VirtualClock();
let programs = 0;

/** Returns an identity whose plugin runs `program`. */
async function plugin(program: string, auth: Partial<ExecAuth> = {}, config: Partial<ClusterConfig> = {}) {
  const command = join(directory, `plugin-${(programs += 1)}.mjs`);
  await writeFile(command, `#!${process.execPath}\n${program}`);
  await chmod(command, 0o755);
  return execIdentity({ command, ...auth }, config);
}

function execIdentity(auth: Pick<ExecAuth, 'command'> & Partial<ExecAuth>, config: Partial<ClusterConfig> = {}) {
  const identity = createIdentity(
    { server: 'https://h:6443', auth: { type: 'exec', apiVersion: API_VERSION, ...auth }, ...config },
    'h:6443',
    clock,
  );
  identities.push(identity);
  return identity;
}

/** Returns a program that prints an ExecCredential with `status`, an expression. */
const answering = (status: string, apiVersion = API_VERSION) =>
  `console.log(JSON.stringify({ apiVersion: '${apiVersion}', kind: 'ExecCredential', status: ${status} }));`;

/** Returns a program that prints the value of an expression as a token, for {@link valueOf}. */
const printing = (expression: string) =>
  answering(`{ token: Buffer.from(JSON.stringify(${expression})).toString('base64') }`);

async function valueOf(identity: Identity): Promise<unknown> {
  const { headers } = await identity.current(signal);
  return JSON.parse(Buffer.from(String(headers['authorization']).replace('Bearer ', ''), 'base64').toString());
}

describe('an exec plugin', () => {
  it('runs non-interactively, and returns a token', async () => {
    const identity = await plugin(
      printing('[JSON.parse(process.env.KUBERNETES_EXEC_INFO), process.argv.slice(2), process.env.A]'),
      {
        args: ['a b', '$HOME; id'],
        env: { A: 'x' },
      },
    );
    const info = { apiVersion: API_VERSION, kind: 'ExecCredential', spec: { interactive: false } };
    expect(await valueOf(identity)).toEqual([info, ['a b', '$HOME; id'], 'x']);
  });

  it('receives the cluster if provideClusterInfo is set', async () => {
    const caFile = join(directory, 'ca.pem');
    await writeFile(caFile, certificate.cert);
    const identity = await plugin(
      printing('JSON.parse(process.env.KUBERNETES_EXEC_INFO).spec.cluster'),
      { provideClusterInfo: true, clusterInfoConfig: { audience: 'x' } },
      { tls: { caFile, serverName: 'api.internal' } },
    );
    expect(await valueOf(identity)).toEqual({
      server: 'https://h:6443',
      'tls-server-name': 'api.internal',
      'certificate-authority-data': Buffer.from(certificate.cert).toString('base64'),
      config: { audience: 'x' },
    });
  });

  it('supports v1beta1', async () => {
    const apiVersion = 'client.authentication.k8s.io/v1beta1';
    const identity = await plugin(answering(`{ token: 't' }`, apiVersion), { apiVersion });
    expect((await identity.current(signal)).headers).toEqual({ authorization: 'Bearer t' });
  });

  it('returns a client certificate', async () => {
    const status = JSON.stringify({ clientCertificateData: certificate.cert, clientKeyData: certificate.key });
    const identity = await plugin(answering(status), {}, { tls: { serverName: 'api.internal' } });
    expect(await identity.current(signal)).toEqual({
      headers: {},
      tls: { serverName: 'api.internal', certData: certificate.cert, keyData: certificate.key },
    });
  });

  it('F-13: runs once for many requests, and again after 80 % of the lifetime of its credentials', async () => {
    const expires = new Date(clock.wallTime() + 100_000).toISOString();
    const identity = await plugin(answering(`{ token: String(process.pid), expirationTimestamp: '${expires}' }`));
    const all = await Promise.all(Array.from({ length: 20 }, () => identity.current(signal)));
    expect(new Set(all).size).toBe(1);
    await clock.advance(79_000);
    expect(await identity.current(signal)).toBe(all[0]);
    await clock.advance(1_000);
    expect(await identity.current(signal)).not.toEqual(all[0]);
  });

  it('S-2: runs in a clean environment if allowedCommands is set', async () => {
    process.env['CANARY_OF_THE_PARENT'] = 'canary';
    try {
      const program = printing('Object.keys(process.env).filter((name) => !name.startsWith("__"))');
      expect(await valueOf(await plugin(program))).toContain('CANARY_OF_THE_PARENT');
      const path = join(directory, 'clean.mjs');
      const allowed = { command: process.execPath, args: [path], env: { OWN: 'x' } };
      await writeFile(path, program);
      const identity = execIdentity({
        command: process.execPath,
        args: [path],
        env: { OWN: 'x' },
        allowedCommands: [allowed],
      });
      const names = (await valueOf(identity)) as string[];
      expect(['HOME', 'KUBERNETES_EXEC_INFO', 'LANG', 'OWN', 'PATH', 'TMPDIR']).toEqual(expect.arrayContaining(names));
      expect(names).toEqual(expect.arrayContaining(['KUBERNETES_EXEC_INFO', 'OWN', 'PATH']));
      const inheriting = { ...allowed, inheritEnv: ['CANARY_OF_THE_PARENT'] };
      const heir = execIdentity({ command: process.execPath, args: [path], allowedCommands: [inheriting] });
      expect(await valueOf(heir)).toContain('CANARY_OF_THE_PARENT');
    } finally {
      delete process.env['CANARY_OF_THE_PARENT'];
    }
  });

  it('S-2: is refused if allowedCommands does not list it', () => {
    expect(() =>
      execIdentity({ command: 'sh', args: ['canary'], allowedCommands: [{ command: 'aws', args: [] }] }),
    ).toThrow(/^auth.command of the exec plugin sh is not one of the allowed commands/);
    expect(() => execIdentity({ command: 'aws', apiVersion: 'client.authentication.k8s.io/v1alpha1' })).toThrow(
      /^auth.apiVersion of the exec plugin aws is not supported/,
    );
  });

  it('reports a missing command with its install hint', async () => {
    const identity = execIdentity({ command: 'no-such-plugin', args: ['canary'], installHint: 'Install it from x.' });
    const error = await failureOf(identity.current(signal));
    expect(error).toMatchObject({
      code: 'credentials',
      message: 'h:6443: the exec plugin no-such-plugin was not found: Install it from x.',
    });
    expect(inspect(error, { depth: Infinity })).not.toContain('canary');
  });

  it.each([
    ['with arguments that are not valid', { command: process.execPath, args: ['canary\0'] }],
    ['below a file', { command: `${process.execPath}/plugin`, args: ['canary'] }],
  ])('S-4: reports that it cannot be started (%s), without its arguments', async (_, auth) => {
    const error = await failureOf(execIdentity(auth).current(signal));
    expect(error).toMatchObject({ code: 'credentials' });
    expect(error.message).toMatch(/could not be started \((ERR_INVALID_ARG_VALUE|ENOTDIR)\)$/);
    expect(inspect(error, { depth: Infinity })).not.toContain('canary');
  });

  it.each([
    ['output that is not JSON', `console.log('canary')`, 'returned output that is not JSON'],
    ['another kind', `console.log('{"apiVersion":"canary","kind":"canary"}')`, 'kind is not valid'],
    ['another version', answering(`{ token: 'canary' }`, 'canary/v1'), 'returned another apiVersion'],
    ['an empty status', answering(`{}`), 'returned neither a token nor a client certificate'],
    ['a key without a certificate', answering(`{ clientKeyData: 'canary' }`), 'or a key without a certificate'],
    [
      'a certificate that is not a PEM',
      answering(`{ clientCertificateData: 'canary', clientKeyData: 'canary' }`),
      'that is not a PEM',
    ],
    [
      'an invalid time',
      answering(`{ token: 'canary', expirationTimestamp: 'canary' }`),
      'status.expirationTimestamp is not',
    ],
    ['an exit code', `console.log('canary'); process.exitCode = 3;`, 'exited with code 3'],
    [
      'too much output',
      `process.stdout.write('canary'.repeat(1_000_000)); setInterval(() => {}, 1000);`,
      'wrote more than',
    ],
  ])('S-4: reports %s without quoting the output', async (_, program, problem) => {
    const error = await failureOf((await plugin(program)).current(signal));
    expect(error.message).toContain(problem);
    expect(inspect(error, { depth: Infinity })).not.toContain('canary');
  });

  it('S-4: quotes the error output without arguments, variables and standard output', async () => {
    const identity = await plugin(
      `console.log('{"token":"canary-output"}');
       console.error('x'.repeat(100_000) + ' no session for canary-a, canary-b, canary-c and canary-output');
       process.exitCode = 1;`,
      { args: ['canary-a', '--key=canary-b'], env: { SECRET: 'canary-c' } },
    );
    const { message } = await failureOf(identity.current(signal));
    expect(message).toContain('exited with code 1');
    expect(message).toContain('no session for [redacted], [redacted], [redacted] and [redacted]');
    expect(message.length).toBeLessThan(5_000);
  });
});

describe('an exec plugin that writes its token to its error output', () => {
  const token = 'canary-token/+"<secret>"=';
  const writing = (expression: string, failing = 'process.exitCode = 1') =>
    `const token = ${JSON.stringify(token)};
     ${answering('{ token }')}
     process.stderr.write('failed: ' + ${expression});
     ${failing};`;

  it.each([
    ['as is', 'token'],
    ['inside a word', '`x${token}y`'],
    ['before a full stop', '`${token}.`'],
    ['as JSON', 'JSON.stringify(JSON.stringify({ token }))'],
    ['as Go writes JSON', String.raw`JSON.stringify(token).replaceAll('<', '\u003c').replaceAll('>', '\u003e')`],
    ['in a URL', '`https://h/?t=${encodeURIComponent(token)}`'],
    ['in base64', 'Buffer.from(`me:${token}`).toString("base64")'],
    ['in hexadecimal', 'Buffer.from(token).toString("hex")'],
    ['across the start of the shown part', 'token + "x".repeat(4_090)'],
    ['across the start of the kept part', 'token + "x".repeat(64 * 1024 - 9)'],
    ['in part', 'token.slice(2, 14)'],
  ])('S-13: is quoted without the token (%s)', async (_, expression) => {
    const error = await failureOf((await plugin(writing(expression))).current(signal));
    expect(error.message).toContain('exited with code 1: ');
    const text = inspect(error, { depth: Infinity, showHidden: true });
    const forms = [
      token,
      JSON.stringify(token).slice(1, -1),
      encodeURIComponent(token),
      Buffer.from(token).toString('hex'),
    ];
    const parts = forms.flatMap((form) => [form.slice(0, 8), form.slice(4, 12), form.slice(-8)]);
    for (const part of [...parts, 'Y2FuYXJ5', 'jYW5hcnk', 'NhbmFyeS']) expect(text).not.toContain(part);
  });

  it('S-13: is quoted without the token of an earlier run', async () => {
    const marker = join(directory, 'earlier');
    const identity = await plugin(
      `import { existsSync, writeFileSync } from 'node:fs';
       if (existsSync(${JSON.stringify(marker)})) {
         console.error('the kept canary-token of Jane has expired');
         process.exit(1);
       }
       writeFileSync(${JSON.stringify(marker)}, '');
       ${answering(`{ token: 'canary-token' }`)}`,
    );
    const credentials = await identity.current(signal);
    identity.rejected(credentials);
    const { message } = await failureOf(identity.current(signal));
    expect(message).toContain('exited with code 1: the kept [redacted] of Jane has expired');
  });

  it('S-13: is quoted without the token, however it fails', async () => {
    for (const program of [
      writing('token', `console.log('more')`),
      writing('token').replace('ExecCredential', 'Other'),
      writing('token').replace(API_VERSION, 'other/v1'),
      `console.log('{"status":{"token":"abc'); console.error('got abc'); process.exitCode = 1`,
    ]) {
      const error = await failureOf((await plugin(program)).current(signal));
      expect(inspect(error, { depth: Infinity, showHidden: true })).not.toMatch(/canary|secret>|abc/);
    }
  });
});

describe('an exec plugin that does not exit', () => {
  /** Each process has one connection to this server while it runs. */
  let server: Server;
  let sockets: Socket[];
  let bothConnected: Promise<void>;
  beforeEach(async () => {
    sockets = [];
    const connected = Promise.withResolvers<void>();
    bothConnected = connected.promise;
    server = createServer((socket) => {
      socket.on('error', () => undefined).resume();
      sockets.push(socket);
      if (sockets.length === 2) connected.resolve();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => void server.close());

  it('is killed at its deadline, with its child processes', async () => {
    const { port } = server.address() as AddressInfo;
    const linger = `require('node:net').connect(${port}, '127.0.0.1'); setInterval(() => {}, 1000);`;
    const identity = await plugin(
      `import { spawn } from 'node:child_process';
       import { createRequire } from 'node:module';
       const require = createRequire(import.meta.url);
       spawn(process.execPath, ['-e', ${JSON.stringify(linger)}], { stdio: 'inherit' });
       ${linger}`,
    );
    const failure = failureOf(identity.current(signal));
    await bothConnected;
    const closed = sockets.map((socket) => once(socket, 'close'));
    await clock.advance(60_000);
    expect((await failure).message).toContain('did not finish within 60000 ms');
    await Promise.all(closed);
    expect(clock.pendingTimers).toBe(0);
  });

  it('fails at its deadline even if a child process left its group and keeps its output open', async () => {
    const { port } = server.address() as AddressInfo;
    const connected = once(server, 'connection') as Promise<[Socket]>;
    const linger = `require('node:net').connect(${port}, '127.0.0.1'); setInterval(() => {}, 1000);`;
    const identity = await plugin(
      `import { spawn } from 'node:child_process';
       spawn(process.execPath, ['-e', ${JSON.stringify(linger)}], { stdio: 'inherit', detached: true });`,
    );
    const failure = failureOf(identity.current(signal));
    const [socket] = await connected;
    await clock.advance(60_000);
    expect((await failure).message).toContain('did not finish within 60000 ms');
    // The child process has no error listener, so it exits when its connection is reset.
    socket.resetAndDestroy();
  });

  it('is killed when the identity is closed', async () => {
    const { port } = server.address() as AddressInfo;
    const connected = once(server, 'connection') as Promise<[Socket]>;
    const identity = await plugin(
      `import { connect } from 'node:net'; connect(${port}, '127.0.0.1'); setInterval(() => {}, 1000);`,
    );
    const credentials = identity.current(signal);
    const [socket] = await connected;
    const closed = once(socket, 'close');
    identity.close();
    await expect(credentials).rejects.toThrow('the credential source was closed');
    await closed;
    expect(clock.pendingTimers).toBe(0);
  });
});
