import type { Readable } from 'node:stream';
import type { HeaderFields } from '../credentials/credential-source.ts';
import type { Exchange } from './exchange.ts';
import type { PingResult, TransportRequest } from './transport.ts';

/** A request with its complete path and all headers. */
export interface WireRequest {
  readonly method: TransportRequest['method'];
  readonly path: string;
  readonly headers: HeaderFields;
  readonly body: string | undefined;
}

export interface WireResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Fails or is destroyed if it ends before it is complete. */
  readonly body: Readable;
}

/** Connections to one server with one protocol and one client certificate. */
export interface Wire {
  /**
   * Sends a request, after `exchange.beforeSend()`.
   *
   * @throws {TransportError} with `unprocessed` if any request, even a write, can be retried.
   */
  open(request: WireRequest, exchange: Exchange): Promise<WireResponse>;
  /** See `Transport.ping`. */
  ping(timeout: number): Promise<PingResult>;
  /** Accepts no further requests, and closes each connection after its last request. */
  retire(): void;
  /** Closes all connections immediately. */
  close(): Promise<void>;
}

/** Returns one string for each header field. Lists are joined as in RFC 9110 section 5.3. */
export function headerRecord(
  headers: Readonly<Record<string, string | readonly string[] | number | undefined>>,
): Record<string, string> {
  const record: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || name.startsWith(':')) continue;
    record[name] = typeof value === 'object' ? value.join(', ') : String(value);
  }
  return record;
}
