import type { ClusterConfig } from '../config/cluster-config.ts';
import type { ListTotal, ResponsePurpose } from './response-limits.ts';

/** Sends requests to one API server over few, reused connections. */
export interface Transport extends AsyncDisposable {
  /**
   * Resolves when the response's headers are there, whatever its status, except for a redirect's: none is followed.
   *
   * @throws {TransportError} when no response came: connection refused, reset, TLS failure, deadline, redirect.
   * @throws the reason of `request.signal`, when that aborts.
   */
  send(request: TransportRequest): Promise<TransportResponse>;
  /**
   * Uses the credentials of `config` from the next request on. Streams that are open stay open where the protocol
   * allows it, else they end and their readers resume.
   *
   * @throws {TypeError} when `config` names another endpoint.
   * @throws {TransportError} with the code `closed`, after {@link close}.
   */
  rotate(config: ClusterConfig): Promise<void>;
  /**
   * Calls `listener` when requests get other credentials than before, by {@link rotate} or because those there were had
   * expired or changed: what the server refused may do now. Not for custom `auth`.
   *
   * @returns ends it.
   */
  onCredentials(listener: () => void): () => void;
  /**
   * Checks whether the server still answers on the open connections, without sending a request: with HTTP/2 pings, or
   * by waiting for a pending connection. A connection that does not answer carries no further request until it does;
   * the next request opens another one. Never rejects.
   *
   * @param timeout deadline, in milliseconds.
   */
  ping?(timeout: number): Promise<PingResult>;
  /** Ends every request and closes every connection. Later requests and rotations are refused. */
  close(): Promise<void>;
}

/**
 * - `answered`: at least one connection works.
 * - `silent`: no connection has answered or received anything within the deadline, or none could be made in that time.
 * - `unknown`: there is no connection, or its protocol has no pings (HTTP/1.1).
 */
export type PingResult = 'answered' | 'silent' | 'unknown';

export interface TransportRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path and query below the server's base path, for example `/api/v1/pods?limit=500`. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
  /**
   * Deadline for the headers and, unless `streaming`, for the whole body, in milliseconds. All tries together have it.
   * Default: the config's `requestTimeout`.
   */
  readonly timeout?: number;
  /** The body has no end of its own (a watch): the deadline holds for the headers only, unless the request is refused. */
  readonly streaming?: boolean;
  /** Selects the transport's size limit for the body of a success. Not for `streaming`. Default: `object`. */
  readonly purpose?: ResponsePurpose;
  /** Bytes that count toward this limit already. Grows by the body. Default: none. */
  readonly total?: ListTotal | undefined;
  /** `never`: whoever sends this decides about another try. A `streaming` request is not tried again in any case. */
  readonly retry?: 'never';
  /** Called when the server has answered and the request is sent again, `delay` milliseconds from now. */
  readonly onRetry?: (delay: number) => void;
  /** Called when no response came, for example because the connection was refused, and the request is sent again. */
  readonly onFailedTry?: (error: unknown) => void;
  /**
   * Whether to test the connection as well: the request fails with the code `deadline` if the connection shows no sign
   * of life within a second, and the next request uses another connection. Default: false.
   */
  readonly testsConnection?: boolean;
}

export interface TransportResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The decoded body as it arrives. Leaving the loop early cancels the request. Read once, by this or by {@link bytes}. */
  readonly body: AsyncIterable<Uint8Array>;
  /** The whole body. @throws {TransportError} with the code `oversized`, when there is too much of it. */
  bytes(): Promise<Uint8Array>;
  /**
   * `part`, of the JSON of the body, without the credentials of the request. The body of a success is given as it came:
   * what of it is told in an error or a log line must not quote them.
   */
  withoutCredentials<T>(part: T): T;
  /** Gives the body up, unread or not. */
  cancel(): void;
}
