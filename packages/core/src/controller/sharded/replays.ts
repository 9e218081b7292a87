import type { Clock, Logger } from '@mcr/client';
import { Backoff, sleep } from '@mcr/client';
import { UnhandledObjectsError } from './replay.ts';
import { Lifetime } from '../../fleet/clusters/lifetime.ts';

/** Backoff after a failure, in milliseconds. */
const RETRY = { base: 1_000, max: 30_000 };

/** The same after objects that could not be handled: each retry has all requests reconciled again. */
const RETRY_UNHANDLED = { base: 60_000, max: 3_600_000 };

/** Minimum time between the end of a delivery and the start of the next one, in milliseconds. */
const SPACING = 1_000;

export interface ReplaysOptions<P> {
  readonly clock: Clock;
  readonly log: Logger;
  /** Delivers the objects for these parts again. A rejection is logged, and the delivery is retried. */
  readonly deliver: (parts: ReadonlySet<P>) => Promise<void>;
  /** Whether a failed delivery for the part is still needed. */
  readonly isNeeded: (part: P) => boolean;
  /** Ends the deliveries. */
  readonly signal: AbortSignal;
}

/**
 * Delivers objects again for parts of the requests that this process serves from now on, such as clusters. There is one
 * delivery at a time. Parts that are added meanwhile have the next one in common, because each delivery visits all
 * objects of the local cluster.
 */
export class Replays<P> {
  readonly #options: ReplaysOptions<P>;
  readonly #backoff = new Backoff(RETRY);
  readonly #unhandledBackoff = new Backoff(RETRY_UNHANDLED);
  #waiting = new Set<P>();
  #isRunning = false;
  /** Ends the wait before a retry, because another part must not wait for it. */
  #hurry: () => void = () => undefined;
  #hasFailed = false;

  constructor(options: ReplaysOptions<P>) {
    this.#options = options;
  }

  add(parts: Iterable<P>): void {
    for (const part of parts) this.#waiting.add(part);
    this.#hurry();
    if (!this.#isRunning) void this.#run();
  }

  async #run(): Promise<void> {
    const { clock, signal } = this.#options;
    this.#isRunning = true;
    // Parts that are added in the same turn share the delivery.
    await Promise.resolve();
    while (this.#waiting.size > 0 && !signal.aborted) {
      const parts = this.#waiting;
      this.#waiting = new Set();
      const retryIn = await this.#deliver(parts);
      await sleep(clock, SPACING, signal).catch(() => undefined);
      const hasOthers = this.#waiting.size > 0;
      if (retryIn === undefined) continue;
      for (const part of parts) if (this.#options.isNeeded(part)) this.#waiting.add(part);
      if (!hasOthers && this.#waiting.size > 0) await this.#rest(retryIn - SPACING);
    }
    this.#isRunning = false;
  }

  /** Returns when to retry, in milliseconds, or `undefined` after a success. */
  async #deliver(parts: ReadonlySet<P>): Promise<number | undefined> {
    const { deliver, log, signal } = this.#options;
    try {
      await deliver(parts);
      this.#backoff.reset();
      this.#unhandledBackoff.reset();
      this.#hasFailed = false;
      return undefined;
    } catch (error) {
      if (signal.aborted) return undefined;
      const backoff = error instanceof UnhandledObjectsError ? this.#unhandledBackoff : this.#backoff;
      const retryIn = Math.round(backoff.next());
      const level = this.#hasFailed ? 'debug' : 'warn';
      this.#hasFailed = true;
      log[level]('failed to deliver objects again after a handover, retrying', { error, retryIn });
      return retryIn;
    }
  }

  async #rest(time: number): Promise<void> {
    if (time <= 0) return;
    const lifetime = new Lifetime(this.#options.signal);
    this.#hurry = () => lifetime.complete();
    await sleep(this.#options.clock, time, lifetime.signal).catch(() => undefined);
    this.#hurry = () => undefined;
    lifetime.complete();
  }
}
