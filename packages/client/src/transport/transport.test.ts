import { once } from 'node:events';
import { constants } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { VirtualClock } from '../clock/virtual-clock.ts';
import type { ClusterConfig } from '../config/cluster-config.ts';
import { createCertificateAuthority, type CertificateAuthority, type Identity } from './certificates.fixture.ts';
import { createTransport, type TransportOptions } from './create-transport.ts';
import {
  startPlainServer,
  startSecureServer,
  startTcpServer,
  type Handler,
  type TestServer,
} from './server.fixture.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';
import { isTransportError, type TransportError } from './transport-error.ts';

let authority: CertificateAuthority;
let identity: Identity;
beforeAll(async () => {
  authority = await createCertificateAuthority();
  identity = await authority.issue('server');
});

/** Disposed of after each test, the last first. */
const resources: AsyncDisposable[] = [];
afterEach(async () => {
  while (resources.length > 0) await resources.pop()?.[Symbol.asyncDispose]();
});

function owned<T extends AsyncDisposable>(resource: T): T {
  resources.push(resource);
  return resource;
}

async function secureServer(handler: Handler, options = {}): Promise<TestServer> {
  return owned(await startSecureServer({ ...identity, ...options }, handler));
}

function transportTo(
  server: { port: number },
  config: Partial<ClusterConfig> = {},
  options: TransportOptions = {},
): Transport {
  const base = { server: `https://localhost:${server.port}`, tls: { caData: authority.cert } };
  return owned(createTransport({ ...base, ...config }, options));
}

const text = async (response: TransportResponse) => Buffer.from(await response.bytes()).toString();
const fetchText = async (transport: Transport, path = '/', options: Partial<TransportRequest> = {}) =>
  text(await transport.send({ method: 'GET', path, ...options }));

async function failureOf(promise: Promise<unknown>): Promise<TransportError> {
  const error = await promise.then(
    () => new Error('expected a failure'),
    (reason: unknown) => reason,
  );
  if (!isTransportError(error)) throw error;
  return error;
}

/** Answers each request with its version of HTTP, and a watch with one line and no end. */
const echo: Handler = (request, response) => {
  if (request.url.includes('watch')) {
    response.writeHead(200);
    response.write('line\n');
    return;
  }
  request.resume();
  response.end(`HTTP/${request.httpVersion} ${request.method} ${request.url}`);
};

async function openWatch(transport: Transport, signal?: AbortSignal): Promise<AsyncIterator<Uint8Array>> {
  const response = await transport.send({ method: 'GET', path: '/watch', streaming: true, ...(signal && { signal }) });
  const chunks = response.body[Symbol.asyncIterator]();
  await chunks.next();
  return chunks;
}

describe('connections', () => {
  it('carries many requests and watches at once over one HTTP/2 connection', async () => {
    const server = await secureServer(echo);
    const transport = transportTo(server);
    const watches = await Promise.all(Array.from({ length: 60 }, () => openWatch(transport)));
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, i) => fetchText(transport, `/${i}`, { method: 'PATCH', body: '{}' })),
    );
    expect(answers[7]).toBe('HTTP/2.0 PATCH /7');
    expect(watches).toHaveLength(60);
    expect(server.connections).toBe(1);
  });

  it('opens a further connection only when the server allows no more streams on those there are', async () => {
    const server = await secureServer(echo, { settings: { maxConcurrentStreams: 4 } });
    const transport = transportTo(server);
    await Promise.all(Array.from({ length: 4 }, () => openWatch(transport)));
    expect(server.connections).toBe(1);
    await Promise.all(Array.from({ length: 3 }, () => openWatch(transport)));
    expect(server.connections).toBe(2);
    expect(await fetchText(transport)).toBe('HTTP/2.0 GET /');
    expect(server.connections).toBe(2);
  });

  it('speaks HTTP/1.1, over kept connections, to a server without HTTP/2', async () => {
    const server = await secureServer(echo, { protocol: 'http/1.1' });
    const transport = transportTo(server);
    expect(await fetchText(transport, '/a', { method: 'POST', body: '{}' })).toBe('HTTP/1.1 POST /a');
    const afterFirst = server.connections;
    expect(await fetchText(transport, '/b')).toBe('HTTP/1.1 GET /b');
    expect(server.connections).toBe(afterFirst);
  });

  it('speaks HTTP/1.1 to an http:// server, below its base path', async () => {
    const server = owned(await startPlainServer(echo));
    const transport = transportTo(server, { server: `http://127.0.0.1:${server.port}/k8s/clusters/c-1/` });
    expect(await fetchText(transport, '/version')).toBe('HTTP/1.1 GET /k8s/clusters/c-1/version');
  });

  it('connects anew, by the protocol that the server then speaks, after its connections have gone', async () => {
    const server = await secureServer(echo);
    const transport = transportTo(server);
    await fetchText(transport);
    const [socket] = server.sockets;
    const gone = once(socket as Socket, 'close');
    server.sessions[0]?.close();
    await gone;
    expect(await fetchText(transport)).toBe('HTTP/2.0 GET /');
    expect(server.connections).toBe(2);
  });

  it('gives back a redirect as an answer', async () => {
    const server = await secureServer((_, response) => {
      response.writeHead(302, { location: 'https://169.254.169.254/' });
      response.end();
    });
    const response = await transportTo(server).send({ method: 'GET', path: '/' });
    expect(response.status).toBe(302);
    expect(response.headers['location']).toBe('https://169.254.169.254/');
    await response.bytes();
  });

  it('asks for gzip except for a watch, and decodes it', async () => {
    const asked: unknown[] = [];
    const server = await secureServer((request, response) => {
      asked.push(request.headers['accept-encoding']);
      response.writeHead(200, { 'content-encoding': 'gzip' });
      response.end(gzipSync('zipped'));
    });
    const transport = transportTo(server);
    expect(await fetchText(transport)).toBe('zipped');
    expect(await fetchText(transport, '/', { streaming: true })).toBe('zipped');
    expect(asked).toEqual(['gzip', undefined]);
  });

  it('receives a body larger than every window', async () => {
    const body = Buffer.alloc(24 * 1024 * 1024, 'x');
    const server = await secureServer((_, response) => void response.end(body));
    const received = await (await transportTo(server).send({ method: 'GET', path: '/' })).bytes();
    expect(received.byteLength).toBe(body.byteLength);
  });
});

