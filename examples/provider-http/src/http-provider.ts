import { parseKubeconfig, sleep } from '@mcr/core';
import { BaseProvider } from '@mcr/core/provider';
import type { InventoryRecord } from './inventory.ts';
import { parseInventory } from './inventory.ts';
import type { HttpProviderOptions } from './options.ts';
import { withDefaults } from './options.ts';

/** Discovers a cluster for every record of an inventory that it polls over HTTP. */
export class HttpProvider extends BaseProvider {
  readonly #options: ReturnType<typeof withDefaults>;
  /** Why the last poll failed. `undefined` if it succeeded. */
  #problem: string | undefined;

  /** @throws {TypeError} if an option is missing, unknown or invalid; the message names it. */
  constructor(options: HttpProviderOptions) {
    const defaulted = withDefaults(options);
    super(defaulted);
    this.#options = defaulted;
  }

  protected async discover(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#poll(signal).then(
        () => this.#isReadable(),
        (error: unknown) => this.#isUnreadable(error as Error, signal),
      );
      await sleep(this.clock, this.#options.pollInterval, signal);
    }
  }

  #isReadable(): void {
    if (this.#problem !== undefined) this.log.info('inventory is readable again');
    this.#problem = undefined;
  }

  /** The clusters stay: an inventory that does not answer says nothing about them. Each problem is logged once. */
  #isUnreadable(error: Error, { aborted }: AbortSignal): void {
    if (aborted || error.message === this.#problem) return;
    this.#problem = error.message;
    this.log.warn('failed to read the inventory, keeping the clusters', { error });
  }

  async #poll(signal: AbortSignal): Promise<void> {
    const records = new Map(parseInventory(await this.#ask(signal)).map((record) => [record.name, record]));
    for (const name of this.clusters.names()) {
      if (!records.has(name)) this.clusters.remove(name, 'it is no longer in the inventory');
    }
    for (const [name, record] of records) {
      if ('problem' in record) this.clusters.refuse(name, new Error(record.problem));
      else this.#apply(record);
    }
    // Without its query, which could hold a credential.
    const { origin, pathname } = new URL(this.#options.url);
    this.inventoryRead({ url: origin + pathname });
  }

  async #ask(signal: AbortSignal): Promise<unknown> {
    const { url, token, timeout } = this.#options;
    const headers = token ? { authorization: `Bearer ${await token()}` } : {};
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(timeout)]);
    const response = await fetch(url, { headers, signal: deadline, redirect: 'error' });
    if (!response.ok) {
      await response.body?.cancel();
      throw new Error(
        response.status === 401
          ? 'the inventory refuses the token: it has expired, or is wrong'
          : `the inventory answered ${response.status}`,
      );
    }
    return response.json().catch(() => {
      // The parser's own message could quote a credential.
      throw new Error('the inventory did not answer with JSON');
    });
  }

  #apply({ name, state, labels, kubeconfig }: InventoryRecord): void {
    if (state === 'pending') {
      this.clusters.postpone(name, 'the inventory says that it is not ready');
      return;
    }
    const config = () => parseKubeconfig(kubeconfig, { policy: 'untrusted' });
    this.clusters.set(name, { digest: kubeconfig, config, info: { provider: 'http', labels } });
  }
}
