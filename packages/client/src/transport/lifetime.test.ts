import { once } from 'node:events';
import { Socket } from 'node:net';
import { describe, expect, it, jest } from '@jest/globals';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { Connector } from './connector.ts';
import { Http2Connection } from './http2-connection.ts';
import { startTcpServer } from './server.fixture.ts';
import { echo, failureOf, fetchText, openWatch, transportFixture } from './transport.fixture.ts';

const { authority, owned, startHoldableProxy, startServer, transportTo } = transportFixture();

describe('keep-alive', () => {
  it('F-3: notices within 45 s that a peer is lost', async () => {
    const proxy = await startHoldableProxy(await startServer(echo));
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

  it('F-3: pings a healthy peer while streams are open, and keeps the connection', async () => {
    const server = await startServer(echo);
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
    // The response to a later request follows the answer to the ping.
    await fetchText(transport);
    await clock.advance(20_000);
    expect(await fetchText(transport)).toBe('HTTP/2.0 GET /');
    expect(server.connections).toBe(1);
    expect(pings).toBe(1);
    await watch.return?.();
  });

  it('F-3: notices a lost peer even if each request times out before the ping does', async () => {
    const proxy = await startHoldableProxy(await startServer(echo));
    const clock = new VirtualClock();
    const transport = transportTo(proxy, {}, { clock });
    await fetchText(transport);
    proxy.hold();
    for (let elapsed = 0; elapsed < 45_000; elapsed += 5_000) {
      const failure = failureOf(fetchText(transport, '/', { timeout: 5_000 }));
      await clock.advance(5_000);
      await failure;
    }
    // The proxy holds only the connections that it had at that time.
    expect(await fetchText(transport)).toBe('HTTP/2.0 GET /');
    expect(proxy.connections).toBe(2);
  });

  it('F-3: closes an idle connection even if its peer is lost', async () => {
    const proxy = await startHoldableProxy(await startServer(echo));
    const clock = new VirtualClock();
    const config = { server: `https://localhost:${proxy.port}`, tls: { caData: authority().cert } };
    const socket = await new Connector(config, clock).connect(['h2']);
    const connection = await Http2Connection.start(socket, new URL(config.server), clock);
    proxy.hold();
    await clock.advance(60_000);
    expect(connection.isOpen).toBe(false);
    await clock.advance(60_000);
    await connection.closed;
    expect(clock.pendingTimers).toBe(0);
  });

  it('F-3: over HTTP/1.1, TCP keep-alive detects the lost peer of an idle watch within 40 s', async () => {
    const setKeepAlive = jest.spyOn(Socket.prototype, 'setKeepAlive');
    try {
      const watch = await openWatch(transportTo(await startServer(echo, { protocol: 'http/1.1' })));
      // Node.js adds ten probes, one second apart.
      expect(setKeepAlive).toHaveBeenCalledWith(true, 30_000);
      await watch.return?.();
    } finally {
      setKeepAlive.mockRestore();
    }
  });

  it('F-3: over HTTP/1.1, a request to a lost peer fails at its deadline and closes the connection', async () => {
    const proxy = await startHoldableProxy(await startServer(echo, { protocol: 'http/1.1' }));
    const clock = new VirtualClock();
    const transport = transportTo(proxy, {}, { clock });
    await fetchText(transport);
    const before = proxy.connections;
    proxy.hold();
    const failure = failureOf(fetchText(transport));
    await clock.advance(30_000);
    expect(await failure).toMatchObject({ code: 'deadline' });
    expect(await fetchText(transport)).toBe('HTTP/1.1 GET /');
    expect(proxy.connections).toBe(before + 1);
  });

  it('closes a connection after a minute without streams, and does not ping it', async () => {
    const server = await startServer(echo);
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
  it('F-3: does not wait for a lost peer', async () => {
    const proxy = await startHoldableProxy(await startServer(echo));
    const clock = new VirtualClock();
    const transport = transportTo(proxy, {}, { clock });
    await fetchText(transport);
    proxy.hold();
    // After the idle time, the connection sends a GOAWAY.
    await clock.advance(60_000);
    await transport.close();
    expect(clock.pendingTimers).toBe(0);
  });

  it.each(['h2', 'http/1.1'])(
    'fails requests in flight over %s, refuses later ones, and leaves no timer or socket',
    async (protocol) => {
      const server = await startServer(echo, { protocol });
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

  it('opens no connection if it is closed while a request starts', async () => {
    const server = owned(await startTcpServer(() => undefined));
    const clock = new VirtualClock();
    // The request needs a connection after some microtasks, so the transport is closed after each possible number.
    for (let microtasks = 0; microtasks < 20; microtasks += 1) {
      const given = Promise.withResolvers<Record<string, string>>();
      const transport = transportTo(server, { auth: { type: 'custom', headers: () => given.promise } }, { clock });
      const failure = failureOf(fetchText(transport));
      await new Promise((resolve) => setImmediate(resolve));
      given.resolve({});
      for (let passed = 0; passed < microtasks; passed += 1) await Promise.resolve();
      await transport.close();
      expect(await failure).toMatchObject({ code: 'closed' });
      expect(clock.pendingTimers).toBe(0);
    }
  });

  it('does not wait for a pending connection', async () => {
    const server = owned(await startTcpServer(() => undefined));
    const clock = new VirtualClock();
    const transport = transportTo(server, {}, { clock });
    const failure = failureOf(fetchText(transport));
    await transport.close();
    expect(await failure).toMatchObject({ code: 'closed' });
    expect(clock.pendingTimers).toBe(0);
  });
});
