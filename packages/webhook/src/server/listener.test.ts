import { once } from 'node:events';
import type { ClientHttp2Session } from 'node:http2';
import { connect } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually, VirtualClock } from '@mcr/core/testing';
import { createServingIdentity } from '@mcr/envtest';
import { Listener } from './listener.ts';

const MAX_CONNECTIONS = 10;

describe('connections of a webhook server', () => {
  let identity: Awaited<ReturnType<typeof createServingIdentity>>;
  let clock: VirtualClock;
  let listener: Listener;
  let url: string;
  let sessions: ClientHttp2Session[];

  beforeAll(async () => {
    identity = await createServingIdentity();
  });
  beforeEach(async () => {
    clock = new VirtualClock();
    sessions = [];
    listener = new Listener({
      address: { text: '127.0.0.1:0', host: '127.0.0.1', port: 0 },
      context: { cert: identity.certificate, key: identity.key },
      clock,
      maxConnections: MAX_CONNECTIONS,
      handle: (_request, reply) => reply.end('done'),
    });
    const { host, port } = await listener.listen();
    url = `https://${host}:${port}`;
  });
  afterEach(async () => {
    for (const session of sessions) session.destroy();
    await listener.drain({ delay: 0, timeout: 1_000 });
    await eventually(() => expect(clock.pendingTimers).toBe(0));
  });

  async function open(): Promise<ClientHttp2Session> {
    const session = connect(url, { ca: identity.caCertificate });
    sessions.push(session);
    session.on('error', () => undefined);
    await once(session, 'remoteSettings');
    return session;
  }

  const ask = (session: ClientHttp2Session) => text(session.request({ ':path': '/' }));

  it('WH-6: closes a session without a first request after 30 s, and an idle one after 2 min', async () => {
    const [silent, used] = [await open(), await open()];
    expect(await ask(used)).toBe('done');
    await eventually(() => expect(clock.pendingTimers).toBe(2));
    await clock.advance(29_000);
    expect([silent.closed, used.closed]).toEqual([false, false]);
    await clock.advance(1_000);
    await eventually(() => expect(silent.closed).toBe(true));
    expect(used.closed).toBe(false);
    await clock.advance(120_000);
    await eventually(() => expect(used.closed).toBe(true));
  });

  it('WH-6: keeps the connection of a caller that was answered when a stranger opens too many', async () => {
    const [first] = [await open()];
    expect(await ask(first)).toBe('done');
    for (let count = 0; count < 5 * MAX_CONNECTIONS; count += 1) await open();
    await eventually(() =>
      expect(sessions.filter(({ closed }) => !closed).length).toBeLessThanOrEqual(MAX_CONNECTIONS),
    );
    expect(first.closed).toBe(false);
    expect(await ask(first)).toBe('done');
    expect(await ask(await open())).toBe('done');
  });

  it('WH-6: lets callers connect while a stranger holds connections without a handshake', async () => {
    const { hostname, port } = new URL(url);
    const silent = Array.from({ length: 3 * MAX_CONNECTIONS }, () => connectTcp(Number(port), hostname));
    for (const socket of silent) socket.on('error', () => undefined);
    await eventually(() => expect(silent.filter(({ connecting }) => connecting)).toEqual([]));
    expect(await ask(await open())).toBe('done');
    for (const socket of silent) socket.destroy();
  });
});
