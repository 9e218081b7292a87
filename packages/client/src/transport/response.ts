import type { Exchange } from './exchange.ts';
import type { BodyLimit, ListTotal } from './response-limits.ts';
import type { TransportResponse } from './transport.ts';
import { toTransportError } from '../errors/transport-error.ts';
import { oversized, wholeBody } from './whole-body.ts';
import type { WireResponse } from './wire.ts';

export interface ResponseOptions {
  /** The server's host and port. */
  readonly host: string;
  /** The limit of a body that has an end, before and after decompression. */
  readonly limit: BodyLimit;
  /** Counts toward the limit as well, and grows by the body. */
  readonly total?: ListTotal | undefined;
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
    const { host, onRead, total = { bytes: 0 } } = this.#options;
    const limit = this.#exchange.isEndless ? { ...this.#options.limit, bytes: Infinity } : this.#options.limit;
    let bytes = 0;
    let isWhole = false;
    try {
      for await (const chunk of wholeBody(response, { host, limit })) {
        bytes += chunk.byteLength;
        total.bytes += chunk.byteLength;
        if (total.bytes > limit.bytes) throw oversized(host, limit);
        yield chunk;
      }
      isWhole = true;
      onRead?.(bytes);
    } catch (cause) {
      throw this.#exchange.failure ?? toTransportError(cause, host);
    } finally {
      if (!isWhole) total.bytes -= bytes;
      this.#exchange.end();
    }
  }
}
