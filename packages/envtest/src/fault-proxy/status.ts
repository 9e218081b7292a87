/** The reasons that API servers return with their status codes. (Upstream: `metav1.StatusReason`.) */
const REASONS: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  410: 'Expired',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

export interface Refusal {
  readonly status: number;
  /** Default: the reason of the status code. */
  readonly reason?: string | undefined;
  /** Value of `Retry-After`, in seconds. */
  readonly retryAfter?: number | undefined;
  /** Reason of a cause in the details. */
  readonly cause?: string | undefined;
}

/** Returns a Status as an API server would send it. */
export function statusOf({ status, reason = REASONS[status] ?? 'Unknown', retryAfter, cause }: Refusal): object {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `injected by the fault proxy with status ${status}`,
    reason,
    details: {
      ...(retryAfter !== undefined && { retryAfterSeconds: retryAfter }),
      ...(cause !== undefined && { causes: [{ reason: cause }] }),
    },
    code: status,
  };
}