describe('TLS', () => {
  it('refuses a server whose certificate is not trusted, and says so', async () => {
    const server = await secureServer(echo);
    const other = await createCertificateAuthority();
    const failure = await failureOf(fetchText(transportTo(server, { tls: { caData: other.cert } })));
    expect(failure).toMatchObject({ code: 'untrusted', unprocessed: true });
    expect(failure.message).toMatch(`localhost:${server.port}: certificate is not trusted: `);
  });

  it('refuses a certificate for another name, and checks the name of the config where there is one', async () => {
    const server = owned(
      await startSecureServer(await authority.issue('server', { dns: ['api.internal'], ip: [] }), echo),
    );
    expect(await failureOf(fetchText(transportTo(server)))).toMatchObject({ code: 'untrusted' });
    const named = transportTo(server, { tls: { caData: authority.cert, serverName: 'api.internal' } });
    expect(await fetchText(named)).toBe('HTTP/2.0 GET /');
  });

  it('checks the address of a server that is named by its address', async () => {
    const server = await secureServer(echo);
    expect(await fetchText(transportTo(server, { server: `https://127.0.0.1:${server.port}` }))).toBe('HTTP/2.0 GET /');
    const noAddress = owned(await startSecureServer(await authority.issue('server', { ip: [] }), echo));
    const byAddress = transportTo(noAddress, { server: `https://127.0.0.1:${noAddress.port}` });
    expect(await failureOf(fetchText(byAddress))).toMatchObject({ code: 'untrusted' });
  });

  it('checks nothing with insecureSkipVerify', async () => {
    const server = await secureServer(echo);
    expect(await fetchText(transportTo(server, { tls: { insecureSkipVerify: true } }))).toBe('HTTP/2.0 GET /');
  });

  it('refuses certificates that cannot be read before anything is sent', () => {
    expect(() => createTransport({ server: 'https://h', tls: { certData: 'x', keyData: 'secret-key' } })).toThrow(
      /^tls.caData, tls.certData or tls.keyData cannot be used/,
    );
  });
});

