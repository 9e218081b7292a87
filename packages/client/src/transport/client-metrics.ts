import type { TransportRequest } from './transport.ts';

/** The request of a measurement. */
export interface MeasuredRequest {
  readonly method: TransportRequest['method'];
  /** The server's host and port. */
  readonly host: string;
}

/** Receives measurements of requests. (Upstream: client-go `tools/metrics`.) */
export interface ClientMetrics {
  /**
   * Called for each attempt of a request, when the headers of its response arrive or when it fails.
   *
   * @param outcome.code the status, or `<error>` if there is no response.
   * @param outcome.duration in milliseconds.
   * @param outcome.bytes size of the request's body.
   */
  requested(
    request: MeasuredRequest,
    outcome: { readonly code: string; readonly duration: number; readonly bytes: number },
  ): void;
  /** Called when a body was read completely, except for watches. @param bytes size after decompression. */
  responded(request: MeasuredRequest, bytes: number): void;
  /** Called when the client's limit `qps` delayed a request by `delay` ms, or by 0. Not called without `qps`. */
  rateLimited(request: MeasuredRequest, delay: number): void;
  /** Called when a request is retried. @param code result of the previous attempt: a status, or `<error>`. */
  retried(request: MeasuredRequest, code: string): void;
}
