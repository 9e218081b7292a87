import type { Aware, Cluster, ClusterName, IndexExtractor, Kind, KubernetesObject, Manager, Provider } from '@mcr/core';
import { parseKubeconfig, Roster, silentLogger, sleep, systemClock } from '@mcr/core';
import type { InventoryRecord } from './inventory.ts';
import { parseInventory } from './inventory.ts';
import type { HttpProviderOptions } from './options.ts';
import { withDefaults } from './options.ts';

/** Makes a cluster of every record of an inventory that it polls over HTTP. */
export class HttpProvider implements Provider {
  readonly #options: ReturnType<typeof withDefaults>;
  readonly #roster: Roster;
  /** Why the inventory cannot be read, while it cannot. */
  #problem: string | undefined;
  #manager: Manager | undefined;

  /** @throws {TypeError} that names the option, when one is missing, unknown or wrong. */
  constructor(options: HttpProviderOptions) {
    this.#options = withDefaults(options);
    const { clusterOptions, configure } = this.#options;
    this.#roster = new Roster({ clusterOptions, configure });
  }

  async setupWithManager(manager: Manager): Promise<void> {
    this.#manager = manager;
  }

  async get(name: ClusterName): Promise<Cluster> {
    return this.#roster.get(name);
  }

  clusterNames(): ClusterName[] {
    return this.#roster.clusterNames();
  }

  async indexField<T extends KubernetesObject>(kind: Kind<T>, name: string, extract: IndexExtractor<T>): Promise<void> {
    await this.#roster.indexField(kind, name, extract);
  }

  async run(aware: Aware, signal: AbortSignal): Promise<void> {
    const clock = this.#options.clusterOptions.clock ?? this.#manager?.clock ?? systemClock;
    await this.#roster.serve({ aware, signal, manager: this.#manager }, async () => {
      while (!signal.aborted) {
        await this.#poll(signal).then(
          () => this.#isReadable(),
          (error: unknown) => this.#isUnreadable(error as Error, signal),
        );
        await sleep(clock, this.#options.pollInterval, signal);
      }
    });
  }

  #isReadable(): void {
    if (this.#problem !== undefined) this.#logger.info('inventory is readable again');
    this.#problem = undefined;
  }

  /** The clusters stay: an inventory that does not answer says nothing about them. Each problem is logged once. */
  #isUnreadable(error: Error, { aborted }: AbortSignal): void {
    if (aborted || error.message === this.#problem) return;
    this.#problem = error.message;
    this.#logger.warn('failed to read the inventory, keeping the clusters', { error });
  }

  async #poll(signal: AbortSignal): Promise<void> {
    const records = new Map(parseInventory(await this.#ask(signal)).map((record) => [record.name, record]));
    for (const name of this.#roster.names()) {
      if (!records.has(name)) this.#roster.remove(name, 'it is no longer in the inventory');
    }
    for (const [name, record] of records) {
      if ('problem' in record) this.#roster.refuse(name, new Error(record.problem));
      else this.#apply(record);
    }
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
      this.#roster.postpone(name, 'the inventory says that it is not ready');
      return;
    }
    const config = () => parseKubeconfig(kubeconfig, { policy: 'untrusted' });
    this.#roster.admit(name, { digest: kubeconfig, config, info: { provider: 'http', labels } });
  }

  get #logger() {
    return this.#manager?.logger ?? silentLogger;
  }
}