describe('failures', () => {
  it('says that the connection was refused', async () => {
    const server = await startTcpServer(() => undefined);
    await server[Symbol.asyncDispose]();
    const failure = await failureOf(fetchText(transportTo(server)));
    expect(failure).toMatchObject({ code: 'refused', host: `localhost:${server.port}` });
    expect(failure.message).toBe(`localhost:${server.port}: connection refused`);
  });

  it('says that a name was not found', async () => {
    const failure = await failureOf(fetchText(transportTo({ port: 1 }, { server: 'https://no-such-host.invalid' })));
    expect(failure).toMatchObject({ code: 'unresolved', message: 'no-such-host.invalid: name not found' });
  });

  it('gives up on a server that accepts connections and says nothing', async () => {
    const accepted = Promise.withResolvers<undefined>();
    const server = owned(await startTcpServer(() => accepted.resolve(undefined)));
    const clock = new VirtualClock();
    const transport = transportTo(server, {}, { clock });
    const failure = failureOf(fetchText(transport));
    await accepted.promise;
    await clock.advance(10_000);
    expect(await failure).toMatchObject({
      code: 'deadline',
      message: `localhost:${server.port}: no connection within 10000 ms`,
    });
    expect(clock.pendingTimers).toBe(0);
  });

  it.each(['h2', 'http/1.1'])('ends a request of %s at its deadline, body included', async (protocol) => {
    const server = await secureServer(
      (request, response) => {
        if (request.url === '/body') response.write('begin');
      },
      { protocol },
    );
    const clock = new VirtualClock();
    const transport = transportTo(server, { requestTimeout: 500 }, { clock });
    const body = (await transport.send({ method: 'GET', path: '/body' })).bytes();
    const headers = transport.send({ method: 'GET', path: '/headers', timeout: 400 });
    const failures = [failureOf(body), failureOf(headers)] as const;
    await clock.advance(500);
    expect(await failures[0]).toMatchObject({
      code: 'deadline',
      message: expect.stringContaining('deadline of 500 ms passed'),
    });
    expect(await failures[1]).toMatchObject({
      code: 'deadline',
      message: expect.stringContaining('deadline of 400 ms passed'),
    });
  });

  it('lets a stream go on after the deadline of its headers', async () => {
    const server = await secureServer(echo);
    const clock = new VirtualClock();
    const transport = transportTo(server, { requestTimeout: 500 }, { clock });
    const watch = await openWatch(transport);
    await clock.advance(5000);
    server.sessions[0]?.destroy();
    expect(await failureOf(watch.next())).toMatchObject({ code: 'reset' });
  });

  it.each(['h2', 'http/1.1'])(
    'rejects with the reason of the signal, over %s, and leaves no listener',
    async (protocol) => {
      const server = await secureServer(echo, { protocol });
      const transport = transportTo(server);
      const controller = new AbortController();
      const watch = await openWatch(transport, controller.signal);
      const next = watch.next();
      controller.abort(new Error('stopped'));
      await expect(next).rejects.toThrow('stopped');
      await expect(transport.send({ method: 'GET', path: '/', signal: controller.signal })).rejects.toThrow('stopped');
    },
  );

  it.each(['h2', 'http/1.1'])(
    'F-2: a body over %s that is cut off is a failure, never a shorter body',
    async (protocol) => {
      const server = await secureServer(
        (_, response) => {
          response.write('{"items":[', () => {
            for (const socket of server.sockets) socket.destroy();
          });
        },
        { protocol },
      );
      expect(await failureOf(fetchText(transportTo(server)))).toMatchObject({ code: 'reset', unprocessed: false });
    },
  );

  it('F-2: a stream that the server resets within its body is a failure', async () => {
    const server = await secureServer((_, response) => {
      const { stream } = response;
      stream.on('error', () => undefined);
      stream.respond({ ':status': 200 });
      stream.write('{"items":[', () => stream.destroy(new Error('cut off')));
    });
    expect(await failureOf(fetchText(transportTo(server)))).toMatchObject({ code: 'reset', unprocessed: false });
  });

  it.each(['h2', 'http/1.1'])('leaving the body early over %s ends the request at the server', async (protocol) => {
    const ended = Promise.withResolvers<undefined>();
    const server = await secureServer(
      (request, response) => {
        response.once('close', () => ended.resolve(undefined));
        echo(request, response);
      },
      { protocol },
    );
    const watch = await openWatch(transportTo(server));
    await watch.return?.();
    await ended.promise;
  });

  it('F-2: a compressed body that is cut off is a failure', async () => {
    const zipped = gzipSync(Buffer.alloc(10_000, 'some text'));
    const server = await secureServer((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      response.end(zipped.subarray(0, zipped.length - 20));
    });
    expect(await failureOf(fetchText(transportTo(server)))).toMatchObject({ code: 'protocol' });
  });
});

