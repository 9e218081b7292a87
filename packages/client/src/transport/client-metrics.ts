import type { TransportRequest } from './transport.ts';

/** The request that a measurement is of. */
export interface MeasuredRequest {
  readonly method: TransportRequest['method'];
  /** The server's host and port. */
  readonly host: string;
}

/** Told of each request, and of each try of it, by whoever counts. (Upstream: client-go `tools/metrics`.) */
export interface ClientMetrics {
  /**
   * One try has come to the headers of its response, or failed before.
   *
   * @param outcome.code the status, or `<error>` when there was no response.
   * @param outcome.duration in milliseconds.
   * @param outcome.bytes of the request's body.
   */
  requested(
    request: MeasuredRequest,
    outcome: { readonly code: string; readonly duration: number; readonly bytes: number },
  ): void;
  /** A body, not that of a watch, was read to its end. @param bytes after decompression. */
  responded(request: MeasuredRequest, bytes: number): void;
  /** A request was held back for `delay` ms by the client's own limit, `qps`; 0 when it was not. */
  rateLimited(request: MeasuredRequest, delay: number): void;
  /** A request is sent again. @param code what the try before came to: a status, or `<error>`. */
  retried(request: MeasuredRequest, code: string): void;
}
