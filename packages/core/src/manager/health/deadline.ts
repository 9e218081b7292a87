import type { ServerResponse } from 'node:http';
import type { Clock, Timer } from '@mcr/client';
import type { HealthCheck } from './health-check.ts';

/** Deadline of a check, in milliseconds. */
const TIMEOUT = 5_000;

/** Deadline of the checks of one request. The checks also end when the requester disconnects. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #over = Promise.withResolvers<never>();
  readonly #timer: Timer;
  readonly #response: ServerResponse;

  constructor(clock: Clock, response: ServerResponse) {
    this.#over.promise.catch(() => undefined);
    this.#timer = clock.schedule(TIMEOUT, () => this.#end(`it took longer than ${TIMEOUT} ms`));
    this.#response = response.once('close', this.#onClose);
  }

  /** @throws the error of the check, or one that names the deadline. */
  async run(check: HealthCheck): Promise<void> {
    await Promise.race([(async () => check(this.#controller.signal))(), this.#over.promise]);
  }

  /** Ends the deadline, after all checks have ended. */
  cancel(): void {
    this.#timer.cancel();
    this.#response.off('close', this.#onClose);
  }

  #end(message: string): void {
    const error = new Error(message);
    this.#timer.cancel();
    this.#controller.abort(error);
    this.#over.reject(error);
  }

  readonly #onClose = () => this.#end('the requester disconnected');
}
