import type { Readable } from 'node:stream';
import type { HeaderFields } from '../credentials/credential-source.ts';
import type { Exchange } from './exchange.ts';
import type { PingResult, TransportRequest } from './transport.ts';

/** A request as it is sent: with the whole path, and every header. */
export interface WireRequest {
  readonly method: TransportRequest['method'];
  readonly path: string;
  readonly headers: HeaderFields;
  readonly body: string | undefined;
}

export interface WireResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Fails, or is destroyed, when it ends before it is whole. */
  readonly body: Readable;
}

/** Connections of one protocol and one identity to one server. */
export interface Wire {
  /** @throws {TransportError} `unprocessed` when the request may be sent again, whatever its method. */
  open(request: WireRequest, exchange: Exchange): Promise<WireResponse>;
  /** See `Transport.ping`. */
  ping(timeout: number): Promise<PingResult>;
  /** Takes no further request; closes each connection when its last request has ended. */
  retire(): void;
  /** Closes every connection at once. */
  close(): Promise<void>;
}

/** One text for each header that came, lists joined as RFC 9110 section 5.3 says. */
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
