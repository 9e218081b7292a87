import type { Readable } from 'node:stream';
import type { Gunzip } from 'node:zlib';
import { TransportError } from '../errors/transport-error.ts';
import { allocatedInBulk } from '../garbage/young-collections.ts';
import { piped } from './piped.ts';
import type { BodyLimit } from './response-limits.ts';
import type { WireResponse } from './wire.ts';

/** Size of chunks that wait for their reader, in bytes, from which the stream is paused. */
const MAX_WAITING = 256 * 1024;

export interface WholeBodyOptions {
  /** The server's host and port, for messages. */
  readonly host: string;
  /** Maximum size before decompression. */
  readonly limit: BodyLimit;
  /** Returns the result of a step, or rejects first if the request fails or ends. See `Exchange.until`. */
  readonly until: <T>(step: Promise<T>) => Promise<T>;
}

/**
 * The decompressed chunks of a body, in groups of those that arrived together. Node.js detects an incomplete body, except
 * for an HTTP/2 stream that is reset without an error code. Therefore the received size is compared with
 * `content-length`.
 *
 * Uses only the events of the stream. The stream's own iterator reads `closed`, which HTTP/2 streams define differently:
 * it becomes true when the server has sent everything, although some of it is still unread. That iterator may therefore
 * fail for a complete body.
 */
export class WholeBody {
  readonly #response: WireResponse;
  readonly #host: string;
  readonly #until: WholeBodyOptions['until'];
  readonly #gunzip: Gunzip | undefined;
  readonly #stream: Readable;
  #chunks: Uint8Array[] = [];
  /** Size of {@link #chunks}, in bytes. */
  #waiting = 0;
  #taken = 0;
  /** Size of the group that was taken last, in bytes. */
  #latest = 0;
  #hasEnded: boolean;
  #failure: Error | undefined;
  #wake = () => {};

  constructor(response: WireResponse, { host, limit, until }: WholeBodyOptions) {
    const { headers, body } = response;
    this.#response = response;
    this.#host = host;
    this.#until = until;
    this.#gunzip = headers['content-encoding'] === 'gzip' ? piped(body, gunzip()) : undefined;
    // Compressed data can be endless and decompress to nothing, so its size is limited before decompression.
    if (this.#gunzip) limitInput(body, limit, host);
    this.#stream = this.#gunzip ?? body;
    this.#hasEnded = this.#stream.readableEnded;
    this.#stream.on('data', this.#onData).on('close', this.#onClose).on('error', this.#onError);
    // Before the listener of Node.js, which destroys an HTTP/2 stream that has ended.
    this.#stream.prependListener('end', this.#onEnd);
  }

  /**
   * Resolves to the next group, or to `undefined` at the end of a complete body. A group waits for the end of the turn of
   * the event loop, because a socket delivers several chunks in one turn. Every wait ends when the request does.
   *
   * @throws {TransportError} with the code `reset` if the body is incomplete, or `oversized` if it is too large.
   * @throws the error of the stream or of the request.
   */
  async next(): Promise<Uint8Array[] | undefined> {
    allocatedInBulk(this.#latest);
    this.#latest = 0;
    this.#stream.resume();
    for (;;) {
      const woken = new Promise<void>((resolve) => (this.#wake = resolve));
      const failure = this.#failure ?? this.#stream.errored;
      if (this.#chunks.length > 0 && !failure) return this.#take();
      if (this.#hasEnded || (failure && this.#endedTooSoon(failure))) {
        this.#checkSize();
        return undefined;
      }
      if (failure) throw failure;
      if (this.#stream.destroyed) throw cutOff(this.#host);
      await this.#until(woken);
    }
  }

  /**
   * Ends the decompression, and removes the listeners from the stream. The one for errors remains, because an error
   * without a listener would crash the process.
   */
  close(): void {
    this.#stream.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onClose);
    this.#gunzip?.destroy();
  }

  #take(): Uint8Array[] {
    const group = this.#chunks;
    this.#chunks = [];
    this.#taken += this.#waiting;
    this.#latest = this.#waiting;
    this.#waiting = 0;
    return group;
  }

  /** Whether the error says that the compressed input ended before the data was complete. */
  #endedTooSoon(error: Error): boolean {
    return this.#gunzip !== undefined && 'code' in error && error.code === 'Z_BUF_ERROR';
  }

  /** @throws {TransportError} if the body is incomplete. */
  #checkSize(): void {
    // An empty body is valid, although it lacks the header of gzip.
    if (!this.#hasEnded && this.#gunzip && this.#gunzip.bytesWritten > 0) throw cutOff(this.#host);
    const announced = lengthOf(this.#response);
    const received = this.#gunzip?.bytesWritten ?? this.#taken;
    if (announced !== undefined && received !== announced)
      throw cutOff(this.#host, `: received ${received} of ${announced} bytes`);
  }

  readonly #onData = (chunk: Uint8Array): void => {
    this.#chunks.push(chunk);
    this.#waiting += chunk.byteLength;
    if (this.#waiting >= MAX_WAITING) this.#stream.pause();
    if (this.#chunks.length === 1) setImmediate(this.#wake);
  };

  readonly #onEnd = (): void => {
    // An HTTP/2 stream also ends when its connection is lost.
    this.#hasEnded = !this.#stream.destroyed;
    this.#wake();
  };

  readonly #onClose = (): void => this.#wake();

  readonly #onError = (error: Error): void => {
    this.#failure = error;
    this.#wake();
  };
}

/**
 * Returns the announced length of a body, if any. A 304 may have the length of the omitted body (RFC 9110 section 8.6).
 */
function lengthOf({ status, headers }: WireResponse): number | undefined {
  const { 'content-length': length = '' } = headers;
  return status !== 304 && /^\d+$/.test(length) ? Number(length) : undefined;
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

/** The first response that is compressed loads the module. */
function gunzip(): Gunzip {
  return process.getBuiltinModule('node:zlib').createGunzip();
}
