import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { inspect } from 'node:util';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { ClusterConfig, TlsConfig } from '../config/cluster-config.ts';
import { createCertificateAuthority, type CertificateAuthority, type Identity } from './certificates.fixture.ts';
import { createTransport } from './create-transport.ts';
import { startSecureServer, startTcpServer, type TestServer } from './server.fixture.ts';
import type { Transport } from './transport.ts';

let authority: CertificateAuthority;
let identity: Identity;
beforeAll(async () => {
  authority = await createCertificateAuthority();
  identity = await authority.issue('server');
});

const resources: AsyncDisposable[] = [];
afterEach(async () => {
  while (resources.length > 0) await resources.pop()?.[Symbol.asyncDispose]();
});

interface Target {
  readonly server: TestServer;
  readonly config: ClusterConfig;
  readonly transport: Transport;
  /** Completes the responses to `/slow`. */
  readonly release: () => void;
}

/**
 * Starts a server that responds with the identity of the client: `/slow` after `release()`, `/watch` without an end.
 */
async function connectTo(protocol: string, credentials: Partial<ClusterConfig>): Promise<Target> {
  const slow = Promise.withResolvers<undefined>();
  const server = await startSecureServer(
    { ...identity, protocol, ca: authority.cert, requestCert: true, rejectUnauthorized: false },
    (request, response) => {
      // The request has a socket over HTTP/2 too, but its type does not declare it.
      const certificate = (request as unknown as { socket: TLSSocket }).socket.getPeerCertificate();
      const client = String(request.headers.authorization ?? certificate.subject.CN);
      if (request.url === '/watch') response.write(client);
      else if (request.url === '/slow') void slow.promise.then(() => response.end(client));
      else response.end(client);
    },
  );
  const config = {
    server: `https://localhost:${server.port}`,
    ...credentials,
    tls: { caData: authority.cert, ...credentials.tls },
  };
  const transport = createTransport(config);
  resources.push(server, transport);
  return { server, config, transport, release: () => slow.resolve(undefined) };
}

const identityOf = async (transport: Transport, path = '/') =>
  Buffer.from(await (await transport.send({ method: 'GET', path })).bytes()).toString();

const tlsOf = ({ cert, key }: Identity): TlsConfig => ({ certData: cert, keyData: key });

async function openWatch(transport: Transport) {
  const response = await transport.send({ method: 'GET', path: '/watch', streaming: true });
  const chunks = response.body[Symbol.asyncIterator]();
  await chunks.next();
  return chunks;
}