describe('sending again', () => {
  it('F-2: a write that the server refused unseen is sent once more', async () => {
    let requests = 0;
    const server = await secureServer((request, response) => {
      requests += 1;
      if (requests === 1) response.stream.close(constants.NGHTTP2_REFUSED_STREAM);
      else echo(request, response);
    });
    expect(await fetchText(transportTo(server), '/x', { method: 'POST', body: '{}' })).toBe('HTTP/2.0 POST /x');
    expect(requests).toBe(2);
  });

  it('F-2: a write that the server may have seen is sent once', async () => {
    let requests = 0;
    const server = await secureServer((_, response) => {
      requests += 1;
      response.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
    });
    const failure = await failureOf(fetchText(transportTo(server), '/x', { method: 'POST', body: '{}' }));
    expect(failure).toMatchObject({ code: 'reset', unprocessed: false });
    expect(requests).toBe(1);
  });

  it('F-2: a request that is refused again fails, and says that nothing was done', async () => {
    const server = await secureServer((_, response) => {
      response.stream.close(constants.NGHTTP2_REFUSED_STREAM);
    });
    expect(await failureOf(fetchText(transportTo(server)))).toMatchObject({ code: 'reset', unprocessed: true });
  });

  it('F-1: requests after a GOAWAY go over a new connection while open watches stay on the old one', async () => {
    const server = await secureServer(echo);
    const transport = transportTo(server);
    const watch = await openWatch(transport);
    server.sessions[0]?.goaway(constants.NGHTTP2_NO_ERROR);
    const answers = await Promise.all([fetchText(transport, '/1'), fetchText(transport, '/2')]);
    expect(answers).toEqual(['HTTP/2.0 GET /1', 'HTTP/2.0 GET /2']);
    const end = failureOf(watch.next());
    await transport.close();
    expect(await end).toMatchObject({ code: 'closed' });
  });
});

describe('keep-alive', () => {
  /** Between client and server; `hold()` makes the peer silent without closing anything. */
  async function startHoldableProxy(target: TestServer) {
    const pairs: Socket[] = [];
    const proxy = await startTcpServer((incoming) => {
      const outgoing = connect(target.port, '127.0.0.1').on('error', () => undefined);
      incoming.pipe(outgoing).pipe(incoming);
      incoming.once('close', () => outgoing.destroy());
      pairs.push(incoming, outgoing);
    });
    const hold = () => pairs.forEach((socket) => socket.unpipe().pause());
    return Object.assign(owned(proxy), { hold });
  }

  it('F-3: a peer that is gone without a word is noticed within 45 s', async () => {
    const proxy = await startHoldableProxy(await secureServer(echo));
    const clock = new VirtualClock();
    const transport = transportTo(proxy, {}, { clock });
    const watch = await openWatch(transport);
    const failure = failureOf(watch.next());
    proxy.hold();
    await clock.advance(45_000);
    expect(await failure).toMatchObject({
      code: 'reset',
      message: expect.stringContaining('no answer to a ping within 15000 ms'),
    });
  });

  it('F-3: a live peer is pinged while streams are open, and keeps its connection', async () => {
    const server = await secureServer(echo);
    const clock = new VirtualClock();
    const transport = transportTo(server, {}, { clock });
    const watch = await openWatch(transport);
    let pings = 0;
    const pinged = Promise.withResolvers<undefined>();
    server.sessions[0]?.on('ping', () => {
      pings += 1;
      pinged.resolve(undefined);
    });
    await clock.advance(30_000);
    await pinged.promise;
    // The answer to a later request follows the answer to the ping.
    await fetchText(transport);
    await clock.advance(20_000);
    expect(await fetchText(transport)).toBe('HTTP/2.0 GET /');
    expect(server.connections).toBe(1);
    expect(pings).toBe(1);
    await watch.return?.();
  });

  it('closes a connection that has been without streams for a minute, unpinged', async () => {
    const server = await secureServer(echo);
    const clock = new VirtualClock();
    const transport = transportTo(server, {}, { clock });
    await fetchText(transport);
    let pings = 0;
    server.sessions[0]?.on('ping', () => (pings += 1));
    const closed = once(server.sessions[0] as never, 'close');
    await clock.advance(60_000);
    await closed;
    expect(pings).toBe(0);
    expect(await fetchText(transport)).toBe('HTTP/2.0 GET /');
    expect(server.connections).toBe(2);
  });
});

describe('close', () => {
  it.each(['h2', 'http/1.1'])(
    'ends what is under way over %s, refuses what follows, and leaves nothing',
    async (protocol) => {
      const server = await secureServer(echo, { protocol });
      const clock = new VirtualClock();
      const transport = transportTo(server, {}, { clock });
      const watch = await openWatch(transport);
      await fetchText(transport);
      const failure = failureOf(watch.next());
      await transport.close();
      expect(await failure).toMatchObject({ code: 'closed' });
      expect(await failureOf(fetchText(transport))).toMatchObject({ code: 'closed' });
      expect(clock.pendingTimers).toBe(0);
      await Promise.all(Array.from(server.sockets, (socket) => once(socket, 'close')));
      expect(server.sockets.size).toBe(0);
    },
  );

  it('does not wait for a connection that is being made', async () => {
    const server = owned(await startTcpServer(() => undefined));
    const clock = new VirtualClock();
    const transport = transportTo(server, {}, { clock });
    const failure = failureOf(fetchText(transport));
    await transport.close();
    expect(await failure).toMatchObject({ code: 'closed' });
    expect(clock.pendingTimers).toBe(0);
  });
});
