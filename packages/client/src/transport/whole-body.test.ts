import { randomBytes } from 'node:crypto';
import { constants } from 'node:http2';
import { Readable } from 'node:stream';
import { createServer as createTlsServer } from 'node:tls';
import { promisify } from 'node:util';
import { gunzip, gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { Exchange } from './exchange.ts';
import { Response } from './response.ts';
import { WholeBody } from './whole-body.ts';
import { listen, type Handler, type TestServer } from './server.fixture.ts';
import { failureOf, fetchText, transportFixture } from './transport.fixture.ts';

const { authority, owned, startServer, transportTo } = transportFixture();

/* HTTP/2 frames (RFC 9113 section 6). Node.js cannot send them in this way. */
const DATA = 0;
const HEADERS = 1;
const RST_STREAM = 3;
const SETTINGS = 4;
const END_STREAM = 1;
const ACK = 1;
const END_HEADERS = 4;
const NO_ERROR = 0;
const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'.length;

function frame(type: number, { flags = 0, stream = 0, payload = Buffer.alloc(0) } = {}): Buffer {
  const header = Buffer.alloc(9);
  header.writeUIntBE(payload.length, 0, 3);
  header.writeUInt8(type, 3);
  header.writeUInt8(flags, 4);
  header.writeUInt32BE(stream, 5);
  return Buffer.concat([header, payload]);
}

/** `:status: 200` (indexed) and `content-length: 20` (literal), encoded as in RFC 7541. */
const ANNOUNCED = Buffer.from([0x88, 0x0f, 0x0d, 2, ...Buffer.from('20')]);

/** Starts a server that announces 20 bytes, sends 5 of them, and ends the stream with the frame of `end`. */
async function startBreakingServer(end: (stream: number) => Buffer): Promise<TestServer> {
  const identity = await authority().issue('server');
  const server = createTlsServer({ ...identity, ALPNProtocols: ['h2'] }, (socket) => {
    let received = Buffer.alloc(0);
    let position = PREFACE;
    socket.on('error', () => undefined);
    socket.write(frame(SETTINGS));
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      while (received.length >= position + 9) {
        const type = received.readUInt8(position + 3);
        const stream = received.readUInt32BE(position + 5);
        if (type === SETTINGS && received.readUInt8(position + 4) !== ACK)
          socket.write(frame(SETTINGS, { flags: ACK }));
        if (type === HEADERS) {
          socket.write(frame(HEADERS, { flags: END_HEADERS, stream, payload: ANNOUNCED }));
          socket.write(frame(DATA, { stream, payload: Buffer.from('{"ite') }));
          socket.write(end(stream));
        }
        position += 9 + received.readUIntBE(position, 3);
      }
    });
  });
  return owned(await listen(server));
}

describe('an incomplete body', () => {
  it('F-2: fails if the stream is reset without an error, and is never returned as a shorter body', async () => {
    const payload = Buffer.alloc(4);
    payload.writeUInt32BE(NO_ERROR);
    const server = await startBreakingServer((stream) => frame(RST_STREAM, { stream, payload }));
    expect(await failureOf(fetchText(transportTo(server)))).toMatchObject({
      code: 'reset',
      message: `localhost:${server.port}: the body was cut off: received 5 of 20 bytes`,
      unprocessed: false,
    });
  });

  it('F-2: fails if the stream ends too early', async () => {
    const server = await startBreakingServer((stream) => frame(DATA, { flags: END_STREAM, stream }));
    expect(await failureOf(fetchText(transportTo(server)))).toMatchObject({ code: 'reset', unprocessed: false });
  });

  it('F-2: fails if its compressed data is incomplete', async () => {
    const zipped = gzipSync(Buffer.alloc(10_000, 'some text'));
    const server = await startServer((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      response.end(zipped.subarray(0, zipped.length - 20));
    });
    expect(await failureOf(fetchText(transportTo(server)))).toMatchObject({
      code: 'reset',
      message: `localhost:${server.port}: the body was cut off`,
    });
  });
});

type Reply = Parameters<Handler>[1];

/** The ways in which a server ends a stream of HTTP/2 in the middle of its body. */
const CUTS: Readonly<Record<string, (reply: Reply) => unknown>> = {
  'RST_STREAM with CANCEL': ({ stream }) => stream.close(constants.NGHTTP2_CANCEL),
  'RST_STREAM with INTERNAL_ERROR': ({ stream }) => stream.close(constants.NGHTTP2_INTERNAL_ERROR),
  'GOAWAY and a closed connection': ({ stream: { session } }) => {
    session?.goaway(0);
    session?.destroy();
  },
  'a destroyed session': ({ stream }) => stream.session?.destroy(),
};

