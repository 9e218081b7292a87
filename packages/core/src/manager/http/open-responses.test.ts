import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Logger, silentLogger } from '@mcr/client';
import { HttpServer } from './http-server.ts';
import { parseBindAddress } from './bind-address.ts';

const MIB = 1024 * 1024;
const REQUEST = 'GET /fleet HTTP/1.1\r\nhost: localhost\r\n\r\n';

describe('responses that are not read', () => {
  let end: AbortController;
  let served: Promise<void>;
  let port: number;
  let body: string;
  let requests: number;
  /** Called after each request was answered. */
  let answered: () => void;

  beforeEach(async () => {
    end = new AbortController();
    [body, requests, answered] = ['', 0, () => undefined];
    const address = parseBindAddress('127.0.0.1:0');
    if (!address || address === 'nowhere') throw new Error('expected an address');
    const { promise, resolve } = Promise.withResolvers<string>();
    const logger: Logger = { ...silentLogger, info: (_, fields) => resolve(String(fields?.['address'])) };
    const route = () => (_: unknown, response: { end: (data: string) => void }) => {
      requests += 1;
      response.end(body);
      setImmediate(answered);
    };
    served = new HttpServer({ name: 'metrics', address, logger, route }).run(end.signal);
    port = Number(new URL(await promise).port);
  });
  afterEach(async () => {
    end.abort();
    await served;
  });

  /** Sends requests, and reads nothing. Resolves when the first one was answered. */
  async function send(message: string): Promise<Socket> {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined).pause();
    const done = new Promise<void>((resolve) => (answered = resolve));
    socket.write(message);
    await done;
    return socket;
  }

  /** Returns the size of what arrives, in MiB. */
  const sizeOf = async (socket: Socket): Promise<number> => Math.floor((await text(socket)).length / MIB);

  it('MG-6: the oldest responses are cut when all together take more than 64 MiB', async () => {
    body = 'x'.repeat(24 * MIB);
    const sockets: Socket[] = [];
    for (let count = 0; count < 6; count++)
      sockets.push(await send(REQUEST.replace('\r\n\r\n', '\r\nconnection: close\r\n\r\n')));
    const sizes = await Promise.all(sockets.map(sizeOf));
    expect(sizes[0]).toBeLessThan(24);
    expect(sizes.at(-1)).toBe(24);
    expect(sizes.filter((size) => size < 24).length).toBeGreaterThanOrEqual(3);
  });

  it('MG-6: a connection that sends requests without waiting for responses is closed', async () => {
    body = 'x'.repeat(24 * MIB);
    const socket = await send(REQUEST.repeat(1_000));
    expect(await sizeOf(socket)).toBeLessThan(24);
    expect(requests).toBe(1);
  });

  it('MG-6: a connection serves one request after another', async () => {
    body = 'x'.repeat(MIB);
    const socket = connect(port, '127.0.0.1').setEncoding('latin1');
    for (let count = 0; count < 3; count++) {
      socket.write(REQUEST);
      for (let size = 0; size < MIB;) size += String((await once(socket, 'data'))[0]).length;
    }
    expect(requests).toBe(3);
    socket.destroy();
  });
});
