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

/** An identity of a plugin that is this program. */
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

/** A program that answers with `status`, an expression. */
const answering = (status: string, apiVersion = API_VERSION) =>
  `console.log(JSON.stringify({ apiVersion: '${apiVersion}', kind: 'ExecCredential', status: ${status} }));`;

/** A program that gives away an expression, as a token. */
const telling = (expression: string) =>
  answering(`{ token: Buffer.from(JSON.stringify(${expression})).toString('base64') }`);

async function told(identity: Identity): Promise<unknown> {
  const { headers } = await identity.current(signal);
  return JSON.parse(Buffer.from(String(headers['authorization']).replace('Bearer ', ''), 'base64').toString());
}

describe('an exec plugin', () => {
  it('is told that nobody can be asked, and answers with a token', async () => {
    const identity = await plugin(
      telling('[JSON.parse(process.env.KUBERNETES_EXEC_INFO), process.argv.slice(2), process.env.A]'),
      {
        args: ['a b', '$HOME; id'],
        env: { A: 'x' },
      },
    );
    const info = { apiVersion: API_VERSION, kind: 'ExecCredential', spec: { interactive: false } };
    expect(await told(identity)).toEqual([info, ['a b', '$HOME; id'], 'x']);
  });

  it('is told of the cluster when it asks for that', async () => {
    const caFile = join(directory, 'ca.pem');
    await writeFile(caFile, certificate.cert);
    const identity = await plugin(
      telling('JSON.parse(process.env.KUBERNETES_EXEC_INFO).spec.cluster'),
      { provideClusterInfo: true, clusterInfoConfig: { audience: 'x' } },
      { tls: { caFile, serverName: 'api.internal' } },
    );
    expect(await told(identity)).toEqual({
      server: 'https://h:6443',
      'tls-server-name': 'api.internal',
      'certificate-authority-data': Buffer.from(certificate.cert).toString('base64'),
      config: { audience: 'x' },
    });
  });

  it('speaks v1beta1 when asked in it', async () => {
    const apiVersion = 'client.authentication.k8s.io/v1beta1';
    const identity = await plugin(answering(`{ token: 't' }`, apiVersion), { apiVersion });
    expect((await identity.current(signal)).headers).toEqual({ authorization: 'Bearer t' });
  });

  it('answers with a client certificate', async () => {
    const status = JSON.stringify({ clientCertificateData: certificate.cert, clientKeyData: certificate.key });
    const identity = await plugin(answering(status), {}, { tls: { serverName: 'api.internal' } });
    expect(await identity.current(signal)).toEqual({
      headers: {},
      tls: { serverName: 'api.internal', certData: certificate.cert, keyData: certificate.key },
    });
  });

  it('F-13: is run once for many requests, and again when 80 % of the life of its answer have passed', async () => {
    const expires = new Date(clock.wallTime() + 100_000).toISOString();
    const identity = await plugin(answering(`{ token: String(process.pid), expirationTimestamp: '${expires}' }`));
    const all = await Promise.all(Array.from({ length: 20 }, () => identity.current(signal)));
    expect(new Set(all).size).toBe(1);
    await clock.advance(79_000);
    expect(await identity.current(signal)).toBe(all[0]);
    await clock.advance(1_000);
    expect(await identity.current(signal)).not.toEqual(all[0]);
  });

  it('S-2: gets a clean environment when there is a list of what may be run', async () => {
    process.env['CANARY_OF_THE_PARENT'] = 'canary';
    try {
      const program = telling('Object.keys(process.env).filter((name) => !name.startsWith("__"))');
      expect(await told(await plugin(program))).toContain('CANARY_OF_THE_PARENT');
      const path = join(directory, 'clean.mjs');
      const allowed = { command: process.execPath, args: [path], env: { OWN: 'x' } };
      await writeFile(path, program);
      const identity = execIdentity({
        command: process.execPath,
        args: [path],
        env: { OWN: 'x' },
        allowedCommands: [allowed],
      });
      const names = (await told(identity)) as string[];
      expect(['HOME', 'KUBERNETES_EXEC_INFO', 'LANG', 'OWN', 'PATH', 'TMPDIR']).toEqual(expect.arrayContaining(names));
      expect(names).toEqual(expect.arrayContaining(['KUBERNETES_EXEC_INFO', 'OWN', 'PATH']));
      const inheriting = { ...allowed, inheritEnv: ['CANARY_OF_THE_PARENT'] };
      const heir = execIdentity({ command: process.execPath, args: [path], allowedCommands: [inheriting] });
      expect(await told(heir)).toContain('CANARY_OF_THE_PARENT');
    } finally {
      delete process.env['CANARY_OF_THE_PARENT'];
    }
  });

  it('S-2: is refused when it is not on the list', () => {
    expect(() =>
      execIdentity({ command: 'sh', args: ['canary'], allowedCommands: [{ command: 'aws', args: [] }] }),
    ).toThrow(/^auth.command of the exec plugin sh is not one of the allowed commands/);
    expect(() => execIdentity({ command: 'aws', apiVersion: 'client.authentication.k8s.io/v1alpha1' })).toThrow(
      /^auth.apiVersion of the exec plugin aws is not supported/,
    );
  });

  it('is said not to be there, with how to get it', async () => {
    const identity = execIdentity({ command: 'no-such-plugin', args: ['canary'], installHint: 'Install it from x.' });
    const error = await failureOf(identity.current(signal));
    expect(error).toMatchObject({
      code: 'credentials',
      message: 'h:6443: the exec plugin no-such-plugin was not found: Install it from x.',
    });
    expect(inspect(error, { depth: Infinity })).not.toContain('canary');
  });

  it.each([
    ['with arguments that no process can have', { command: process.execPath, args: ['canary\0'] }],
    ['below a file', { command: `${process.execPath}/plugin`, args: ['canary'] }],
  ])('S-4: that cannot be started (%s) is told of, without its arguments', async (_, auth) => {
    const error = await failureOf(execIdentity(auth).current(signal));
    expect(error).toMatchObject({ code: 'credentials' });
    expect(error.message).toMatch(/could not be started \((ERR_INVALID_ARG_VALUE|ENOTDIR)\)$/);
    expect(inspect(error, { depth: Infinity })).not.toContain('canary');
  });

  it.each([
    ['no JSON', `console.log('canary')`, 'wrote what is not JSON'],
    ['another kind', `console.log('{"apiVersion":"canary","kind":"canary"}')`, 'kind is not as it must be'],
    ['another version', answering(`{ token: 'canary' }`, 'canary/v1'), 'answered in another version'],
    ['nothing', answering(`{}`), 'gave neither a token nor a client certificate'],
    ['half a certificate', answering(`{ clientKeyData: 'canary' }`), 'without the other'],
    ['no PEM', answering(`{ clientCertificateData: 'canary', clientKeyData: 'canary' }`), 'that is not a PEM'],
    ['no time', answering(`{ token: 'canary', expirationTimestamp: 'canary' }`), 'status.expirationTimestamp is not'],
    ['an exit code', `console.log('canary'); process.exitCode = 3;`, 'ended with code 3'],
    ['too much', `process.stdout.write('canary'.repeat(1_000_000)); setInterval(() => {}, 1000);`, 'wrote more than'],
  ])('S-4: that answers with %s is told of, without a word of it', async (_, program, problem) => {
    const error = await failureOf((await plugin(program)).current(signal));
    expect(error.message).toContain(problem);
    expect(inspect(error, { depth: Infinity })).not.toContain('canary');
  });

  it('S-4: that complains is quoted, without arguments, variables and what it wrote to its output', async () => {
    const identity = await plugin(
      `console.log('{"token":"canary-output"}');
       console.error('x'.repeat(100_000) + ' no session for canary-a, canary-b, canary-c and canary-output');
       process.exitCode = 1;`,
      { args: ['canary-a', '--key=canary-b'], env: { SECRET: 'canary-c' } },
    );
    const { message } = await failureOf(identity.current(signal));
    expect(message).toContain('ended with code 1');
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
    ['across the beginning of what is shown', 'token + "x".repeat(4_090)'],
    ['across the beginning of what is kept', 'token + "x".repeat(64 * 1024 - 9)'],
    ['in part', 'token.slice(2, 14)'],
  ])('S-13: is quoted without it (%s)', async (_, expression) => {
    const error = await failureOf((await plugin(writing(expression))).current(signal));
    expect(error.message).toContain('ended with code 1: ');
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

  it('S-13: is quoted without that of an earlier answer', async () => {
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
    expect(message).toContain('ended with code 1: the kept [redacted] of Jane has expired');
  });

  it('S-13: is quoted in no other way of failing', async () => {
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

describe('an exec plugin that does not answer', () => {
  /** Processes say that they live by a connection each. */
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

  it('is killed at its deadline, with what it has started', async () => {
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
    expect((await failure).message).toContain('gave no answer within 60000 ms');
    await Promise.all(closed);
    expect(clock.pendingTimers).toBe(0);
  });

  it('is given up at its deadline, though what it has started has left its group and keeps its output open', async () => {
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
    expect((await failure).message).toContain('gave no answer within 60000 ms');
    // It ends with its connection, for which nothing listens.
    socket.resetAndDestroy();
  });

  it('is killed when nobody needs it any more', async () => {
    const { port } = server.address() as AddressInfo;
    const connected = once(server, 'connection') as Promise<[Socket]>;
    const identity = await plugin(
      `import { connect } from 'node:net'; connect(${port}, '127.0.0.1'); setInterval(() => {}, 1000);`,
    );
    const asked = identity.current(signal);
    const [socket] = await connected;
    const closed = once(socket, 'close');
    identity.close();
    await expect(asked).rejects.toThrow('not needed any more');
    await closed;
    expect(clock.pendingTimers).toBe(0);
  });
});
