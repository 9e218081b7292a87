/** Result of one request to a webhook. */
export interface WebhookMeasurement {
  /** HTTP status code of the response. */
  readonly code: number;
  /** In milliseconds. */
  readonly duration: number;
}

/** Receives the requests to the webhooks of one manager. A webhook is identified by its path. */
export interface WebhookMetrics {
  /** Adds the series of a webhook, so that they exist before the first request. */
  registered(webhook: string): void;
  requestStarted(webhook: string): void;
  /** Called once after each `requestStarted`. */
  requestEnded(webhook: string, measurement: WebhookMeasurement): void;
  /** Counts that a handler threw. */
  panicked(webhook: string): void;
}
