import { inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { createTransport } from './create-transport.ts';
import { startHttpProxy, startSocksProxy } from './proxy.fixture.ts';
import { startPlainServer, startTcpServer } from './server.fixture.ts';
import { echo, failureOf, fetchText, openWatch, transportFixture } from './transport.fixture.ts';

const { authority, owned, startServer, transportTo } = transportFixture();

/** The scheme of each kind of proxy, and the function that starts it. */
const PROXIES = {
  'an HTTP proxy': ['http', () => startHttpProxy()],
  'an HTTPS proxy': ['https', async () => startHttpProxy({ identity: await authority().issue('proxy') })],
  'a SOCKS proxy': ['socks5', () => startSocksProxy()],
  'a SOCKS proxy that resolves names': ['socks5h', () => startSocksProxy()],
} as const;

describe.each(Object.entries(PROXIES))('a transport through %s', (_, [scheme, start]) => {
  it.each(['h2', 'http/1.1'])('uses %s with the server, whose name the proxy resolves', async (protocol) => {
    const proxy = owned(await start());
    const server = await startServer(echo, { protocol });
    const transport = transportTo(server, {
      server: `https://no-such-host.invalid:${server.port}`,
      tls: { caData: authority().cert, serverName: 'localhost' },
      proxyUrl: `${scheme}://localhost:${proxy.port}`,
    });
    expect(await fetchText(transport)).toBe(`HTTP/${protocol === 'h2' ? '2.0' : '1.1'} GET /`);
    await openWatch(transport);
    expect(proxy.requests[0]).toEqual({ target: `no-such-host.invalid:${server.port}`, credentials: undefined });
  });

  it('reaches a server without TLS', async () => {
    const proxy = owned(await start());
    const server = owned(await startPlainServer(echo));
    const proxyUrl = `${scheme}://localhost:${proxy.port}`;
    const transport = transportTo(server, { server: `http://127.0.0.1:${server.port}`, proxyUrl });
    expect(await fetchText(transport)).toBe('HTTP/1.1 GET /');
    expect(proxy.requests[0]?.target).toBe(`127.0.0.1:${server.port}`);
  });

  it('leaves no socket behind', async () => {
    const proxy = owned(await start());
    const server = await startServer(echo);
    const transport = transportTo(server, { proxyUrl: `${scheme}://localhost:${proxy.port}` });
    await openWatch(transport);
    await transport.close();
    while (proxy.sockets.size > 0) await new Promise((resolve) => setImmediate(resolve));
  });
});

describe('a proxy', () => {
  it.each([
    ['http', () => startHttpProxy(), `Basic ${Buffer.from('me:pass@word').toString('base64')}`],
    ['socks5', () => startSocksProxy({ account: 'me:pass@word' }), 'me:pass@word'],
  ] as const)('receives the credentials in its URL (%s)', async (scheme, start, credentials) => {
    const proxy = owned(await start());
    const server = await startServer(echo);
    const transport = transportTo(server, { proxyUrl: `${scheme}://me:pass%40word@localhost:${proxy.port}` });
    expect(await fetchText(transport)).toBe('HTTP/2.0 GET /');
    expect(proxy.requests[0]?.credentials).toBe(credentials);
  });

  it.each([
    ['http', () => startHttpProxy({ status: 407 }), 'credentials', '407 Proxy Authentication Required'],
    ['http', () => startHttpProxy({ status: 403 }), 'refused', '403 Forbidden'],
    ['socks5', () => startSocksProxy({ account: 'other:one' }), 'credentials', 'Socks5 Authentication failed'],
  ] as const)('S-4: is named in the error if it does not connect (%s), without its credentials', async (...row) => {
    const [scheme, start, code, reason] = row;
    const proxy = owned(await start());
    const transport = transportTo({ port: 1 }, { proxyUrl: `${scheme}://canary:canary@127.0.0.1:${proxy.port}` });
    const failure = await failureOf(fetchText(transport, '/', { retry: 'never' }));
    expect(failure).toMatchObject({ code, host: 'localhost:1', unprocessed: true });
    expect(failure.message).toBe(`localhost:1: proxy 127.0.0.1:${proxy.port} did not connect to the server: ${reason}`);
    expect(inspect(failure, { depth: Infinity, showHidden: true })).not.toContain('canary');
  });

  it('is named in the error if it refuses the connection', async () => {
    const proxy = await startHttpProxy();
    await proxy[Symbol.asyncDispose]();
    const transport = transportTo({ port: 1 }, { proxyUrl: `http://127.0.0.1:${proxy.port}` });
    const failure = await failureOf(fetchText(transport, '/', { retry: 'never' }));
    expect(failure.message).toBe(`localhost:1: proxy 127.0.0.1:${proxy.port}: connection refused`);
  });

  it.each(['http', 'https', 'socks5'])('fails at the connect deadline if it is silent (%s)', async (scheme) => {
    const received = Promise.withResolvers<undefined>();
    const proxy = owned(await startTcpServer((socket) => void socket.once('data', () => received.resolve(undefined))));
    const clock = new VirtualClock();
    const transport = transportTo({ port: 1 }, { proxyUrl: `${scheme}://127.0.0.1:${proxy.port}` }, { clock });
    const failure = failureOf(fetchText(transport));
    await received.promise;
    await clock.advance(10_000);
    expect(await failure).toMatchObject({ code: 'deadline', message: 'localhost:1: no connection within 10000 ms' });
    expect(clock.pendingTimers).toBe(0);
  });

  it('is refused if its scheme is unknown or its credentials are too long, without showing its URL', () => {
    const long = 'canary'.repeat(50);
    const unusable = ['ftp://canary@proxy', 'canary', 'http://%zz:canary@proxy', `socks5://me:${long}@proxy`];
    for (const proxyUrl of unusable) {
      expect(() => createTransport({ server: 'https://h', proxyUrl })).toThrow(/^(?!.*canary).*proxyUrl/);
    }
  });
});
