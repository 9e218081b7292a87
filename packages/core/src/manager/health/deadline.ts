import type { ServerResponse } from 'node:http';
import type { Clock, Timer } from '@mcr/client';
import type { HealthCheck } from './health-endpoint.ts';

/** A check may take this long, in milliseconds; then it has failed. */
const TIMEOUT = 5_000;

/** The time that the checks of one request have: until it is up, or whoever asked has left. */
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

  /** @throws what the check throws, or that its time is up. */
  async run(check: HealthCheck): Promise<void> {
    await Promise.race([(async () => check(this.#controller.signal))(), this.#over.promise]);
  }

  /** All checks have ended. */
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

  readonly #onClose = () => this.#end('whoever asked has left');
}
