import { sleep, type Clock } from '../clock/clock.ts';
import type { ClusterConfig } from '../config/cluster-config.ts';

/**
 * The limit of requests that a client sets itself: `qps` per second, and `burst` at once.
 * (Upstream: client-go `util/flowcontrol`, which sets one by default; here the server's own fairness decides.)
 */
export class RequestRate {
  readonly #clock: Clock;
  /** Milliseconds from one request to the next. */
  readonly #interval: number;
  /** How far ahead of the steady rate requests may be. */
  readonly #tolerance: number;
  /** When, at the steady rate, the next request is due. */
  #due = -Infinity;

  constructor({ qps, burst }: Pick<ClusterConfig, 'qps' | 'burst'>, clock: Clock) {
    this.#clock = clock;
    this.#interval = qps ? 1000 / qps : 0;
    this.#tolerance = this.#interval * Math.max((burst ?? 2 * (qps ?? 0)) - 1, 0);
  }

  /** Resolves when the next request may be sent. @throws the signal's reason, when that aborts first. */
  async next(signal: AbortSignal): Promise<void> {
    if (this.#interval === 0) return;
    const now = this.#clock.now();
    const due = Math.max(this.#due, now);
    this.#due = due + this.#interval;
    const delay = due - this.#tolerance - now;
    if (delay > 0) await sleep(this.#clock, delay, signal);
  }
}
