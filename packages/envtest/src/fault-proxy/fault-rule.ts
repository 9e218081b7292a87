/** A fault, its targets, and its schedule. It also applies to connections and requests that are already open. */
export type FaultRule = ConnectionRule | RequestRule;

/** A rule for connections. */
export interface ConnectionRule {
  readonly on: 'connections';
  readonly fault: ConnectionFault;
  /** Default: every connection, until the rule is removed. */
  readonly when?: FaultSchedule | undefined;
}

/** A rule for requests. */
export interface RequestRule {
  readonly on: 'requests';
  /** Default: every request. */
  readonly match?: RequestMatch | undefined;
  readonly fault: RequestFault;
  /** Default: every request that matches, until the rule is removed. */
  readonly when?: FaultSchedule | undefined;
}

/** Selects requests. Absent fields match every request. */
export interface RequestMatch {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | undefined;
  /** Matches the URL with its query: a pattern, or a substring. */
  readonly path?: string | RegExp | undefined;
  /** Whether the request is a watch. */
  readonly watch?: boolean | undefined;
}

/** Selects among the connections or requests that a rule applies to. */
export interface FaultSchedule {
  /** Number of connections or requests to let through before the fault applies. Default: 0. */
  readonly skip?: number | undefined;
  /** Selects every n-th after those. Default: 1. */
  readonly every?: number | undefined;
  /** Probability for each of those, decided by the seed. Default: 1. */
  readonly probability?: number | undefined;
  /** Maximum number of faults. Default: no limit. */
  readonly times?: number | undefined;
  /** Time in milliseconds after which the rule is removed. Default: never. */
  readonly for?: number | undefined;
}

/**
 * Faults of a connection. They apply to the encrypted bytes of TLS. `after` counts bytes from the server since the rule
 * was added; its default is 0.
 *
 * - `refuse`: resets a new connection at once. Does not affect an open one.
 * - `refuse-tls`: answers the handshake with an alert. Does not affect an open connection.
 * - `reset`: resets the connection (RST) after `after` bytes.
 * - `half-open`: after `after` bytes, silently drops everything that either side sends. The connection stays dead when
 *   the rule is removed.
 * - `stall`: holds all bytes until the rule is removed, then forwards them.
 * - `delay`: delays each piece by `duration` ms.
 * - `throttle`: forwards at most `bytesPerSecond` in each direction.
 * - `split`: forwards the bytes in packets of `size`.
 * - `corrupt`: changes one byte.
 * - `truncate`: closes the connection (FIN) after `after` bytes.
 */
export type ConnectionFault =
  | { readonly type: 'refuse' }
  | { readonly type: 'refuse-tls' }
  | { readonly type: 'reset'; readonly after?: number | undefined }
  | { readonly type: 'half-open'; readonly after?: number | undefined }
  | { readonly type: 'stall' }
  | StreamFault;

/**
 * Faults of a request and its response. Byte counts refer to the body of the response.
 *
 * - `pass`: no fault. Counts the matched requests.
 * - `answer`: responds in place of the server with a Status of code `status`, an optional `Retry-After` in seconds, and
 *   the reason of an optional `cause`.
 * - `drop`: loses the `request`, or the rest of the `response`, silently. The client waits.
 * - `reset`: like `drop`, but resets the client's stream; a `response` after `after` bytes of its body.
 * - `delay`: delays a request by `duration` ms before it is forwarded. Delays each event of an open watch.
 * - `repeat`: forwards the request twice and returns the second response. A watch sends each event twice.
 * - `stale`: answers a `GET` with an earlier response to the same request, `ago` responses back, or the oldest one
 *   since the rule was added. The server does not receive the request.
 * - `swallow`: removes bookmarks from a watch, or only the one that ends its initial events.
 * - `error-event`: sends an ERROR event of `status` before the next line of a watch, and ends the watch.
 * - `throttle`, `split`, `corrupt` (inserts a NUL, which is invalid in JSON), `truncate` (ends the body early, without
 *   an error): like those of a connection, for the body only.
 */
export type RequestFault =
  | { readonly type: 'pass' }
  | {
      readonly type: 'answer';
      readonly status: number;
      readonly retryAfter?: number | undefined;
      readonly reason?: string | undefined;
      readonly cause?: string | undefined;
    }
  | { readonly type: 'drop'; readonly part: LostMessage }
  | { readonly type: 'reset'; readonly part: LostMessage; readonly after?: number | undefined }
  | { readonly type: 'repeat' }
  | { readonly type: 'stale'; readonly ago: number }
  | { readonly type: 'swallow'; readonly events: 'bookmarks' | 'initial-events-end' }
  | { readonly type: 'error-event'; readonly status: number; readonly reason?: string | undefined }
  | StreamFault;

/** Faults of the bytes of a connection, or of the body of a response. */
export type StreamFault =
  | { readonly type: 'delay'; readonly duration: number }
  | { readonly type: 'throttle'; readonly bytesPerSecond: number }
  | { readonly type: 'split'; readonly size: number }
  | { readonly type: 'corrupt'; readonly after?: number | undefined }
  | { readonly type: 'truncate'; readonly after?: number | undefined };

/**
 * The message to lose. The server never receives a lost `request`; it has already handled one whose `response` is lost.
 */
export type LostMessage = 'request' | 'response';
