import { connect } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { startTcpServer } from './server.fixture.ts';
import { echo, failureOf, fetchText, openWatch, transportFixture } from './transport.fixture.ts';

const { owned, startHoldableProxy, startServer, transportTo } = transportFixture();

describe('ping of a transport', () => {
  it('FP-2: resolves immediately on a healthy connection, and leaves no timer', async () => {
    const clock = new VirtualClock();
    const transport = transportTo(await startServer(echo), {}, { clock });
    expect(await transport.ping?.(1_000)).toBe('unknown');
    await fetchText(transport);
    const timers = clock.pendingTimers;
    expect(await Promise.all([transport.ping?.(1_000), transport.ping?.(1_000)])).toEqual(['answered', 'answered']);
    expect(clock.pendingTimers).toBe(timers);
  });

  it('FP-2: detects a silent peer within its deadline; the next request and the watches use another connection', async () => {
    const clock = new VirtualClock();
    const server = await startServer(echo);
    const proxy = await startHoldableProxy(server);
    const transport = transportTo(proxy, {}, { clock });
    const watch = await openWatch(transport);
    const failure = failureOf(watch.next());
    proxy.hold();
    const ping = transport.ping?.(1_000);
    await clock.advance(1_000);
    expect(await ping).toBe('silent');
    expect(await fetchText(transport)).toBe('HTTP/2.0 GET /');
    expect(await failure).toMatchObject({ code: 'reset', message: expect.stringContaining('another connection') });
    expect(server.connections).toBe(2);
  });

  it('FP-2: uses a connection again when its peer answers late', async () => {
    const clock = new VirtualClock();
    const server = await startServer(echo);
    const proxy = await startHoldableProxy(server);
    const transport = transportTo(proxy, {}, { clock });
    await fetchText(transport);
    proxy.hold();
    for (let tries = 0; tries < 12; tries += 1) {
      const ping = transport.ping?.(400);
      await clock.advance(400);
      expect(await ping).toBe('silent');
    }
    proxy.release();
    expect(await transport.ping?.(1_000)).toBe('answered');
    expect(await fetchText(transport)).toBe('HTTP/2.0 GET /');
    expect(server.connections).toBe(1);
  });

  it('F-3: ends the watches of a peer that stays silent for 5 s, even if no other connection can be opened', async () => {
    const clock = new VirtualClock();
    const proxy = await startHoldableProxy(await startServer(echo));
    const transport = transportTo(proxy, {}, { clock });
    const watch = await openWatch(transport);
    const failure = failureOf(watch.next());
    proxy.hold();
    const ping = transport.ping?.(1_000);
    await clock.advance(5_000);
    expect(await ping).toBe('silent');
    expect(await failure).toMatchObject({ code: 'reset', message: expect.stringContaining('within 5000 ms') });
  });

  it('F-22: starts another connection attempt if the pending one is silent, and all requests share the first success', async () => {
    const clock = new VirtualClock();
    const server = await startServer(echo);
    const accepted = Promise.withResolvers<undefined>();
    let isDeaf = true;
    const proxy = owned(
      await startTcpServer((incoming) => {
        if (isDeaf) {
          incoming.pause();
          accepted.resolve(undefined);
        } else {
          const outgoing = connect(server.port, '127.0.0.1').on('error', () => undefined);
          incoming.pipe(outgoing).pipe(incoming);
        }
      }),
    );
    const transport = transportTo(proxy, {}, { clock });
    const waiting = fetchText(transport);
    await accepted.promise;
    const ping = transport.ping?.(1_000);
    await clock.advance(1_000);
    expect(await ping).toBe('silent');
    isDeaf = false;
    expect(await fetchText(transport)).toBe('HTTP/2.0 GET /');
    expect(await waiting).toBe('HTTP/2.0 GET /');
    expect(server.connections).toBe(1);
    expect(proxy.connections).toBe(2);
  });

  it('FP-2: returns silent if no connection can be opened', async () => {
    const clock = new VirtualClock();
    const deaf = owned(await startTcpServer((socket) => void socket.pause()));
    const transport = transportTo(deaf, {}, { clock });
    const failure = failureOf(fetchText(transport));
    await clock.advance(0);
    const ping = transport.ping?.(1_000);
    await clock.advance(1_000);
    expect(await ping).toBe('silent');
    await transport.close();
    expect(await failure).toMatchObject({ code: 'closed' });
  });

  it('FP-2: returns unknown over HTTP/1.1', async () => {
    const transport = transportTo(await startServer(echo, { protocol: 'http/1.1' }));
    await fetchText(transport);
    expect(await transport.ping?.(1_000)).toBe('unknown');
  });
});
