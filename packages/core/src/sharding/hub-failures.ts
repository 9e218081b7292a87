import type { Clock, Logger } from '@mcr/client';
import type { HubAnswer, HubRequest } from './membership/hub-request.ts';

/** Time after which a failure that was not repeated no longer counts, in milliseconds. */
const EXPIRY = 15_000;

interface Failure {
  readonly error: Error;
  readonly at: number;
}

/** Failures of requests to the hub, by type of request, because some may fail while others succeed. */
export class HubFailures {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #failures = new Map<HubRequest['type'], Failure>();

  constructor({ clock, logger }: { readonly clock: Clock; readonly logger: Logger }) {
    this.#clock = clock;
    this.#log = logger;
  }

  /** The failure that has lasted longest. `undefined` if the hub performs all requests. */
  get current(): Error | undefined {
    return this.#failures.values().next().value?.error;
  }

  /** Logs the first failure in a row as a warning, and the end of all failures. */
  note(type: HubRequest['type'], answer: HubAnswer): void {
    const at = this.#clock.now();
    if (answer.type === 'failed') {
      const { error } = answer;
      const level = this.#failures.has(type) ? 'debug' : 'warn';
      this.#log[level]('request to the hub failed, retrying', { request: type, error });
      this.#failures.set(type, { error, at });
      return;
    }
    if (this.#failures.size === 0) return;
    this.#failures.delete(type);
    // This replica does not repeat a request that another replica made unnecessary.
    for (const [other, failure] of this.#failures) if (at - failure.at > EXPIRY) this.#failures.delete(other);
    if (this.#failures.size === 0) this.#log.info('the hub answers again');
  }
}
