import type { Clock, Cluster } from '@mcr/core';
import { orAborted } from '@mcr/core/provider';

/** For how long an answer is an answer for every namespace, in milliseconds. */
const PERIOD = 5_000;

/** Asks the one API server whether it is there, once for all namespaces that want to know at about the same time. */
export class SharedPing {
  readonly #cluster: Pick<Cluster, 'ping'>;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  #answeredAt = -Infinity;
  #asking: Promise<void> | undefined;

  /** @param signal ends what is asked. */
  constructor(cluster: Pick<Cluster, 'ping'>, clock: Clock, signal: AbortSignal) {
    this.#cluster = cluster;
    this.#clock = clock;
    this.#signal = signal;
  }

  /** @throws as `Cluster.ping` does, and the reason of `signal` when that aborts first. */
  async ping({ signal, timeout }: { readonly signal: AbortSignal; readonly timeout: number }): Promise<void> {
    if (this.#clock.now() - this.#answeredAt < PERIOD) return;
    this.#asking ??= this.#ask(timeout).finally(() => (this.#asking = undefined));
    await orAborted(this.#asking, signal);
  }

  async #ask(timeout: number): Promise<void> {
    await this.#cluster.ping({ signal: this.#signal, timeout });
    this.#answeredAt = this.#clock.now();
  }
}
