import { once } from 'node:events';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { createCertificateAuthority } from './certificates.fixture.ts';
import { createTransport } from './create-transport.ts';
import { startPlainServer, startSecureServer } from './server.fixture.ts';
import { echo, failureOf, fetchText, openWatch, transportFixture } from './transport.fixture.ts';

const { owned, authority, startServer, transportTo } = transportFixture();

describe('connections', () => {
  it('sends concurrent requests and watches over one HTTP/2 connection', async () => {
    const server = await startServer(echo);
    const transport = transportTo(server);
    const watches = await Promise.all(Array.from({ length: 60 }, () => openWatch(transport)));
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, i) => fetchText(transport, `/${i}`, { method: 'PATCH', body: '{}' })),
    );
    expect(answers[7]).toBe('HTTP/2.0 PATCH /7');
    expect(watches).toHaveLength(60);
    expect(server.connections).toBe(1);
  });

  it('returns a body that arrived completely before it is read', async () => {
    const server = await startServer((_, response) => response.end('x'.repeat(100_000)));
    const transport = transportTo(server);
    const response = await transport.send({ method: 'GET', path: '/' });
    // The response to the first request arrives before the response to a later one.
    await fetchText(transport, '/later');
    expect((await response.bytes()).length).toBe(100_000);
  });

  it('opens another connection only if the server allows no more streams on the existing ones', async () => {
    const server = await startServer(echo, { settings: { maxConcurrentStreams: 4 } });
    const transport = transportTo(server);
    await Promise.all(Array.from({ length: 4 }, () => openWatch(transport)));
    expect(server.connections).toBe(1);
    await Promise.all(Array.from({ length: 3 }, () => openWatch(transport)));
    expect(server.connections).toBe(2);
    expect(await fetchText(transport)).toBe('HTTP/2.0 GET /');
    expect(server.connections).toBe(2);
  });

  it('uses HTTP/1.1 and kept-alive connections if the server does not support HTTP/2', async () => {
    const server = await startServer(echo, { protocol: 'http/1.1' });
    const transport = transportTo(server);
    expect(await fetchText(transport, '/a', { method: 'POST', body: '{}' })).toBe('HTTP/1.1 POST /a');
    const afterFirst = server.connections;
    expect(await fetchText(transport, '/b')).toBe('HTTP/1.1 GET /b');
    expect(server.connections).toBe(afterFirst);
  });

  it('uses HTTP/1.1 for an http:// server, and prepends its base path', async () => {
    const server = owned(await startPlainServer(echo));
    const transport = transportTo(server, { server: `http://127.0.0.1:${server.port}/k8s/clusters/c-1/` });
    expect(await fetchText(transport, '/version')).toBe('HTTP/1.1 GET /k8s/clusters/c-1/version');
  });

  it('reconnects and negotiates the protocol again after its connections closed', async () => {
    const server = await startServer(echo);
    const transport = transportTo(server);
    await fetchText(transport);
    const [socket] = server.sockets;
    const gone = once(socket as Socket, 'close');
    server.sessions[0]?.close();
    await gone;
    expect(await fetchText(transport)).toBe('HTTP/2.0 GET /');
    expect(server.connections).toBe(2);
  });

  it('requests gzip except for watches, and decompresses it', async () => {
    const encodings: unknown[] = [];
    const server = await startServer((request, response) => {
      encodings.push(request.headers['accept-encoding']);
      response.writeHead(200, { 'content-encoding': 'gzip' });
      response.end(gzipSync('zipped'));
    });
    const transport = transportTo(server);
    expect(await fetchText(transport)).toBe('zipped');
    expect(await fetchText(transport, '/', { streaming: true })).toBe('zipped');
    expect(encodings).toEqual(['gzip', undefined]);
  });

  it('sends many large bodies concurrently', async () => {
    const server = await startServer((request, response) => {
      request.resume().once('end', () => response.end('received'));
    });
    const transport = transportTo(server);
    const body = 'x'.repeat(500_000);
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => fetchText(transport, '/', { method: 'POST', body })),
    );
    expect(new Set(answers)).toEqual(new Set(['received']));
  });

  it('receives a body that is larger than the flow-control windows', async () => {
    const body = Buffer.alloc(24 * 1024 * 1024, 'x');
    const server = await startServer((_, response) => void response.end(body));
    const received = await (await transportTo(server).send({ method: 'GET', path: '/', purpose: 'list' })).bytes();
    expect(received.byteLength).toBe(body.byteLength);
  });
});

describe('limits', () => {
  it.each(['qps', 'burst', 'requestTimeout'])('refuses %s of 0 or less, also in a rotation', async (field) => {
    for (const value of [0, -1, NaN]) {
      const config = { server: 'https://h', [field]: value };
      const message = `option "${field}": expected a number greater than 0, found ${value}`;
      expect(() => createTransport(config)).toThrow(message);
      await expect(owned(createTransport({ server: 'https://h' })).rotate(config)).rejects.toThrow(message);
    }
  });
});

describe('TLS', () => {
  it('refuses a server whose certificate is not trusted', async () => {
    const server = await startServer(echo);
    const other = await createCertificateAuthority();
    const failure = await failureOf(fetchText(transportTo(server, { tls: { caData: other.cert } })));
    expect(failure).toMatchObject({ code: 'untrusted', unprocessed: true });
    expect(failure.message).toMatch(`localhost:${server.port}: certificate is not trusted: `);
  });

  it('refuses a certificate for another name, and checks tls.serverName if it is set', async () => {
    const server = owned(
      await startSecureServer(await authority().issue('server', { dns: ['api.internal'], ip: [] }), echo),
    );
    expect(await failureOf(fetchText(transportTo(server)))).toMatchObject({ code: 'untrusted' });
    const named = transportTo(server, { tls: { caData: authority().cert, serverName: 'api.internal' } });
    expect(await fetchText(named)).toBe('HTTP/2.0 GET /');
  });

  it('checks the address in the certificate if the URL of the server has an address', async () => {
    const server = await startServer(echo);
    expect(await fetchText(transportTo(server, { server: `https://127.0.0.1:${server.port}` }))).toBe('HTTP/2.0 GET /');
    const noAddress = owned(await startSecureServer(await authority().issue('server', { ip: [] }), echo));
    const byAddress = transportTo(noAddress, { server: `https://127.0.0.1:${noAddress.port}` });
    expect(await failureOf(fetchText(byAddress))).toMatchObject({ code: 'untrusted' });
  });

  it('accepts any certificate with insecureSkipVerify', async () => {
    const server = await startServer(echo);
    expect(await fetchText(transportTo(server, { tls: { insecureSkipVerify: true } }))).toBe('HTTP/2.0 GET /');
  });

  it('refuses invalid client certificates when it is created', () => {
    expect(() => createTransport({ server: 'https://h', tls: { certData: 'x', keyData: 'secret-key' } })).toThrow(
      /^tls.caData, tls.certData or tls.keyData is not valid/,
    );
  });
});
