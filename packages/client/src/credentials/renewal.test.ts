import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { VirtualClock } from '../clock/virtual-clock.ts';
import type { ClusterConfig } from '../config/cluster-config.ts';
import { inClusterConfig } from '../config/in-cluster-config.ts';
import { createCertificateAuthority, type Identity as Certificate } from '../transport/certificates.fixture.ts';
import { createTransport } from '../transport/create-transport.ts';
import type { Handler } from '../transport/server.fixture.ts';
import { failureOf, fetchText, openWatch, transportFixture } from '../transport/transport.fixture.ts';

const { startServer, transportTo, owned, authority } = transportFixture();

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'renewal-'));
});
afterEach(() => rm(directory, { recursive: true }));

/** Says who asks; refuses everybody whose token is not `accepted`. */
function guard(): { accepted: string | undefined; refused: number; readonly handler: Handler } {
  const state = {
    accepted: undefined as string | undefined,
    refused: 0,
    handler: ((request, response) => {
      const { authorization } = request.headers;
      const certificate = (request as unknown as { socket: TLSSocket }).socket.getPeerCertificate();
      if (state.accepted !== undefined && authorization !== `Bearer ${state.accepted}`) {
        state.refused += 1;
        response.writeHead(401);
        response.end('no');
      } else {
        response.writeHead(200);
        const who = String(authorization ?? certificate.subject.CN);
        if (request.url.includes('watch')) response.write(who);
        else response.end(who);
      }
    }) satisfies Handler,
  };
  return state;
}

describe('a token file', () => {
  it('F-13: whose token expired mid-watch is read again once, nobody is refused, and the watch stays', async () => {
    const path = join(directory, 'token');
    await writeFile(path, 'first');
    const gate = guard();
    const server = await startServer(gate.handler);
    const transport = transportTo(server, { auth: { type: 'tokenFile', path } }, { clock: new VirtualClock() });
    const watch = await openWatch(transport);
    let told = 0;
    transport.onCredentials(() => (told += 1));

    await writeFile(path, 'second');
    gate.accepted = 'second';
    const answers = await Promise.all(Array.from({ length: 10 }, () => fetchText(transport)));
    expect(new Set(answers)).toEqual(new Set(['Bearer second']));
    expect(told).toBe(1);
    expect(server.connections).toBe(1);
    await watch.return?.();
  });

  it('F-13: whose token is refused as it is gives the refusal to the caller, after one request', async () => {
    const path = join(directory, 'token');
    await writeFile(path, 'first');
    const gate = guard();
    gate.accepted = 'second';
    const transport = transportTo(await startServer(gate.handler), { auth: { type: 'tokenFile', path } });
    const response = await transport.send({ method: 'GET', path: '/' });
    expect([response.status, gate.refused]).toEqual([401, 1]);
    await response.bytes();
  });
});

describe('the config of a pod', () => {
  it('F-13: follows the token and the authority that the kubelet replaces', async () => {
    const gate = guard();
    const server = await startServer(gate.handler);
    await writeFile(join(directory, 'ca.crt'), (await createCertificateAuthority()).cert);
    await writeFile(join(directory, 'token'), 'first');
    const env = { KUBERNETES_SERVICE_HOST: 'localhost', KUBERNETES_SERVICE_PORT: String(server.port) };
    const clock = new VirtualClock();
    const transport = owned(createTransport(inClusterConfig({ env, directory }), { clock }));
    expect(await failureOf(fetchText(transport))).toMatchObject({ code: 'untrusted' });

    await writeFile(join(directory, 'ca.crt'), authority().cert);
    const watch = await openWatch(transport);
    await writeFile(join(directory, 'token'), 'second');
    await clock.advance(10_000);
    expect(await fetchText(transport)).toBe('Bearer second');
    expect(server.connections).toBe(2);
    await watch.return?.();
  });
});

describe('a client certificate', () => {
  const serverAsking = () => startServer(guard().handler, { ca: authority().cert, requestCert: true });

  it('F-13: in files is read again when they change, and the streams of the former one end so that they resume', async () => {
    const write = async ({ cert, key }: Certificate) => {
      await writeFile(join(directory, 'cert'), cert);
      await writeFile(join(directory, 'key'), key);
    };
    await write(await authority().issue('old'));
    const clock = new VirtualClock();
    const tls = { caData: authority().cert, certFile: join(directory, 'cert'), keyFile: join(directory, 'key') };
    const transport = transportTo(await serverAsking(), { tls }, { clock });
    const watch = await openWatch(transport);
    const ended = failureOf(watch.next());

    const renewed = await authority().issue('new');
    await writeFile(join(directory, 'cert'), renewed.cert);
    await clock.advance(10_000);
    // Its key is not there yet.
    expect(await fetchText(transport)).toBe('old');
    await write(renewed);
    await clock.advance(10_000);
    expect(await fetchText(transport)).toBe('new');
    expect(await ended).toMatchObject({ code: 'rotated' });
  });

  it('F-13: of a plugin is replaced before it expires', async () => {
    const clock = new VirtualClock(Date.now());
    const certificates = await Promise.all([authority().issue('first'), authority().issue('second')]);
    await writeFile(join(directory, 'certificates'), JSON.stringify(certificates));
    const program = `
      const fs = require('node:fs');
      const [{ cert, key }, ...rest] = JSON.parse(fs.readFileSync('${join(directory, 'certificates')}', 'utf8'));
      fs.writeFileSync('${join(directory, 'certificates')}', JSON.stringify(rest));
      const status = {
        clientCertificateData: cert,
        clientKeyData: key,
        expirationTimestamp: new Date(${clock.wallTime() + 10_000}).toISOString(),
      };
      const apiVersion = 'client.authentication.k8s.io/v1';
      console.log(JSON.stringify({ kind: 'ExecCredential', apiVersion, status }));
    `;
    const auth: ClusterConfig['auth'] = {
      type: 'exec',
      apiVersion: 'client.authentication.k8s.io/v1',
      command: process.execPath,
      args: ['-e', program],
    };
    const transport = transportTo(await serverAsking(), { auth }, { clock });
    const watch = await openWatch(transport);
    expect(await fetchText(transport)).toBe('first');
    const ended = failureOf(watch.next());
    await clock.advance(8_000);
    expect(await fetchText(transport)).toBe('second');
    expect(await ended).toMatchObject({ code: 'rotated' });
  });

  it.each<[string, ClusterConfig['tls'], RegExp]>([
    ['data beside a file', { caData: 'x', caFile: 'y' }, /^tls.caFile stands beside tls.caData/],
    ['a certificate without its key', { certFile: 'y' }, /^tls has a client certificate or a key without the other/],
    ['what is no PEM', { caData: 'canary' }, /^tls.caData, tls.certData or tls.keyData cannot be used/],
  ])('of a config with %s is refused', (_, tls, message) => {
    expect(() => createTransport({ server: 'https://h', ...(tls && { tls }) })).toThrow(message);
  });

  it('is named when its file cannot be used', async () => {
    const tls = { certFile: join(directory, 'none'), keyFile: join(directory, 'none') };
    const error = await failureOf(fetchText(owned(createTransport({ server: 'https://localhost:1', tls }))));
    expect(error).toMatchObject({ code: 'credentials', cause: { message: expect.stringContaining('tls.certFile') } });
  });
});
