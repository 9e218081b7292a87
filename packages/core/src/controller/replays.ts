import type { Clock, Logger } from '@mcr/client';
import { Backoff, sleep } from '@mcr/client';
import { Lifetime } from '../fleet/clusters/lifetime.ts';
import type { ClusterName } from '../fleet/multicluster/cluster-name.ts';

/** Backoff after a failure, in milliseconds. */
const RETRY = { base: 1_000, max: 30_000 };

/** Minimum time between the end of a delivery and the start of the next one, in milliseconds. */
const SPACING = 1_000;

export interface ReplaysOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** Delivers the objects for these clusters again. A rejection is logged, and the delivery is retried. */
  readonly deliver: (names: ReadonlySet<ClusterName>) => Promise<void>;
  /** Whether a failed delivery for the cluster is still needed. */
  readonly isNeeded: (name: ClusterName) => boolean;
  /** Ends the deliveries. */
  readonly signal: AbortSignal;
}

/**
 * Delivers objects again for clusters that this process serves from now on. There is one delivery at a time. Clusters
 * that are added meanwhile have the next one in common, because each delivery visits all objects of the local cluster.
 */
export class Replays {
  readonly #options: ReplaysOptions;
  readonly #backoff = new Backoff(RETRY);
  #waiting = new Set<ClusterName>();
  #isRunning = false;
  /** Ends the wait before a retry, because another cluster must not wait for it. */
  #hurry: () => void = () => undefined;
  #hasFailed = false;

  constructor(options: ReplaysOptions) {
    this.#options = options;
  }

  add(names: Iterable<ClusterName>): void {
    for (const name of names) this.#waiting.add(name);
    this.#hurry();
    if (!this.#isRunning) void this.#run();
  }

  async #run(): Promise<void> {
    const { clock, signal } = this.#options;
    this.#isRunning = true;
    // Clusters that are added in the same turn share the delivery.
    await Promise.resolve();
    while (this.#waiting.size > 0 && !signal.aborted) {
      const names = this.#waiting;
      this.#waiting = new Set();
      const retryIn = await this.#deliver(names);
      await sleep(clock, SPACING, signal).catch(() => undefined);
      const hasOthers = this.#waiting.size > 0;
      if (retryIn === undefined) continue;
      for (const name of names) if (this.#options.isNeeded(name)) this.#waiting.add(name);
      if (!hasOthers && this.#waiting.size > 0) await this.#rest(retryIn - SPACING);
    }
    this.#isRunning = false;
  }

  /** Returns when to retry, in milliseconds, or `undefined` after a success. */
  async #deliver(names: ReadonlySet<ClusterName>): Promise<number | undefined> {
    const { deliver, log, signal } = this.#options;
    try {
      await deliver(names);
      this.#backoff.reset();
      this.#hasFailed = false;
      return undefined;
    } catch (error) {
      if (signal.aborted) return undefined;
      const retryIn = Math.round(this.#backoff.next());
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
