import { createServer as createTlsServer } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { listen, type TestServer } from './server.fixture.ts';
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
