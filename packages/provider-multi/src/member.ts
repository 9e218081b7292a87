import type { Aware, Clock, Logger, Manager, Provider } from '@mcr/core';
import { sleep } from '@mcr/core';
import { Backoff, limitedManager, orAborted, untilAborted } from '@mcr/core/provider';

/** How one of the providers is doing. */
export interface ProviderStatus {
  readonly prefix: string;
  /**
   * - `waiting`: the multi provider does not run (yet)
   * - `running`: it discovers clusters
   * - `failed`: it will be started again; its engaged clusters are kept
   * - `ended`: its `run` has resolved by itself; its engaged clusters are kept
   */
  readonly state: 'waiting' | 'running' | 'failed' | 'ended';
  /** Why it failed last, while it is `failed`. */
  readonly error?: Error;
  /** How often it has failed. */
  readonly failures: number;
}

/** What the members run in. */
export interface Surroundings {
  readonly manager: Manager | undefined;
  readonly aware: Aware;
  /** Ends every member. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * After a failure the provider is started again, from every second to every minute; soon again, when it has run for the
 * longest of these times. In milliseconds.
 */
const RESTART = { base: 1_000, max: 60_000 };

/** One of the providers, from when it is added until it is removed. */
export class Member {
  readonly prefix: string;
  readonly provider: Provider;
  readonly #qualify: (name: string) => string;
  readonly #removal = new AbortController();
  #status: Omit<ProviderStatus, 'prefix'> = { state: 'waiting', failures: 0 };
  /** What was set up lasts until the provider is removed or the manager stops, however often it is started again. */
  #setUpWith: Manager | undefined;
  #surroundings: Surroundings | undefined;
  #serving: Promise<void> = Promise.resolve();

  /** @param qualify makes the name of the fleet of a name of this provider's. */
  constructor(prefix: string, provider: Provider, qualify: (name: string) => string) {
    this.prefix = prefix;
    this.provider = provider;
    this.#qualify = qualify;
  }

  get status(): ProviderStatus {
    return { prefix: this.prefix, ...this.#status };
  }

  /** Runs the provider, and starts it again when it fails. A second time in the same surroundings: nothing. */
  start(surroundings: Surroundings): void {
    if (this.#surroundings === surroundings) return;
    this.#surroundings = surroundings;
    this.#serving = this.#serve(surroundings);
  }

  /** Resolves when the provider has stopped. */
  async stopped(): Promise<void> {
    await this.#serving;
  }

  /** Ends the provider, and every engagement of its clusters. Resolves when it has stopped. */
  async remove(): Promise<void> {
    this.#removal.abort(new DOMException(`provider ${JSON.stringify(this.prefix)} was removed`, 'AbortError'));
    await this.#serving;
  }

  async #serve({ manager, aware, signal, clock, logger }: Surroundings): Promise<void> {
    // One signal for all starts: the clusters of a provider that fails stay engaged while it is started again.
    const either = AbortSignal.any([signal, this.#removal.signal]);
    const own = this.#qualified(aware, either);
    const log = logger.child({ provider: this.prefix });
    const backoff = new Backoff(RESTART);
    const hasLeft = () => either.aborted;
    while (!hasLeft()) {
      const began = clock.now();
      try {
        if (manager) await this.#setUp(manager, either);
        this.#runs(own);
        await this.provider.run?.(own, either);
        this.#status = { state: 'ended', failures: this.#status.failures };
        await untilAborted(either);
      } catch (thrown) {
        if (hasLeft()) break;
        const error = thrown instanceof Error ? thrown : new Error(String(thrown));
        if (clock.now() - began >= RESTART.max) backoff.reset();
        const retryIn = Math.round(backoff.next());
        const level = backoff.failures === 1 ? 'error' : 'debug';
        log[level]('provider failed, keeping its clusters and restarting it', { error, retryIn });
        this.#failed(error, own);
        await sleep(clock, retryIn, either).catch(() => undefined);
      }
    }
    this.#status = { state: 'waiting', failures: this.#status.failures };
  }

  /** What a try that fails has added to the manager is taken out of it again. One that hangs keeps nobody from leaving. */
  async #setUp(manager: Manager, signal: AbortSignal): Promise<void> {
    if (this.#setUpWith === manager || !this.provider.setupWithManager) return;
    const attempt = new AbortController();
    const removal = this.#removal.signal;
    const limited = limitedManager(manager, AbortSignal.any([attempt.signal, removal]));
    try {
      await orAborted(this.provider.setupWithManager(limited), signal);
    } catch (error) {
      attempt.abort(error);
      throw error;
    }
    this.#setUpWith = manager;
  }

  #runs(aware: Aware): void {
    const { failures } = this.#status;
    this.#status = { state: 'running', failures };
    if (failures > 0) this.#tell(aware, 'its provider runs again');
  }

  #failed(error: Error, aware: Aware): void {
    this.#status = { state: 'failed', error, failures: this.#status.failures + 1 };
    this.#tell(aware, `its provider failed and is started again: ${error.message}`, error);
  }

  /** The fleet's status of each engaged cluster tells what its provider does; the cluster stays engaged. */
  #tell(aware: Aware, reason: string, error?: Error): void {
    for (const name of this.provider.clusterNames?.() ?? []) {
      aware.report?.(name, { phase: 'Connecting', reason, ...(error && { error }) });
    }
  }

  #qualified(aware: Aware, signal: AbortSignal): Aware {
    return {
      // Whatever the provider does when it is removed, its clusters leave.
      engage: (name, cluster, engagement) =>
        aware.engage(this.#qualify(name), cluster, AbortSignal.any([engagement, signal])),
      report: (name, observation) => aware.report?.(this.#qualify(name), observation),
    };
  }
}
