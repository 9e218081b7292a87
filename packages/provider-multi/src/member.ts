import type { Aware, Clock, ClusterName, Logger, Manager, Provider } from '@mcr/core';
import { sleep } from '@mcr/core';
import { Backoff, limitedManager, orAborted, untilAborted } from '@mcr/core/provider';
import { qualifiedOwnership } from './qualified-ownership.ts';

/** State of one provider. */
export interface ProviderStatus {
  readonly prefix: string;
  /**
   * - `waiting`: the multi provider does not run
   * - `running`: it discovers clusters
   * - `failed`: it will be restarted; its engaged clusters are kept
   * - `ended`: its `run` has resolved; its engaged clusters are kept
   */
  readonly state: 'waiting' | 'running' | 'failed' | 'ended';
  /** The last error, while the state is `failed`. */
  readonly error?: Error;
  /** Number of failures. */
  readonly failures: number;
}

/** Converts names of one provider's clusters. */
export interface MemberNames {
  /** Returns the name in the fleet. */
  readonly qualify: (name: ClusterName) => ClusterName;
  /** Returns the name within the provider, or `undefined` for a cluster of another provider. */
  readonly nameOf: (qualified: ClusterName) => ClusterName | undefined;
}

/** The environment of all members in one run. */
export interface Environment {
  readonly manager: Manager | undefined;
  readonly aware: Aware;
  /** Stops all members. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Backoff of restarts after a failure, in milliseconds. It is reset once a provider has run for `max`.
 */
const RESTART = { base: 1_000, max: 60_000 };

/** One provider, from its addition to its removal. */
export class Member {
  readonly prefix: string;
  readonly provider: Provider;
  readonly #names: MemberNames;
  readonly #removal = new AbortController();
  #status: Omit<ProviderStatus, 'prefix'> = { state: 'waiting', failures: 0 };
  /** The manager that the provider is set up with. The set-up lasts across restarts. */
  #setUpWith: Manager | undefined;
  #environment: Environment | undefined;
  #serving: Promise<void> = Promise.resolve();

  constructor(prefix: string, provider: Provider, names: MemberNames) {
    this.prefix = prefix;
    this.provider = provider;
    this.#names = names;
  }

  get status(): ProviderStatus {
    return { prefix: this.prefix, ...this.#status };
  }

  /** Runs the provider, and restarts it when it fails. A second call in the same run has no effect. */
  start(environment: Environment): void {
    if (this.#environment === environment) return;
    this.#environment = environment;
    this.#serving = this.#serve(environment);
  }

  /** Resolves when the provider has stopped. */
  async stopped(): Promise<void> {
    await this.#serving;
  }

  /** Stops the provider and disengages its clusters. Resolves when it has stopped. */
  async remove(): Promise<void> {
    this.#removal.abort(new DOMException(`provider ${JSON.stringify(this.prefix)} was removed`, 'AbortError'));
    await this.#serving;
  }

  async #serve({ manager, aware, signal, clock, logger }: Environment): Promise<void> {
    // One signal for all restarts, so that clusters stay engaged while a failed provider is restarted.
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

  /** Sets the provider up. If that fails, its additions to the manager are removed. A set-up that hangs does not block removal. */
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
    if (failures > 0) this.#reportAll(aware, 'its provider runs again');
  }

  #failed(error: Error, aware: Aware): void {
    this.#status = { state: 'failed', error, failures: this.#status.failures + 1 };
    this.#reportAll(aware, `its provider failed and is restarting: ${error.message}`, error);
  }

  /** Reports the provider's state for each of its engaged clusters, which stay engaged. */
  #reportAll(aware: Aware, reason: string, error?: Error): void {
    for (const name of this.provider.clusterNames?.() ?? []) {
      aware.report?.(name, { phase: 'Connecting', reason, ...(error && { error }) });
    }
  }

  #qualified(aware: Aware, signal: AbortSignal): Aware {
    const { ownership } = aware;
    const { qualify } = this.#names;
    return {
      // Removing the provider disengages its clusters, even if it ignores its own signal.
      engage: (name, cluster, engagement) =>
        aware.engage(qualify(name), cluster, AbortSignal.any([engagement, signal])),
      report: (name, observation) => aware.report?.(qualify(name), observation),
      described: (name, labels) => aware.described?.(qualify(name), labels),
      ownership: ownership && qualifiedOwnership(ownership, this.#names),
    };
  }
}
