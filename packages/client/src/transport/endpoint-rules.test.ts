import { describe, expect, it } from '@jest/globals';
import type { EndpointRules } from '../config/cluster-config.ts';
import { startHttpProxy } from './proxy.fixture.ts';
import { echo, failureOf, fetchText, transportFixture } from './transport.fixture.ts';

const { owned, startServer, transportTo } = transportFixture();

describe('endpoint rules', () => {
  it.each([
    [{ allow: ['localhost'] }, true],
    [{ allow: ['127.0.0.0/8'] }, true],
    [{ allow: ['example.com', '127.0.0.1'] }, true],
    [{ metadataAddresses: false }, true],
    [{ allow: [] }, false],
    [{ allow: ['10.0.0.0/8', 'example.com'] }, false],
    [{ allow: ['*.localhost'] }, false],
  ] satisfies [EndpointRules, boolean][])('S-3: with %j, localhost is allowed: %s', async (endpoints, allowed) => {
    const server = await startServer(echo);
    const transport = transportTo(server, { endpoints });
    if (allowed) {
      expect(await fetchText(transport)).toBe('HTTP/2.0 GET /');
      return;
    }
    expect(await failureOf(fetchText(transport))).toMatchObject({
      code: 'disallowed',
      message: expect.stringMatching(/: connection not allowed: .* is not listed in endpoints.allow$/),
      unprocessed: true,
    });
    expect(server.connections).toBe(0);
  });

  it('S-3: checks each address that a name resolves to, and connects only to allowed addresses', async () => {
    const server = await startServer(echo);
    // The name may also resolve to ::1, which is not allowed and therefore not tried.
    const transport = transportTo(server, { endpoints: { allow: ['127.0.0.1/32'] } });
    expect(await fetchText(transport)).toBe('HTTP/2.0 GET /');
    const byAddress = transportTo(server, {
      server: `https://127.0.0.1:${server.port}`,
      endpoints: { allow: ['127.0.0.2'] },
    });
    expect(await failureOf(fetchText(byAddress))).toMatchObject({ code: 'disallowed' });
  });

  it.each([
    '169.254.169.254',
    '[::ffff:169.254.169.254]',
    '[64:ff9b:1:a9fe:a9:fe00::]',
    '[2001::5601:5601]',
    '[2001:db8::5efe:169.254.169.254]',
    '[fe80::1]',
    '100.100.100.200',
    '0.0.0.0',
    '2852039166',
  ])('S-3, S-15: does not connect to %s without metadataAddresses', async (host) => {
    const transport = transportTo(
      { port: 1 },
      { server: `https://${host}:1`, endpoints: { metadataAddresses: false } },
    );
    expect(await failureOf(fetchText(transport))).toMatchObject({ code: 'disallowed' });
  });

  it('S-3: with a proxy, checks the name as written, and the address of the proxy for metadata addresses', async () => {
    const proxy = owned(await startHttpProxy());
    const server = await startServer(echo);
    const proxyUrl = `http://localhost:${proxy.port}`;
    const reach = (endpoints: EndpointRules, more = {}) =>
      fetchText(transportTo(server, { proxyUrl, endpoints, ...more }));
    expect(await reach({ allow: ['localhost'], metadataAddresses: false })).toBe('HTTP/2.0 GET /');
    const { length } = proxy.requests;
    expect(await failureOf(reach({ allow: ['127.0.0.1'] }))).toMatchObject({ code: 'disallowed' });
    const metadata = { server: 'https://metadata.google.internal.' };
    expect(await failureOf(reach({ metadataAddresses: false }, metadata))).toMatchObject({ code: 'disallowed' });
    const elsewhere = { proxyUrl: 'http://169.254.169.254' };
    expect(await failureOf(reach({ metadataAddresses: false }, elsewhere))).toMatchObject({ code: 'disallowed' });
    expect(proxy.requests).toHaveLength(length);
  });

  it('S-15: refuses a name that resolves to a metadata address', async () => {
    // URLs with other schemes than http do not normalize this host, but the system resolves it to 169.254.169.254.
    const transport = transportTo(
      { port: 1 },
      { proxyUrl: 'socks5://0xa9fea9fe:1', endpoints: { metadataAddresses: false } },
    );
    expect(await failureOf(fetchText(transport))).toMatchObject({
      code: 'disallowed',
      message: expect.stringContaining('169.254.169.254 is a link-local, metadata'),
    });
  });
});
