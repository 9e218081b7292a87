import { inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { createTransport } from './create-transport.ts';
import { startHttpProxy, startSocksProxy } from './proxy.fixture.ts';
import { startPlainServer, startTcpServer } from './server.fixture.ts';
import { echo, failureOf, fetchText, openWatch, transportFixture } from './transport.fixture.ts';

const { authority, owned, startServer, transportTo } = transportFixture();

/** What a proxy is started by, and the scheme of its URL. */
const PROXIES = {
  'an HTTP proxy': ['http', () => startHttpProxy()],
  'an HTTPS proxy': ['https', async () => startHttpProxy({ identity: await authority().issue('proxy') })],
  'a SOCKS proxy': ['socks5', () => startSocksProxy()],
  'a SOCKS proxy that resolves names': ['socks5h', () => startSocksProxy()],
} as const;

describe.each(Object.entries(PROXIES))('by way of %s', (_, [scheme, start]) => {
  it.each(['h2', 'http/1.1'])('speaks %s to the server, whose name the proxy resolves', async (protocol) => {
    const proxy = owned(await start());
    const server = await startServer(echo, { protocol });
    const transport = transportTo(server, {
      server: `https://no-such-host.invalid:${server.port}`,
      tls: { caData: authority().cert, serverName: 'localhost' },
      proxyUrl: `${scheme}://localhost:${proxy.port}`,
    });
    expect(await fetchText(transport)).toBe(`HTTP/${protocol === 'h2' ? '2.0' : '1.1'} GET /`);
    await openWatch(transport);
    expect(proxy.asked[0]).toEqual({ target: `no-such-host.invalid:${server.port}`, credentials: undefined });
  });

  it('reaches a server without TLS', async () => {
    const proxy = owned(await start());
    const server = owned(await startPlainServer(echo));
    const proxyUrl = `${scheme}://localhost:${proxy.port}`;
    const transport = transportTo(server, { server: `http://127.0.0.1:${server.port}`, proxyUrl });
    expect(await fetchText(transport)).toBe('HTTP/1.1 GET /');
    expect(proxy.asked[0]?.target).toBe(`127.0.0.1:${server.port}`);
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
  ] as const)('gets the credentials in its URL (%s)', async (scheme, start, credentials) => {
    const proxy = owned(await start());
    const server = await startServer(echo);
    const transport = transportTo(server, { proxyUrl: `${scheme}://me:pass%40word@localhost:${proxy.port}` });
    expect(await fetchText(transport)).toBe('HTTP/2.0 GET /');
    expect(proxy.asked[0]?.credentials).toBe(credentials);
  });

  it.each([
    ['http', () => startHttpProxy({ status: 407 }), 'credentials', 'it answered 407 Proxy Authentication Required'],
    ['http', () => startHttpProxy({ status: 403 }), 'refused', 'it answered 403 Forbidden'],
    ['socks5', () => startSocksProxy({ account: 'other:one' }), 'credentials', 'Socks5 Authentication failed'],
  ] as const)('S-4: that does not connect (%s) is named in the error, its credentials are not', async (...row) => {
    const [scheme, start, code, reason] = row;
    const proxy = owned(await start());
    const transport = transportTo({ port: 1 }, { proxyUrl: `${scheme}://canary:canary@127.0.0.1:${proxy.port}` });
    const failure = await failureOf(fetchText(transport, '/', { retry: 'never' }));
    expect(failure).toMatchObject({ code, host: 'localhost:1', unprocessed: true });
    expect(failure.message).toBe(
      `localhost:1: proxy 127.0.0.1:${proxy.port} does not connect to the server: ${reason}`,
    );
    expect(inspect(failure, { depth: Infinity, showHidden: true })).not.toContain('canary');
  });

  it('that is not there is named in the error', async () => {
    const proxy = await startHttpProxy();
    await proxy[Symbol.asyncDispose]();
    const transport = transportTo({ port: 1 }, { proxyUrl: `http://127.0.0.1:${proxy.port}` });
    const failure = await failureOf(fetchText(transport, '/', { retry: 'never' }));
    expect(failure.message).toBe(`localhost:1: proxy 127.0.0.1:${proxy.port}: connection refused`);
  });

  it.each(['http', 'https', 'socks5'])('that says nothing (%s) has the deadline of connecting', async (scheme) => {
    const heard = Promise.withResolvers<undefined>();
    const proxy = owned(await startTcpServer((socket) => void socket.once('data', () => heard.resolve(undefined))));
    const clock = new VirtualClock();
    const transport = transportTo({ port: 1 }, { proxyUrl: `${scheme}://127.0.0.1:${proxy.port}` }, { clock });
    const failure = failureOf(fetchText(transport));
    await heard.promise;
    await clock.advance(10_000);
    expect(await failure).toMatchObject({ code: 'deadline', message: 'localhost:1: no connection within 10000 ms' });
    expect(clock.pendingTimers).toBe(0);
  });

  it('cannot be of another kind or have endless credentials, and what its URL holds is not shown', () => {
    const long = 'canary'.repeat(50);
    const unusable = ['ftp://canary@proxy', 'canary', 'http://%zz:canary@proxy', `socks5://me:${long}@proxy`];
    for (const proxyUrl of unusable) {
      expect(() => createTransport({ server: 'https://h', proxyUrl })).toThrow(/^(?!.*canary).*proxyUrl/);
    }
  });
});
