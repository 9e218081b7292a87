import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { sizeOfGroup } from './chunked-body.ts';
import { TransportError } from '../errors/transport-error.ts';
import { chunksRead } from './received-chunks.ts';
import type { BodyLimit } from './response-limits.ts';
import type { WireResponse } from './wire.ts';

/** Size of chunks that wait for their reader, in bytes, from which the stream is paused. */
const MAX_WAITING = 256 * 1024;

/**
 * Yields the decompressed chunks of a body, in groups of those that arrived together. Node.js detects an incomplete
 * body, except for an HTTP/2 stream that is reset without an error code. Therefore the received size is compared with
 * `content-length`.
 *
 * @param options.host the server's host and port, for messages.
 * @param options.limit maximum size before decompression.
 * @throws {TransportError} with the code `reset` if the body is incomplete, or `oversized` if it is too large.
 * @throws the error of the stream.
 */
export async function* wholeBody(
  { status, headers, body }: WireResponse,
  { host, limit }: { readonly host: string; readonly limit: BodyLimit },
): AsyncGenerator<readonly Uint8Array[], void, undefined> {
  // `pipeline` passes errors of the body to the reader of the decompressed stream.
  const gunzip = headers['content-encoding'] === 'gzip' ? pipeline(body, createGunzip(), () => undefined) : undefined;
  // Compressed data can be endless and decompress to nothing, so its size is limited before decompression.
  if (gunzip) limitInput(body, limit, host);
  let bytes = 0;
  try {
    for await (const group of groupsOf(gunzip ?? body, host)) {
      bytes += sizeOfGroup(group);
      yield group;
    }
  } catch (error) {
    if (!gunzip || !endedTooSoon(error)) throw error;
    // An empty body is valid, although it lacks the header of gzip.
    if (gunzip.bytesWritten > 0) throw cutOff(host);
  }
  const announced = lengthOf(status, headers);
  const received = gunzip?.bytesWritten ?? bytes;
  if (announced !== undefined && received !== announced)
    throw cutOff(host, `: received ${received} of ${announced} bytes`);
}

/**
 * Returns the announced length of a body, if any. A 304 may have the length of the omitted body (RFC 9110 section 8.6).
 */
function lengthOf(status: number, { 'content-length': length = '' }: WireResponse['headers']): number | undefined {
  return status !== 304 && /^\d+$/.test(length) ? Number(length) : undefined;
}

/**
 * Yields the chunks of a stream, using only its events. The stream's own iterator reads `closed`, which HTTP/2 streams
 * define differently: it becomes true when the server has sent everything, although some of it is still unread. That
 * iterator may therefore fail for a complete body.
 *
 * A group waits for the end of the turn of the event loop, because a socket delivers several chunks in one turn.
 */
async function* groupsOf(stream: Readable, host: string): AsyncGenerator<readonly Uint8Array[], void, undefined> {
  let chunks: Uint8Array[] = [];
  let waiting = 0;
  let wake = () => {};
  let failure: Error | undefined;
  const onData = (chunk: Uint8Array) => {
    chunks.push(chunk);
    waiting += chunk.byteLength;
    if (waiting >= MAX_WAITING) stream.pause();
    if (chunks.length === 1) setImmediate(wake);
  };
  let hasEnded = stream.readableEnded;
  const onEnd = () => {
    // An HTTP/2 stream also ends when its connection is lost.
    hasEnded = !stream.destroyed;
    wake();
  };
  const onClose = () => wake();
  const onError = (error: Error) => {
    failure = error;
    wake();
  };
  stream.on('data', onData).on('close', onClose).on('error', onError);
  // Before the listener of Node.js, which destroys an HTTP/2 stream that has ended.
  stream.prependListener('end', onEnd);
  try {
    for (;;) {
      const woken = new Promise<void>((resolve) => (wake = resolve));
      if (chunks.length > 0 && !(failure ?? stream.errored)) {
        const group = chunks;
        chunks = [];
        waiting = 0;
        yield group;
        stream.resume();
        chunksRead(sizeOfGroup(group));
      } else if (hasEnded) return;
      else if (failure ?? stream.errored) throw (failure ?? stream.errored) as Error;
      else if (stream.destroyed) throw cutOff(host);
      else await woken;
    }
  } finally {
    stream.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onError);
  }
}

/** Whether the compressed input ended before the data was complete. */
function endedTooSoon(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'Z_BUF_ERROR';
}

function limitInput(body: Readable, limit: BodyLimit, host: string): void {
  let bytes = 0;
  body.on('data', ({ length }: Uint8Array) => {
    bytes += length;
    if (bytes > limit.bytes) body.destroy(oversized(host, limit));
  });
}

/** Creates the error for a body or list that exceeds its limit. */
export function oversized(host: string, { name, bytes }: BodyLimit): TransportError {
  const [subject, remedy] = name === 'list' ? ['list', ', or select fewer objects'] : ['body', ''];
  return new TransportError(
    'oversized',
    host,
    `the ${subject} has more than ${bytes} bytes: raise limits.${name}${remedy}`,
  );
}

function cutOff(host: string, detail = ''): TransportError {
  return new TransportError('reset', host, `the body was cut off${detail}`);
}
