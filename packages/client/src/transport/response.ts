import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Exchange } from './exchange.ts';
import type { TransportResponse } from './transport.ts';
import { toTransportError } from './transport-error.ts';
import type { WireResponse } from './wire.ts';

/** Gives the body of a response to one reader, and ends the exchange with it. */
export class Response implements TransportResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Uint8Array>;
  readonly #host: string;
  readonly #exchange: Exchange;

  constructor({ status, headers, body }: WireResponse, exchange: Exchange, host: string) {
    this.status = status;
    this.headers = headers;
    this.#host = host;
    this.#exchange = exchange;
    this.body = this.#read(headers['content-encoding'] === 'gzip' ? gunzipped(body) : body);
  }

  async bytes(): Promise<Uint8Array> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of this.body) chunks.push(chunk);
    return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
  }

  async *#read(body: Readable): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      for await (const chunk of body) yield chunk as Uint8Array;
      // An HTTP/2 stream whose connection is lost just stops.
      if (!body.readableEnded) throw bodyCutOff();
    } catch (cause) {
      throw this.#exchange.failure ?? toTransportError(cause, this.#host);
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
