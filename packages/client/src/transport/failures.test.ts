import { constants } from 'node:http2';
import { getEventListeners } from 'node:events';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { startTcpServer } from './server.fixture.ts';
import { toTransportError } from '../errors/transport-error.ts';
import { echo, failureOf, fetchText, openWatch, transportFixture } from './transport.fixture.ts';

const { owned, startServer, transportTo } = transportFixture();

describe('failures', () => {
  it('reports a refused connection', async () => {
    const failure = await failureOf(fetchText(transportTo({ port: 1 }), '/', { retry: 'never' }));
    expect(failure).toMatchObject({ code: 'refused', host: 'localhost:1' });
    expect(failure.message).toBe('localhost:1: connection refused');
  });

  it('reports a name that is not found', async () => {
    // A name with an empty label is invalid, so it fails without a query.
    const transport = transportTo({ port: 1 }, { server: 'https://no-such-host..invalid' });
    const failure = await failureOf(fetchText(transport, '/', { retry: 'never' }));
    expect(failure).toMatchObject({ code: 'unresolved', message: 'no-such-host..invalid: name not found' });
  });

  it.each(['EADDRNOTAVAIL', 'ETIMEDOUT'])(
    'reports a refused connection if another address of the name failed with %s',
    (code) => {
      const errors = [code, 'ECONNREFUSED'].map((each) => Object.assign(new Error(each), { code: each }));
      const failure = toTransportError(new AggregateError(errors), 'h');
      expect(failure).toMatchObject({ code: 'refused', message: 'h: connection refused' });
    },
  );

  it('fails at the connect deadline if a server accepts a connection and stays silent', async () => {
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

  it.each(['h2', 'http/1.1'])('fails a request over %s at its deadline, including its body', async (protocol) => {
    const server = await startServer(
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

  it('keeps a stream open after the deadline for its headers', async () => {
    const server = await startServer(echo);
    const clock = new VirtualClock();
    const transport = transportTo(server, { requestTimeout: 500 }, { clock });
    const watch = await openWatch(transport);
    await clock.advance(5000);
    server.sessions[0]?.destroy();
    expect(await failureOf(watch.next())).toMatchObject({ code: 'reset' });
  });

  it('applies the deadline to the body of a refused stream', async () => {
    const server = await startServer((_, response) => {
      response.writeHead(500);
      response.write('beg');
    });
    const clock = new VirtualClock();
    const transport = transportTo(server, { requestTimeout: 500 }, { clock });
    const refusal = await transport.send({ method: 'GET', path: '/watch', streaming: true });
    const failure = failureOf(refusal.bytes());
    await clock.advance(500);
    expect(await failure).toMatchObject({ code: 'deadline' });
  });

  it('fails after one connection if a server allows no streams', async () => {
    const server = await startServer(echo, { settings: { maxConcurrentStreams: 0 } });
    expect(await failureOf(fetchText(transportTo(server)))).toMatchObject({
      code: 'protocol',
      message: `localhost:${server.port}: the server allows no streams on a new connection`,
      unprocessed: true,
    });
    expect(server.connections).toBe(1);
  });

  it.each(['h2', 'http/1.1'])(
    'rejects with the reason of the signal over %s, and leaves no listener',
    async (protocol) => {
      const server = await startServer(echo, { protocol });
      const transport = transportTo(server);
      const controller = new AbortController();
      const watch = await openWatch(transport, controller.signal);
      const next = watch.next();
      controller.abort(new Error('stopped'));
      await expect(next).rejects.toThrow('stopped');
      await expect(transport.send({ method: 'GET', path: '/', signal: controller.signal })).rejects.toThrow('stopped');
      expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    },
  );

  it.each(['h2', 'http/1.1'])(
    'F-2: fails if a body over %s is cut off, and never returns a shorter body',
    async (protocol) => {
      const server = await startServer(
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

  it('F-2: fails if the server resets a stream within its body', async () => {
    const server = await startServer((_, response) => {
      const { stream } = response;
      stream.on('error', () => undefined);
      stream.respond({ ':status': 200 });
      stream.write('{"items":[', () => stream.destroy(new Error('cut off')));
    });
    expect(await failureOf(fetchText(transportTo(server)))).toMatchObject({ code: 'reset', unprocessed: false });
  });

  it.each(['h2', 'http/1.1'])('cancels the request at the server if a body over %s is not read', async (protocol) => {
    const ended = Promise.withResolvers<undefined>();
    const server = await startServer(
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
});

describe('bodies', () => {
  it('S-3: does not follow redirects, and reports the host of the target but not its URL', async () => {
    const elsewhere = await startServer(echo);
    for (const status of [300, 301, 302, 303, 307, 308]) {
      const server = await startServer((_, response) => {
        response.writeHead(status, { location: `https://localhost:${elsewhere.port}/login?token=canary` });
        response.end();
      });
      const failure = await failureOf(
        transportTo(server).send({ method: 'GET', path: '/', streaming: status === 302 }),
      );
      expect(failure).toMatchObject({
        code: 'redirected',
        message: `localhost:${server.port}: answered ${status} with a redirect to localhost:${elsewhere.port}, which is not followed`,
      });
    }
    expect(elsewhere.connections).toBe(0);
  });

  it('returns a 304, which is not a redirect', async () => {
    const server = await startServer((_, response) => void response.writeHead(304).end());
    const response = await transportTo(server).send({ method: 'GET', path: '/' });
    expect(response.status).toBe(304);
    response.cancel();
  });

  it('S-10: fails if a body exceeds its limit after decompression; the body of a watch has no limit', async () => {
    const zipped = gzipSync(Buffer.alloc(100_000, 'x'));
    const server = await startServer((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      response.end(zipped);
    });
    const transport = transportTo(server, {}, { limits: { object: 99_999 } });
    expect(await failureOf(fetchText(transport))).toMatchObject({
      code: 'oversized',
      message: `localhost:${server.port}: the body has more than 99999 bytes: raise limits.object`,
    });
    expect(await fetchText(transport, '/watch', { streaming: true })).toHaveLength(100_000);
    const exact = transportTo(server, {}, { limits: { object: 100_000 } });
    expect(await fetchText(exact)).toHaveLength(100_000);
  });

  it('fails at the deadline if a body arrives byte by byte', async () => {
    const server = await startServer((_, response) => {
      const drip = setInterval(() => response.write('x'), 1);
      response.once('close', () => clearInterval(drip));
    });
    const clock = new VirtualClock();
    const transport = transportTo(server, { requestTimeout: 5000 }, { clock });
    const { body } = await transport.send({ method: 'GET', path: '/' });
    const chunks = body[Symbol.asyncIterator]();
    for (let second = 1; second < 5; second += 1) {
      await chunks.next();
      await clock.advance(1000);
    }
    await clock.advance(1000);
    const failure = await failureOf(
      (async () => {
        while (!(await chunks.next()).done);
      })(),
    );
    expect(failure).toMatchObject({ code: 'deadline' });
  });
});

describe('retries after a lost connection', () => {
  it('F-2: a write is sent once more if the server refused its stream unprocessed', async () => {
    let requests = 0;
    const server = await startServer((request, response) => {
      requests += 1;
      if (requests === 1) response.stream.close(constants.NGHTTP2_REFUSED_STREAM);
      else echo(request, response);
    });
    expect(await fetchText(transportTo(server), '/x', { method: 'POST', body: '{}' })).toBe('HTTP/2.0 POST /x');
    expect(requests).toBe(2);
  });

  it('F-2: a write is sent once if the server may have processed it', async () => {
    let requests = 0;
    const server = await startServer((_, response) => {
      requests += 1;
      response.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
    });
    const failure = await failureOf(fetchText(transportTo(server), '/x', { method: 'POST', body: '{}' }));
    expect(failure).toMatchObject({ code: 'reset', unprocessed: false });
    expect(requests).toBe(1);
  });

  it('F-2: a request that is refused again fails as unprocessed', async () => {
    const server = await startServer((_, response) => {
      response.stream.close(constants.NGHTTP2_REFUSED_STREAM);
    });
    const failure = await failureOf(fetchText(transportTo(server), '/', { retry: 'never' }));
    expect(failure).toMatchObject({ code: 'reset', unprocessed: true });
  });

  it('F-2: if a kept-alive HTTP/1.1 connection closes during a request, a read is retried and a write fails', async () => {
    let closing = false;
    const server = await startServer(
      (request, response) => {
        if (!closing) echo(request, response);
        else for (const socket of server.sockets) socket.destroy();
        closing = false;
      },
      { protocol: 'http/1.1' },
    );
    const transport = transportTo(server);
    await fetchText(transport);
    closing = true;
    expect(await fetchText(transport, '/again')).toBe('HTTP/1.1 GET /again');
    closing = true;
    const failure = await failureOf(fetchText(transport, '/x', { method: 'POST', body: '{}' }));
    expect(failure).toMatchObject({ code: 'reset', unprocessed: false });
  });

  it('F-1: after a GOAWAY, requests use a new connection while open watches stay on the old one', async () => {
    const server = await startServer(echo);
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
