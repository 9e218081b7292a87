import { afterEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import type { ClusterConfig } from '../config/cluster-config.ts';
import { createDialer, type DialedConnection } from './dialer.ts';
import { startTcpServer } from './server.fixture.ts';
import { failureOf, transportFixture } from './transport.fixture.ts';

const { startServer, authority, owned } = transportFixture();

describe('Dialer', () => {
  const connections: DialedConnection[] = [];
  afterEach(() => {
    for (const { socket } of connections.splice(0)) socket.destroy();
  });

  const dial = async (config: ClusterConfig, signal = AbortSignal.timeout(5_000)): Promise<DialedConnection> => {
    using dialer = createDialer(config);
    const connection = await dialer.dial(signal);
    connections.push(connection);
    return connection;
  };

  it('WB-5: opens a connection with the TLS settings and the credentials of the config', async () => {
    const server = await startServer((request, response) =>
      response.end(`${request.url} ${request.headers.authorization}`),
    );
    const { socket, host, basePath, headers } = await dial({
      server: `https://localhost:${server.port}/base/`,
      tls: { caData: authority().cert },
      auth: { type: 'token', token: 'secret' },
      impersonate: { user: 'jane', groups: ['a', 'b'] },
    });
    expect({ host, basePath }).toEqual({ host: `localhost:${server.port}`, basePath: '/base' });
    expect(headers).toEqual({
      authorization: 'Bearer secret',
      'impersonate-user': 'jane',
      'impersonate-group': ['a', 'b'],
    });
    socket.write(
      `GET ${basePath}/a HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer secret\r\nconnection: close\r\n\r\n`,
    );
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    await once(socket, 'end');
    expect(text).toContain('/base/a Bearer secret');
  });

  it('WB-5: returns the credentials without a connection', async () => {
    using dialer = createDialer({ server: 'https://192.0.2.1', auth: { type: 'token', token: 'secret' } });
    expect(await dialer.headers(AbortSignal.timeout(5_000))).toEqual({ authorization: 'Bearer secret' });
  });

  it('WB-5: refuses a server whose certificate is not trusted, and an endpoint that is not allowed', async () => {
    const server = await startServer((_, response) => response.end());
    const address = `https://localhost:${server.port}`;
    expect(await failureOf(dial({ server: address }))).toMatchObject({ code: 'untrusted' });
    const tls = { caData: authority().cert };
    const endpoints = { allow: ['example.com'] };
    expect(await failureOf(dial({ server: address, tls, endpoints }))).toMatchObject({ code: 'disallowed' });
    expect(() => createDialer({ server: 'localhost' })).toThrow(TypeError);
  });

  it('WB-5: closes the connection if the signal aborts before TLS is established', async () => {
    const closed = Promise.withResolvers<void>();
    const abort = new AbortController();
    // Never answers the handshake.
    const silent = owned(
      await startTcpServer((socket) => {
        socket.resume().once('close', () => closed.resolve());
        abort.abort(new Error('stop'));
      }),
    );
    await expect(dial({ server: `https://127.0.0.1:${silent.port}` }, abort.signal)).rejects.toThrow('stop');
    await closed.promise;
    await expect(dial({ server: `https://127.0.0.1:${silent.port}` }, abort.signal)).rejects.toThrow('stop');
  });
});
