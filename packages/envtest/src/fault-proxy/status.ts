/** The reasons that API servers give with their codes. (Upstream: `metav1.StatusReason`.) */
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
  /** Default: the one that goes with the status. */
  readonly reason?: string | undefined;
  /** In seconds. */
  readonly retryAfter?: number | undefined;
  /** The reason of a cause. */
  readonly cause?: string | undefined;
}

/** A Status as an API server would send it. */
export function statusOf({ status, reason = REASONS[status] ?? 'Unknown', retryAfter, cause }: Refusal): object {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `answered with ${status} on purpose`,
    reason,
    details: {
      ...(retryAfter !== undefined && { retryAfterSeconds: retryAfter }),
      ...(cause !== undefined && { causes: [{ reason: cause }] }),
    },
    code: status,
  };
}
