import { sleep, type Clock } from '../clock/clock.ts';
import type { ClusterConfig } from '../config/cluster-config.ts';

/**
 * Client-side rate limiter: `qps` requests per second, and bursts of `burst` requests. By default there is no limit,
 * unlike client-go, because the server has API Priority and Fairness. (Upstream: client-go `util/flowcontrol`.)
 */
export class RequestRate {
  readonly #clock: Clock;
  /** Time between two requests at the steady rate, in milliseconds. */
  readonly #interval: number;
  /** Time by which requests may be ahead of the steady rate, in milliseconds. */
  readonly #tolerance: number;
  /** Time of the next request at the steady rate. */
  #due = -Infinity;

  constructor({ qps, burst }: Pick<ClusterConfig, 'qps' | 'burst'>, clock: Clock) {
    this.#clock = clock;
    this.#interval = qps ? 1000 / qps : 0;
    this.#tolerance = this.#interval * Math.max((burst ?? 2 * (qps ?? 0)) - 1, 0);
  }

  /** Resolves when the next request may be sent. @throws the signal's reason if it aborts first. */
  async next(signal: AbortSignal): Promise<void> {
    if (this.#interval === 0) return;
    const now = this.#clock.now();
    const due = Math.max(this.#due, now);
    this.#due = due + this.#interval;
    const delay = due - this.#tolerance - now;
    if (delay > 0) await sleep(this.#clock, delay, signal);
  }
}
