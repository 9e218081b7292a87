import type { ClusterConfig } from '../config/cluster-config.ts';
import type { ListTotal, ResponsePurpose } from './response-limits.ts';

/** Sends requests to one API server over a few reused connections. */
export interface Transport extends AsyncDisposable {
  /**
   * Sends a request. Resolves when the headers of the response arrive, whatever its status is. Redirects are refused.
   *
   * @throws {TransportError} if there is no response, because of a refused or lost connection, a TLS failure or the
   * deadline, and if the response is a redirect.
   * @throws the reason of `request.signal` if it aborts.
   */
  send(request: TransportRequest): Promise<TransportResponse>;
  /**
   * Uses the credentials of `config` from the next request on. Open streams stay open if the client certificate does
   * not change. Otherwise they end with the code `rotated`, and their readers resume.
   *
   * @throws {TypeError} if `config` is not valid or has another endpoint.
   * @throws {TransportError} with the code `closed` after {@link close}.
   */
  rotate(config: ClusterConfig): Promise<void>;
  /**
   * Calls `listener` when the credentials of requests change, because of {@link rotate} or because they expired or
   * their source changed. The server may now accept requests that it refused before. Not called for custom `auth`.
   *
   * @returns a function that removes the listener.
   */
  onCredentials(listener: () => void): () => void;
  /**
   * Checks whether the server still answers on the open connections, without a request: with HTTP/2 pings, or by
   * waiting for a pending connection. A connection that does not answer is not used for further requests until it
   * answers; the next request opens another one. Never rejects.
   *
   * @param timeout deadline, in milliseconds.
   */
  ping?(timeout: number): Promise<PingResult>;
  /** Fails all requests in flight and closes all connections. Later requests and rotations are refused. */
  close(): Promise<void>;
}

/**
 * - `answered`: at least one connection works.
 * - `silent`: no connection received an answer or other data within the deadline, or none was established in that time.
 * - `unknown`: there is no connection, it closed, or its protocol has no pings (HTTP/1.1).
 */
export type PingResult = 'answered' | 'silent' | 'unknown';

/** A request to an API server. */
export interface TransportRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path and query below the server's base path, for example `/api/v1/pods?limit=500`. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
  /**
   * Deadline for the headers and, unless `streaming` is set, for the whole body, in milliseconds. All attempts share
   * it. Default: the config's `requestTimeout`.
   */
  readonly timeout?: number;
  /**
   * Whether the body has no end of its own (a watch). The deadline then applies to the headers only, unless the request
   * is refused. Default: false.
   */
  readonly streaming?: boolean;
  /** Selects the size limit for the body of a success. Ignored with `streaming`. Default: `object`. */
  readonly purpose?: ResponsePurpose;
  /** Bytes that count toward this limit already. The bytes of the body are added. Default: none. */
  readonly total?: ListTotal | undefined;
  /** `never` disables retries. A `streaming` request is never retried. Default: retry when that is safe. */
  readonly retry?: 'never';
  /** Called when the server responded and the request will be retried in `delay` milliseconds. */
  readonly onRetry?: (delay: number) => void;
  /** Called when an attempt had no response, for example because of a refused connection, and will be retried. */
  readonly onFailedTry?: (error: unknown) => void;
  /**
   * Called right before each attempt is sent, after all waits (for credentials, a connection and the client's rate
   * limit), so that nothing is awaited between the call and the sending. If it throws, the attempt is not sent, and the
   * request fails with that error without a retry. A transport that sets it for the requests of others calls theirs too.
   */
  readonly beforeSend?: () => void;
  /**
   * Whether to test the connection too. If the connection is silent for a second, the request fails with the code
   * `deadline`, and the next request uses another connection. Default: false.
   */
  readonly testsConnection?: boolean;
}

/** The response to a {@link TransportRequest}. */
export interface TransportResponse {
  readonly status: number;
  /** Header fields. Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The decompressed body, in chunks as they arrive. Leaving the loop early cancels the request. The body can be read
   * once, with this or with {@link bytes}.
   */
  readonly body: AsyncIterable<Uint8Array>;
  /** Reads the whole body. @throws {TransportError} with the code `oversized` if it exceeds its limit. */
  bytes(): Promise<Uint8Array>;
  /**
   * Returns `part`, a value of the JSON body, without the credentials of the request. The body of a success is returned
   * unchanged, so use this for every part of it that an error or a log line quotes.
   */
  withoutCredentials<T>(part: T): T;
  /** Cancels the request if its body is not read completely. */
  cancel(): void;
}
