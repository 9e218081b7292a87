import type { EventEmitter } from 'node:events';
import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import type { AddressInfo, Server } from 'node:net';
import { connect as connectTcp, createServer } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { connect as connectTls } from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createIdentity } from '../tls/authority.ts';
import type { Deadlines } from './connection-deadlines.ts';
import { DEADLINES } from './connection-deadlines.ts';
import { SecureServer } from './secure-server.ts';

/** A deadline that does not end within a test: the longest one of a timer, in milliseconds. */
const NEVER = 2 ** 31 - 1;

/** Advances the virtual timers by `time` ms after each turn of the event loop, until a connection closes. */
async function closesAfter(time: number, connection: EventEmitter): Promise<void> {
  const state = { isClosed: false };
  connection.once('close', () => (state.isClosed = true));
  while (!state.isClosed) {
    jest.advanceTimersByTime(time);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('deadlines of connections', () => {
  let identity: Awaited<ReturnType<typeof createIdentity>>;
  const servers: Server[] = [];

  beforeAll(async () => {
    identity = await createIdentity();
  });
  afterAll(() => {
    for (const server of servers) server.close();
  });
  // A request must arrive before a deadline of milliseconds ends, however long it takes on a busy machine.
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance', 'Date'] });
  });
  afterEach(() => void jest.useRealTimers());

  /** Starts a server with short deadlines. Requests are answered at once. */
  async function serve(deadlines: Partial<Deadlines>): Promise<number> {
    const secure = new SecureServer(identity, {
      handshake: NEVER,
      headers: NEVER,
      preface: NEVER,
      idle: NEVER,
      ...deadlines,
    });
    const server = createServer((socket) => {
      socket.on('error', () => socket.destroy());
      secure.accept(socket);
    });
    servers.push(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    secure.add(port, (_request, response) => {
      response.end('answer');
    });
    return port;
  }

  async function open(port: number, protocol: string, text: string): Promise<TLSSocket> {
    const socket = connectTls({ port, host: '127.0.0.1', ca: identity.caCertificate, ALPNProtocols: [protocol] });
    socket.on('error', () => undefined).resume();
    await once(socket, 'secureConnect');
    socket.write(text);
    return socket;
  }

  it('K-22: has the deadlines of a real server', () => {
    expect(DEADLINES).toEqual({ handshake: 32_000, headers: 32_000, preface: 10_000, idle: 90_000 });
  });

  it('K-22: closes a connection that does not finish the TLS handshake', async () => {
    const socket = connectTcp(await serve({ handshake: 20 }), '127.0.0.1');
    socket.on('error', () => undefined);
    await once(socket, 'close');
  });

  it('K-22: closes a connection that sends no complete headers', async () => {
    const port = await serve({ headers: 20 });
    await Promise.all(
      ['', 'GET / HTTP/1.1\r\nHost: x\r\nX: '].map(async (text) => closesAfter(20, await open(port, 'http/1.1', text))),
    );
  });

  it('K-22: closes an idle connection of HTTP/1.1, with the deadline of headers once the next request begins', async () => {
    const request = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
    const idle = await open(await serve({ idle: 20 }), 'http/1.1', request);
    await once(idle, 'data');
    await closesAfter(20, idle);
    const next = await open(await serve({ headers: 200 }), 'http/1.1', request);
    await once(next, 'data');
    next.write('GET');
    await closesAfter(200, next);
  });

  it('K-22: closes a connection of HTTP/2 without a preface, and an idle one', async () => {
    await closesAfter(20, await open(await serve({ preface: 20 }), 'h2', ''));
    const session = connectHttp2(`https://127.0.0.1:${await serve({ idle: 20 })}`, { ca: identity.caCertificate });
    const answer = session.request({ ':path': '/' }).resume();
    await once(answer, 'end');
    await closesAfter(20, session);
  });
});
