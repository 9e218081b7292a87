import { RefusedRequestError } from './refused-request-error.ts';

/** Time after which a refused API server may retry, in seconds. */
export const RETRY_AFTER = 1;

/** Largest number of requests whose bodies arrive, or whose responses are sent, at the same time. */
const MAX_TRANSFERS = 1_000;

export interface RequestLimitOptions {
  /** Number of requests that one webhook, or the conversion of one kind, processes at the same time. */
  readonly perWebhook: number;
  /** Size of all bodies that are received, processed or sent at the same time, in bytes. */
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
  /**
   * Notes that the body is complete and parsed.
   *
   * @throws {RefusedRequestError} with status 429 if the webhook, or the kind of a conversion, has too many requests.
   */
  readonly process: (webhook: string) => void;
  /**
   * Replaces the body with its response, once the request is processed.
   *
   * @param bytes size of the response.
   * @param refuse called if the response is refused before it is sent.
   * @throws {RefusedRequestError} with status 429 if the limit of all bodies is reached.
   */
  readonly respond: (bytes: number, refuse: Refuse) => void;
  /** Releases the reservation. Calls after the first one have no effect. */
  readonly release: () => void;
}

type Refuse = (reason: RefusedRequestError) => void;

/** A body or a response, whose speed depends on the caller. */
interface Transfer {
  bytes: number;
  refuse: Refuse;
}

/**
 * Limits concurrent requests and their memory. A request beyond a limit does not wait. Instead, the body or the response is
 * refused that has been on its way for the longest time: API servers send and read at once, so that callers who are slow take no
 * room from them.
 */
export class RequestLimit {
  readonly #options: RequestLimitOptions;
  readonly #processed = new Map<string, number>();
  /** Oldest first. */
  readonly #transfers = new Set<Transfer>();
  #bytes = 0;

  constructor(options: RequestLimitOptions) {
    this.#options = options;
  }

  /**
   * Takes room for a request whose body arrives.
   *
   * @param refuse called if the request is refused while its body arrives.
   */
  take(refuse: Refuse): Reservation {
    const transfer: Transfer = { bytes: 0, refuse };
    let processed = (): void => undefined;
    this.#start(transfer);
    return {
      received: (bytes) => this.#add(transfer, bytes),
      process: (webhook) => {
        this.#transfers.delete(transfer);
        processed = this.#process(webhook);
      },
      respond: (bytes, refuseResponse) => {
        processed();
        this.#free(transfer);
        transfer.refuse = refuseResponse;
        this.#start(transfer);
        this.#add(transfer, bytes);
      },
      release: () => {
        processed();
        this.#transfers.delete(transfer);
        this.#free(transfer);
      },
    };
  }

  #start(transfer: Transfer): void {
    if (this.#transfers.size >= MAX_TRANSFERS) this.#refuseOldest();
    this.#transfers.add(transfer);
  }

  #add(transfer: Transfer, bytes: number): void {
    transfer.bytes += bytes;
    this.#bytes += bytes;
    // A single request may be as large as its own limit allows.
    while (this.#bytes > this.#options.bytes && this.#bytes > transfer.bytes) {
      const refused = this.#refuseOldest();
      if (!refused || refused === transfer) throw tooLarge();
    }
  }

  #refuseOldest(): Transfer | undefined {
    const [oldest] = this.#transfers;
    if (!oldest) return undefined;
    this.#transfers.delete(oldest);
    this.#free(oldest);
    oldest.refuse(tooLarge());
    return oldest;
  }

  #free(transfer: Transfer): void {
    this.#bytes -= transfer.bytes;
    transfer.bytes = 0;
  }

  #process(webhook: string): () => void {
    const count = this.#processed.get(webhook) ?? 0;
    if (count >= this.#options.perWebhook) {
      throw new RefusedRequestError(429, 'too many concurrent requests: retry later');
    }
    this.#processed.set(webhook, count + 1);
    let isCounted = true;
    return () => {
      if (isCounted) this.#processed.set(webhook, (this.#processed.get(webhook) ?? 1) - 1);
      isCounted = false;
    };
  }
}

function tooLarge(): RefusedRequestError {
  return new RefusedRequestError(429, 'the bodies of concurrent requests are too many or too large: retry later');
}