describe('rotate', () => {
  it('F-13: uses a new token for the next request on the same connection, and keeps watches open', async () => {
    const { server, config, transport } = await connectTo('h2', { auth: { type: 'token', token: 'old' } });
    const watch = await openWatch(transport);
    expect(await identityOf(transport)).toBe('Bearer old');
    await transport.rotate({ ...config, auth: { type: 'token', token: 'new' } });
    expect(await identityOf(transport)).toBe('Bearer new');
    expect(server.connections).toBe(1);
    const next = watch.next();
    server.sessions[0]?.destroy();
    await expect(next).rejects.toMatchObject({ code: 'reset' });
  });

  it.each(['h2', 'http/1.1'])(
    'F-13: with a new client certificate over %s, streams end so that they resume, and other requests finish',
    async (protocol) => {
      const oldIdentity = await authority.issue('old');
      const newIdentity = await authority.issue('new');
      const { server, config, transport, release } = await connectTo(protocol, {
        tls: { certData: oldIdentity.cert, keyData: oldIdentity.key },
      });
      const watch = await openWatch(transport);
      expect(await identityOf(transport)).toBe('old');
      const slow = identityOf(transport, '/slow');
      // The server has received the slow request when it responds to a later one.
      await identityOf(transport);

      const ended = watch.next();
      const renewed = { ...config, tls: { ...config.tls, certData: newIdentity.cert, keyData: newIdentity.key } };
      const rotated = transport.rotate(renewed);
      await expect(ended).rejects.toMatchObject({ code: 'rotated' });
      await rotated;
      expect(await identityOf(transport)).toBe('new');
      release();
      expect(await slow).toBe('old');

      await transport.close();
      expect(server.connections).toBeGreaterThan(1);
    },
  );

  it.each([
    ['a new certificate', 'new', async () => ({ tls: tlsOf(await authority.issue('new')) })],
    ['a token', 'Bearer new', () => Promise.resolve({ auth: { type: 'token', token: 'new' } as const })],
  ])(
    'F-13: a request that waits for a connection with an old certificate is sent with %s',
    async (_, client, renew) => {
      const [previous, renewed] = await Promise.all([authority.issue('old'), renew()]);
      const { server, config } = await connectTo('h2', {});
      const first = Promise.withResolvers<Socket>();
      let connections = 0;
      const proxy = await startTcpServer((socket) => {
        connections += 1;
        if (connections === 1) first.resolve(socket);
        else socket.pipe(connect(server.port, '127.0.0.1').on('error', () => undefined)).pipe(socket);
      });
      const as = ({ auth, tls }: Partial<ClusterConfig>): ClusterConfig => ({
        server: `https://localhost:${proxy.port}`,
        ...(auth && { auth }),
        tls: { ...config.tls, ...tls },
      });
      const transport = createTransport(as({ tls: tlsOf(previous) }));
      resources.push(proxy, transport);
      const received = identityOf(transport);
      const socket = await first.promise;
      await transport.rotate(as(renewed));
      socket.end('no handshake');
      expect(await received).toBe(client);
    },
  );

  it('opens no further connection if the transport is closed at the same time', async () => {
    const [previous, renewed] = await Promise.all([authority.issue('old'), authority.issue('new')]);
    const begun = Promise.withResolvers<Socket>();
    const seen = Promise.withResolvers<undefined>();
    const server = await startTcpServer((socket) => {
      begun.resolve(socket.resume());
      socket.once('data', (data) => data.toString() === 'probe' && seen.resolve(undefined));
    });
    const as = (client: Identity): ClusterConfig => ({
      server: `https://127.0.0.1:${server.port}`,
      tls: tlsOf(client),
    });
    const transport = createTransport(as(previous));
    resources.push(server, transport);
    const refused = expect(identityOf(transport)).rejects.toMatchObject({ code: 'closed' });
    const ended = once(await begun.promise, 'close');
    await Promise.all([transport.rotate(as(renewed)), transport.close(), refused, ended]);
    // The server accepts connections in the order in which they are opened.
    connect(server.port, '127.0.0.1')
      .on('error', () => undefined)
      .write('probe');
    await seen.promise;
    expect(server.connections).toBe(2);
  });

  it('is refused after the transport was closed, and requests no credentials', async () => {
    const { config, transport } = await connectTo('h2', {});
    await transport.close();
    let calls = 0;
    const headers = async () => ({ 'x-calls': String((calls += 1)) });
    await expect(transport.rotate({ ...config, auth: { type: 'custom', headers } })).rejects.toMatchObject({
      code: 'closed',
    });
    expect(calls).toBe(0);
  });

  it('refuses another endpoint', async () => {
    const { config, transport } = await connectTo('h2', {});
    await expect(transport.rotate({ ...config, server: 'https://elsewhere' })).rejects.toThrow(
      /^config is for another endpoint than https:/,
    );
  });
});

describe('createTransport', () => {
  it.each([
    ['ftp://h', /^server must be an absolute URL/],
    ['h:6443', /^server must be an absolute URL/],
    ['https://me:s3cret@h', /^server must not contain a user name or password/],
  ])('refuses the server %s', (server, message) => {
    expect(() => createTransport({ server })).toThrow(message);
  });

  it('S-4: shows no credential when its errors or the transport are printed', async () => {
    const { transport } = await connectTo('h2', { auth: { type: 'token', token: 'canary\nwith a line break' } });
    const error: unknown = await identityOf(transport).catch((reason: unknown) => reason);
    expect(String(error)).toContain('authorization');
    expect(inspect([error, transport], { depth: Infinity, showHidden: true })).not.toContain('canary');
  });
});
