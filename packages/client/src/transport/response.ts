import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { bodyChunks } from './body-chunks.ts';
import type { Exchange } from './exchange.ts';
import type { TransportResponse } from './transport.ts';
import { toTransportError, TransportError } from './transport-error.ts';
import type { WireResponse } from './wire.ts';

export interface ResponseOptions {
  /** The server's host and port. */
  readonly host: string;
  /** The most bytes that a body with an end of its own may have, decompressed. */
  readonly maxBytes: number;
  /** Told how many there were when all are read. */
  readonly onRead?: ((bytes: number) => void) | undefined;
}

/** Gives the body of a response to one reader, and ends the exchange with it. */
export class Response implements TransportResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Uint8Array>;
  readonly #exchange: Exchange;
  readonly #options: ResponseOptions;

  constructor({ status, headers, body }: WireResponse, exchange: Exchange, options: ResponseOptions) {
    this.status = status;
    this.headers = headers;
    this.#exchange = exchange;
    this.#options = options;
    this.body = this.#read(headers['content-encoding'] === 'gzip' ? gunzipped(body) : body);
  }

  async bytes(): Promise<Uint8Array> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of this.body) chunks.push(chunk);
    return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
  }

  cancel(): void {
    this.#exchange.end();
  }

  async *#read(body: Readable): AsyncGenerator<Uint8Array, void, undefined> {
    const { host, onRead } = this.#options;
    const maxBytes = this.#exchange.isEndless ? Infinity : this.#options.maxBytes;
    let bytes = 0;
    try {
      for await (const chunk of bodyChunks(body, bodyCutOff)) {
        bytes += chunk.byteLength;
        if (bytes > maxBytes) throw new TransportError('oversized', host, `the body has more than ${maxBytes} bytes`);
        yield chunk;
      }
      onRead?.(bytes);
    } catch (cause) {
      throw this.#exchange.failure ?? toTransportError(cause, host);
    } finally {
      this.#exchange.end();
    }
  }
}

function gunzipped(body: Readable): Readable {
  // Errors of either stream reach the reader of the second.
  return pipeline(body, createGunzip(), () => undefined);
}

function bodyCutOff(): Error {
  return Object.assign(new Error('the body was cut off'), { code: 'ECONNRESET' });
}
