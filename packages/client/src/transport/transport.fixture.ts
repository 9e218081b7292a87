import { connect, type Socket } from 'node:net';
import { afterEach, beforeAll } from '@jest/globals';
import type { ClusterConfig } from '../config/cluster-config.ts';
import { createCertificateAuthority, type CertificateAuthority, type Identity } from './certificates.fixture.ts';
import { createTransport, type TransportOptions } from './create-transport.ts';
import { startSecureServer, startTcpServer, type Handler, type TestServer } from './server.fixture.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';
import { isTransportError, type TransportError } from '../errors/transport-error.ts';

/**
 * Provides servers and transports for the tests of one file. All trust one certificate authority, and are disposed of
 * after each test.
 */
export function transportFixture() {
  let authority: CertificateAuthority;
  let identity: Identity;
  /** Resources to dispose of after each test, in reverse order. */
  const resources: AsyncDisposable[] = [];

  beforeAll(async () => {
    authority = await createCertificateAuthority();
    identity = await authority.issue('server');
  });
  afterEach(async () => {
    while (resources.length > 0) await resources.pop()?.[Symbol.asyncDispose]();
  });

  const owned = <T extends AsyncDisposable>(resource: T): T => {
    resources.push(resource);
    return resource;
  };
  return {
    owned,
    authority: () => authority,
    startServer: async (handler: Handler, options: Parameters<typeof startSecureServer>[0] = {}): Promise<TestServer> =>
      owned(await startSecureServer({ ...identity, ...options }, handler)),
    startHoldableProxy: async (target: TestServer) => owned(await startHoldableProxy(target)),
    transportTo: (
      server: { readonly port: number },
      config: Partial<ClusterConfig> = {},
      options: TransportOptions = {},
    ): Transport => {
      const base = { server: `https://localhost:${server.port}`, tls: { caData: authority.cert } };
      return owned(createTransport({ ...base, ...config }, options));
    },
  };
}

/**
 * Starts a TCP proxy between client and server. `hold()` stops forwarding on all existing connections without closing
 * them, and `release()` continues.
 */
async function startHoldableProxy(target: TestServer) {
  const pairs: Socket[] = [];
  const proxy = await startTcpServer((incoming) => {
    const outgoing = connect(target.port, '127.0.0.1').on('error', () => undefined);
    incoming.pipe(outgoing).pipe(incoming);
    incoming.once('close', () => outgoing.destroy());
    pairs.push(incoming, outgoing);
  });
  const hold = () => pairs.forEach((socket) => socket.unpipe().pause());
  const release = () => pairs.forEach((socket, index) => socket.pipe(pairs[index ^ 1] ?? socket));
  return Object.assign(proxy, { hold, release });
}

/** Responds to each request with its HTTP version, method and URL, and to a watch with one line and no end. */
export const echo: Handler = (request, response) => {
  if (request.url.includes('watch')) {
    response.writeHead(200);
    response.write('line\n');
    return;
  }
  request.resume();
  response.end(`HTTP/${request.httpVersion} ${request.method} ${request.url}`);
};

export async function fetchText(
  transport: Transport,
  path = '/',
  options: Partial<TransportRequest> = {},
): Promise<string> {
  const response: TransportResponse = await transport.send({ method: 'GET', path, ...options });
  return Buffer.from(await response.bytes()).toString();
}

/** Opens a watch, and waits for its first line. */
export async function openWatch(transport: Transport, signal?: AbortSignal): Promise<AsyncIterator<Uint8Array>> {
  const response = await transport.send({ method: 'GET', path: '/watch', streaming: true, ...(signal && { signal }) });
  const chunks = response.body[Symbol.asyncIterator]();
  await chunks.next();
  return chunks;
}

export async function failureOf(promise: Promise<unknown>): Promise<TransportError> {
  const error = await promise.then(
    () => new Error('expected a failure'),
    (reason: unknown) => reason,
  );
  if (!isTransportError(error)) throw error;
  return error;
}
