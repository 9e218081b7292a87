import type { Clock, Cluster } from '@mcr/core';
import { orAborted } from '@mcr/core/provider';

/** How long a response is used for all namespaces, in milliseconds. */
const PERIOD = 5_000;

/** Pings the API server once for all namespaces that ask at about the same time. */
export class SharedPing {
  readonly #cluster: Pick<Cluster, 'ping'>;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  #answeredAt = -Infinity;
  #asking: Promise<void> | undefined;

  /** @param signal aborts the requests. */
  constructor(cluster: Pick<Cluster, 'ping'>, clock: Clock, signal: AbortSignal) {
    this.#cluster = cluster;
    this.#clock = clock;
    this.#signal = signal;
  }

  /** @throws the error of `Cluster.ping`, or the reason of `signal`. */
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
