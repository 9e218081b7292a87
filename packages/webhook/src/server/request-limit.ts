import { RefusedRequestError } from './refused-request-error.ts';

/** Time after which a refused API server may retry, in seconds. */
export const RETRY_AFTER = 1;

export interface RequestLimitOptions {
  /** Number of requests that one webhook processes at the same time. */
  readonly perWebhook: number;
  /** Size of all bodies that are read or processed at the same time, in bytes. */
  readonly bytes: number;
}

/** Limits concurrent requests and their memory. A request beyond a limit is refused at once, and does not wait. */
export class RequestLimit {
  readonly #options: RequestLimitOptions;
  readonly #held = new Map<string, number>();
  #bytes = 0;

  constructor(options: RequestLimitOptions) {
    this.#options = options;
  }

  /** Whether a webhook accepts no further request. */
  isFull(webhook: string): boolean {
    return (this.#held.get(webhook) ?? 0) >= this.#options.perWebhook;
  }

  /**
   * Reserves room for a request.
   *
   * @param bytes upper limit of its body.
   * @returns a function that releases the room. Calls after the first one have no effect.
   * @throws {RefusedRequestError} with status 429 if a limit is reached.
   */
  take(webhook: string, bytes: number): () => void {
    const { perWebhook, bytes: limit } = this.#options;
    const held = this.#held.get(webhook) ?? 0;
    if (held >= perWebhook) throw new RefusedRequestError(429, 'too many concurrent requests: retry later');
    // A single request may be as large as its own limit allows.
    if (this.#bytes > 0 && this.#bytes + bytes > limit) {
      throw new RefusedRequestError(429, 'the bodies of concurrent requests are too large: retry later');
    }
    this.#held.set(webhook, held + 1);
    this.#bytes += bytes;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#bytes -= bytes;
      this.#held.set(webhook, (this.#held.get(webhook) ?? 1) - 1);
    };
  }
}
