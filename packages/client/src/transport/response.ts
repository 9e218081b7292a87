import { ChunkedBody, sizeOfGroup } from './chunked-body.ts';
import type { Exchange } from './exchange.ts';
import type { BodyLimit, ListTotal } from './response-limits.ts';
import type { TransportResponse } from './transport.ts';
import { toTransportError } from '../errors/transport-error.ts';
import { oversized, WholeBody } from './whole-body.ts';
import type { WireResponse } from './wire.ts';

export interface ResponseOptions {
  /** The server's host and port. */
  readonly host: string;
  /** Limit of the body before and after decompression. Not for streams. */
  readonly limit: BodyLimit;
  /** Bytes that count toward the limit already. The bytes of the body are added. */
  readonly total?: ListTotal | undefined;
  /** Called with the size of the body after it was read completely. */
  readonly onRead?: ((bytes: number) => void) | undefined;
}

/** A response whose body can be read once. The end of the body ends the exchange. */
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
    this.body = new ChunkedBody(this.#read(response));
  }

  async bytes(): Promise<Uint8Array> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of this.body) chunks.push(chunk);
    return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
  }

  cancel(): void {
    this.#exchange.end();
  }

  async *#read(response: WireResponse): AsyncGenerator<readonly Uint8Array[], void, undefined> {
    const { host, onRead, total = { bytes: 0 } } = this.#options;
    const limit = this.#exchange.isEndless ? { ...this.#options.limit, bytes: Infinity } : this.#options.limit;
    const body = new WholeBody(response, { host, limit, until: (step) => this.#exchange.until(step) });
    let bytes = 0;
    let isWhole = false;
    try {
      for (let group = await body.next(); group; group = await body.next()) {
        const size = sizeOfGroup(group);
        bytes += size;
        total.bytes += size;
        if (total.bytes > limit.bytes) throw oversized(host, limit);
        yield group;
        // An idle watch keeps the latest group, but not its chunks.
        group.length = 0;
      }
      isWhole = true;
      onRead?.(bytes);
    } catch (cause) {
      throw this.#exchange.failure ?? toTransportError(cause, host);
    } finally {
      body.close();
      if (!isWhole) total.bytes -= bytes;
      this.#exchange.end();
    }
  }
}
