import type { Exchange } from './exchange.ts';
import type { TransportResponse } from './transport.ts';
import { toTransportError } from './transport-error.ts';
import { oversized, wholeBody } from './whole-body.ts';
import type { WireResponse } from './wire.ts';

export interface ResponseOptions {
  /** The server's host and port. */
  readonly host: string;
  /** The largest size of a body that has an end, before and after decompression. */
  readonly maxBytes: number;
  /** Told how many there were when all are read. */
  readonly onRead?: ((bytes: number) => void) | undefined;
}

/** Gives the body of a response to one reader, and ends the exchange with it. */
export class Response implements Omit<TransportResponse, 'withoutCredentials'> {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Uint8Array>;
  readonly #exchange: Exchange;
  readonly #options: ResponseOptions;

  constructor(response: WireResponse, exchange: Exchange, options: ResponseOptions) {
    this.status = response.status;
    this.headers = response.headers;
    this.#exchange = exchange;
    this.#options = options;
    this.body = this.#read(response);
  }

  async bytes(): Promise<Uint8Array> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of this.body) chunks.push(chunk);
    return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
  }

  cancel(): void {
    this.#exchange.end();
  }

  async *#read(response: WireResponse): AsyncGenerator<Uint8Array, void, undefined> {
    const { host, onRead } = this.#options;
    const maxBytes = this.#exchange.isEndless ? Infinity : this.#options.maxBytes;
    let bytes = 0;
    try {
      for await (const chunk of wholeBody(response, { host, maxBytes })) {
        bytes += chunk.byteLength;
        if (bytes > maxBytes) throw oversized(host, maxBytes);
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