describe('a body that is cut off', () => {
  const text = randomBytes(1_000_000).toString('hex');
  const bodies = { gzip: gzipSync(text), identity: Buffer.from(text) };

  /** Sends half of a body, and cuts it off as soon as the half is on its way. */
  const sendHalf = (reply: Reply, encoding: keyof typeof bodies, cut: () => unknown, status = 200): void => {
    const body = bodies[encoding];
    reply.writeHead(status, { 'content-encoding': encoding });
    reply.write(body.subarray(0, body.length / 2), () => setImmediate(cut));
  };
  const encodings = Object.keys(bodies) as (keyof typeof bodies)[];

  describe.each(encodings)('with content-encoding %s', (encoding) => {
    it.each(Object.keys(CUTS))('F-2: fails at once after %s', async (name) => {
      const server = await startServer((_, reply) => sendHalf(reply, encoding, () => CUTS[name]?.(reply)));
      const transport = transportTo(server);
      expect(await failureOf(fetchText(transport))).toMatchObject({ code: 'reset' });
      expect(await failureOf(fetchText(transport, '/watch', { streaming: true }))).toMatchObject({ code: 'reset' });
    });

    it('F-2: fails at once when the connection of HTTP/1.1 closes', async () => {
      const server = await startServer((_, reply) => sendHalf(reply, encoding, () => reply.socket.destroy()), {
        protocol: 'http/1.1',
      });
      const transport = transportTo(server);
      expect(await failureOf(fetchText(transport))).toMatchObject({ code: 'reset' });
      expect(await failureOf(fetchText(transport, '/watch', { streaming: true }))).toMatchObject({ code: 'reset' });
    });

    it('F-2: fails at once if it is the body of a 401', async () => {
      const server = await startServer((_, reply) =>
        sendHalf(reply, encoding, () => reply.stream.session?.destroy(), 401),
      );
      expect(await failureOf(fetchText(transportTo(server)))).toMatchObject({ code: 'reset' });
    });
  });
});

describe('a body that stays silent', () => {
  /** Returns a response whose stream never emits anything. */
  function silent({ encoding = 'identity', signal }: { encoding?: string; signal?: AbortSignal } = {}) {
    const clock = new VirtualClock();
    const exchange = new Exchange(
      { method: 'GET', path: '/', ...(signal && { signal }) },
      { host: 'h:1', timeout: 1_000, clock, onEnd: () => undefined },
    );
    const body = new Readable({ read: () => undefined });
    const response = new Response({ status: 200, headers: { 'content-encoding': encoding }, body }, exchange, {
      host: 'h:1',
      limit: { bytes: Infinity, name: 'list' },
    });
    return { clock, response };
  }

  it.each(['identity', 'gzip'])('fails at the deadline of the request, with content-encoding %s', async (encoding) => {
    const { clock, response } = silent({ encoding });
    const failure = failureOf(response.bytes());
    await clock.advance(1_000);
    expect(await failure).toMatchObject({ code: 'deadline' });
  });

  it.each(['identity', 'gzip'])('fails when the caller aborts, with content-encoding %s', async (encoding) => {
    const caller = new AbortController();
    const { response } = silent({ encoding, signal: caller.signal });
    const read = response.bytes();
    caller.abort(new Error('stopped'));
    await expect(read).rejects.toThrow('stopped');
  });

  it('fails when the response is cancelled', async () => {
    const { response } = silent();
    const failure = failureOf(response.bytes());
    response.cancel();
    expect(await failure).toMatchObject({ code: 'reset', message: 'h:1: the request was cancelled' });
  });
});

describe('a compressed body above its limit', () => {
  it.each(['h2', 'http/1.1'])('never crashes the process if it is also cut off, over %s', async (protocol) => {
    const zipped = gzipSync(Buffer.alloc(6_000_000, 'a'));
    const cut = zipped.subarray(0, zipped.length - 9);
    const server = await startServer((_, reply) => reply.writeHead(403, { 'content-encoding': 'gzip' }).end(cut), {
      protocol,
    });
    expect(await failureOf(fetchText(transportTo(server)))).toMatchObject({ code: 'oversized' });
    // Decompresses the same data, so that a decompression that was not ended reaches the end of its data meanwhile.
    await expect(promisify(gunzip)(cut)).rejects.toThrow('unexpected end of file');
  });

  it('keeps a listener for errors on its stream after the read has failed', () => {
    const body = new Readable({ read: () => undefined });
    const whole = new WholeBody(
      { status: 200, headers: {}, body },
      { host: 'h:1', limit: { bytes: 1, name: 'list' }, until: (step) => step },
    );
    whole.close();
    expect(body.listenerCount('error')).toBeGreaterThan(0);
  });
});

describe('a complete body', () => {
  it.each(['h2', 'http/1.1'])('has its announced length before decompression, over %s', async (protocol) => {
    const text = 'some text'.repeat(50_000);
    const zipped = gzipSync(text);
    const server = await startServer(
      (_, response) => {
        response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': zipped.length });
        response.end(zipped);
      },
      { protocol },
    );
    expect(await fetchText(transportTo(server))).toBe(text);
  });

  it.each(['h2', 'http/1.1'])('may be empty even with content-encoding gzip, over %s', async (protocol) => {
    const server = await startServer(
      (_, response) => {
        response.writeHead(200, { 'content-encoding': 'gzip' });
        response.end();
      },
      { protocol },
    );
    expect(await fetchText(transportTo(server))).toBe('');
  });

  it.each(['h2', 'http/1.1'])('is empty for a 304 with any content-length, over %s', async (protocol) => {
    const server = await startServer((_, response) => void response.writeHead(304, { 'content-length': 20 }).end(), {
      protocol,
    });
    expect(await fetchText(transportTo(server))).toBe('');
  });
});
