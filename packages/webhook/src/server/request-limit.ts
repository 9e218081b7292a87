import { RefusedRequestError } from './refused-request-error.ts';

/** Time after which a refused API server may retry, in seconds. */
export const RETRY_AFTER = 1;

/** Largest number of requests whose bodies arrive at the same time. */
const MAX_ARRIVING = 1_000;

export interface RequestLimitOptions {
  /** Number of requests that one webhook processes at the same time. */
  readonly perWebhook: number;
  /** Size of all bodies that are read or processed at the same time, in bytes. */
  readonly bytes: number;
}

/** The reservation of one request. */
export interface Reservation {
  /**
   * Notes received bytes of the body.
   *
   * @throws {RefusedRequestError} with status 429 if the limit of all bodies is reached.
   */
  readonly received: (bytes: number) => void;
  /** Notes that the body is complete. @throws {RefusedRequestError} with status 429 if the webhook has too many requests. */
  readonly process: () => void;
  /** Releases the reservation. Calls after the first one have no effect. */
  readonly release: () => void;
}

interface Arrival {
  bytes: number;
  readonly refuse: (reason: RefusedRequestError) => void;
}

/**
 * Limits concurrent requests and their memory. A request beyond a limit does not wait. While bodies arrive, the request that
 * has arrived for the longest time is refused: bodies of API servers arrive at once, so that callers who send slowly take no room
 * from them.
 */
export class RequestLimit {
  readonly #options: RequestLimitOptions;
  readonly #processed = new Map<string, number>();
  /** Oldest first. */
  readonly #arriving = new Set<Arrival>();
  #bytes = 0;

  constructor(options: RequestLimitOptions) {
    this.#options = options;
  }

  /**
   * Takes room for a request whose body arrives.
   *
   * @param refuse called if the request is refused while its body arrives.
   */
  take(webhook: string, refuse: (reason: RefusedRequestError) => void): Reservation {
    const arrival: Arrival = { bytes: 0, refuse };
    if (this.#arriving.size >= MAX_ARRIVING) this.#refuseOldest();
    this.#arriving.add(arrival);
    let release = (): void => void this.#arriving.delete(arrival);
    return {
      received: (bytes) => this.#received(arrival, bytes),
      process: () => {
        this.#arriving.delete(arrival);
        release = this.#process(webhook);
      },
      release: () => {
        release();
        release = () => undefined;
        this.#free(arrival);
      },
    };
  }

  #received(arrival: Arrival, bytes: number): void {
    arrival.bytes += bytes;
    this.#bytes += bytes;
    // A single request may be as large as its own limit allows.
    while (this.#bytes > this.#options.bytes && this.#bytes > arrival.bytes) {
      const refused = this.#refuseOldest();
      if (!refused || refused === arrival) throw tooLarge();
    }
  }

  /** @returns the request. */
  #refuseOldest(): Arrival | undefined {
    const [oldest] = this.#arriving;
    if (!oldest) return undefined;
    this.#arriving.delete(oldest);
    this.#free(oldest);
    oldest.refuse(tooLarge());
    return oldest;
  }

  #free(arrival: Arrival): void {
    this.#bytes -= arrival.bytes;
    arrival.bytes = 0;
  }

  #process(webhook: string): () => void {
    const count = this.#processed.get(webhook) ?? 0;
    if (count >= this.#options.perWebhook) {
      throw new RefusedRequestError(429, 'too many concurrent requests: retry later');
    }
    this.#processed.set(webhook, count + 1);
    return () => this.#processed.set(webhook, (this.#processed.get(webhook) ?? 1) - 1);
  }
}

function tooLarge(): RefusedRequestError {
  return new RefusedRequestError(429, 'the bodies of concurrent requests are too many or too large: retry later');
}
