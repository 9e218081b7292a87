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

/** Responds with the identity of the client. Refuses tokens other than `accepted`, if that is set. */
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
        const client = String(authorization ?? certificate.subject.CN);
        if (request.url.includes('watch')) response.write(client);
        else response.end(client);
      }
    }) satisfies Handler,
  };
  return state;
}

describe('a token file', () => {
  it('F-13: is read again once when its token expires during a watch; requests succeed, and the watch stays open', async () => {
    const path = join(directory, 'token');
    await writeFile(path, 'first');
    const gate = guard();
    const server = await startServer(gate.handler);
    const transport = transportTo(server, { auth: { type: 'tokenFile', path } }, { clock: new VirtualClock() });
    const watch = await openWatch(transport);
    let changes = 0;
    transport.onCredentials(() => (changes += 1));

    await writeFile(path, 'second');
    gate.accepted = 'second';
    const answers = await Promise.all(Array.from({ length: 10 }, () => fetchText(transport)));
    expect(new Set(answers)).toEqual(new Set(['Bearer second']));
    expect(changes).toBe(1);
    expect(server.connections).toBe(1);
    await watch.return?.();
  });

  it('F-13: passes a 401 to the caller after one request if the token in the file has not changed', async () => {
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

describe('the in-cluster config', () => {
  it('F-13: reads the token and the certificate authority again when the kubelet replaces them', async () => {
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
  const startServerWithClientCertificates = () =>
    startServer(guard().handler, { ca: authority().cert, requestCert: true });

  it('F-13: is read again when its files change, and streams of the previous one end so that they resume', async () => {
    const write = async ({ cert, key }: Certificate) => {
      await writeFile(join(directory, 'cert'), cert);
      await writeFile(join(directory, 'key'), key);
    };
    await write(await authority().issue('old'));
    const clock = new VirtualClock();
    const tls = { caData: authority().cert, certFile: join(directory, 'cert'), keyFile: join(directory, 'key') };
    const transport = transportTo(await startServerWithClientCertificates(), { tls }, { clock });
    const watch = await openWatch(transport);
    const ended = failureOf(watch.next());

    const renewed = await authority().issue('new');
    await writeFile(join(directory, 'cert'), renewed.cert);
    await clock.advance(10_000);
    // The key of the new certificate is not written yet.
    expect(await fetchText(transport)).toBe('old');
    await write(renewed);
    await clock.advance(10_000);
    expect(await fetchText(transport)).toBe('new');
    expect(await ended).toMatchObject({ code: 'rotated' });
  });

  it('F-13: is renewed by its plugin before it expires', async () => {
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
    const transport = transportTo(await startServerWithClientCertificates(), { auth }, { clock });
    const watch = await openWatch(transport);
    expect(await fetchText(transport)).toBe('first');
    const ended = failureOf(watch.next());
    await clock.advance(8_000);
    expect(await fetchText(transport)).toBe('second');
    expect(await ended).toMatchObject({ code: 'rotated' });
  });

  it.each<[string, ClusterConfig['tls'], RegExp]>([
    ['both data and a file', { caData: 'x', caFile: 'y' }, /^tls.caFile is set together with tls.caData/],
    ['a certificate without its key', { certFile: 'y' }, /^tls has a client certificate without a key, or/],
    ['data that is not a PEM', { caData: 'canary' }, /^tls.caData, tls.certData or tls.keyData is not valid/],
  ])('is refused if the config has %s', (_, tls, message) => {
    expect(() => createTransport({ server: 'https://h', ...(tls && { tls }) })).toThrow(message);
  });

  it('is named in the error if its file cannot be read', async () => {
    const tls = { certFile: join(directory, 'none'), keyFile: join(directory, 'none') };
    const error = await failureOf(fetchText(owned(createTransport({ server: 'https://localhost:1', tls }))));
    expect(error).toMatchObject({ code: 'credentials', cause: { message: expect.stringContaining('tls.certFile') } });
  });
});
