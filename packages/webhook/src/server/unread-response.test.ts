import { once } from 'node:events';
import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2';
import { connect } from 'node:http2';
import { connect as connectTls } from 'node:tls';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually, VirtualClock } from '@mcr/core/testing';
import { Cart, cart } from '../admission/cart.fixture.ts';
import { conversion } from '../conversion/conversion.ts';
import { RunningWebhooks } from './server.fixture.ts';

const MIB = 1024 * 1024;

describe('responses that are not read', () => {
  let clock: VirtualClock;
  let running: RunningWebhooks;
  let session: ClientHttp2Session;

  beforeEach(async () => {
    clock = new VirtualClock();
    running = await RunningWebhooks.start({
      clock,
      limits: { totalBytes: 32 * MIB },
      setUp: (webhooks) =>
        webhooks.register(conversion({ kind: Cart, convert: (object, apiVersion) => ({ ...object, apiVersion }) })),
    });
    session = connect(running.url, { ca: running.caCertificate });
    await once(session, 'connect');
    session.setLocalWindowSize(64 * MIB);
  });
  afterEach(async () => {
    session.destroy();
    await running[Symbol.asyncDispose]();
  });

  const convert = (bytes: number) => {
    const objects = [cart({ zone: 'x'.repeat(bytes) })];
    const request = { uid: 'u', desiredAPIVersion: 'shop.example.com/v2', objects };
    return JSON.stringify({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview', request });
  };
  /** Sends a review over HTTP/2. Resolves when the response begins. */
  const send = async (bytes: number): Promise<ClientHttp2Stream> => {
    const stream = session.request({ ':method': 'POST', ':path': '/convert', 'content-type': 'application/json' });
    stream.on('error', () => undefined);
    stream.end(convert(bytes));
    const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
    expect(headers[':status']).toBe(200);
    return stream;
  };

  it('WH-6: serves further requests of a connection with large responses', async () => {
    const large = await send(14 * MIB);
    for (let count = 0; count < 20; count++) await buffer(await send(10));
    expect((await buffer(large)).length).toBeGreaterThan(14 * MIB);
  });

  it('WH-6: ends the response that has been sent for the longest time when responses are too large together', async () => {
    const [first, second] = [await send(14 * MIB), await send(14 * MIB)];
    expect([first.closed, second.closed]).toEqual([false, false]);
    await buffer(await send(14 * MIB));
    await eventually(() => expect(first.closed).toBe(true));
    expect(second.closed).toBe(false);
  });

  it('WH-6: ends a response over HTTP/2 that is not read before the deadline, and frees its room', async () => {
    const stream = await send(14 * MIB);
    await clock.advance(30_000);
    await eventually(() => expect(stream.closed).toBe(true));
    await buffer(await send(31 * MIB));
  });

  it('WH-6: ends the connection of a response over HTTP/1.1 that is not read before the deadline', async () => {
    const { hostname, port } = new URL(running.url);
    const socket = connectTls({ host: hostname, port: Number(port), ca: running.caCertificate });
    const closed = once(socket, 'close');
    socket.on('error', () => undefined);
    const body = convert(14 * MIB);
    const head = `POST /convert HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
    socket.write(head + body);
    await once(socket, 'readable');
    await clock.advance(30_000);
    socket.resume();
    await closed;
    expect(socket.bytesRead).toBeLessThan(14 * MIB);
  });
});
