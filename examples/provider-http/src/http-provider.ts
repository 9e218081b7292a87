import type { Aware, Cluster, ClusterName, IndexExtractor, Kind, KubernetesObject, Manager, Provider } from '@mcr/core';
import { Clusters, createCluster, parseKubeconfig, silentLogger, sleep, systemClock } from '@mcr/core';
import type { BadRecord, InventoryRecord } from './inventory.ts';
import { parseInventory } from './inventory.ts';
import type { HttpProviderOptions } from './options.ts';
import { withDefaults } from './options.ts';

/** The cluster of a record, and the text by which a change of that is seen. */
interface Known {
  readonly text: string;
  readonly cluster: Cluster;
}

/** Finds clusters in an inventory that is asked over HTTP, again and again. */
export class HttpProvider implements Provider {
  readonly #options: ReturnType<typeof withDefaults>;
  readonly #clusters = new Clusters({
    clock: () => this.#clock,
    onError: (error, cluster) => {
      // A cluster runs once: one that has stopped is made anew.
      this.#known.delete(cluster);
      this.#logger.error('cluster failed', { cluster, error });
    },
  });
  /** By the latest answer. A record that cannot be used leaves its cluster as it was. */
  #known = new Map<ClusterName, Known>();
  /** Why the inventory cannot be read, while it cannot. */
  #problem: string | undefined;
  #manager: Manager | undefined;

  /** @throws {TypeError} that names the option, when one is missing, unknown or wrong. */
  constructor(options: HttpProviderOptions) {
    this.#options = withDefaults(options);
  }

  async setupWithManager(manager: Manager): Promise<void> {
    this.#manager = manager;
  }

  async get(name: ClusterName): Promise<Cluster> {
    return this.#clusters.get(name);
  }

  clusterNames(): ClusterName[] {
    return this.#clusters.clusterNames();
  }

  async indexField<T extends KubernetesObject>(kind: Kind<T>, name: string, extract: IndexExtractor<T>): Promise<void> {
    await this.#clusters.indexField(kind, name, extract);
  }

  async run(aware: Aware, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#poll(aware, signal).then(
        () => this.#isReadable(),
        (error: unknown) => this.#isUnreadable(error as Error, signal),
      );
      await sleep(this.#clock, this.#options.pollInterval, signal).catch(() => undefined);
    }
    this.#known.clear();
    await this.#clusters.removeAll({ reason: 'the provider stops' });
  }

  #isReadable(): void {
    if (this.#problem !== undefined) this.#logger.info('the inventory can be read again');
    this.#problem = undefined;
  }

  /** Nothing is known to have left. Each problem is told once. */
  #isUnreadable(error: Error, { aborted }: AbortSignal): void {
    if (aborted || error.message === this.#problem) return;
    this.#problem = error.message;
    this.#logger.warn('the inventory cannot be read: the fleet stays as it is', { error });
  }

  async #poll(aware: Aware, signal: AbortSignal): Promise<void> {
    const known = new Map<ClusterName, Known>();
    for (const record of parseInventory(await this.#ask(signal))) {
      const now = 'problem' in record ? this.#keep(record, aware) : this.#read(record, aware);
      if (now) known.set(record.name, now);
    }
    this.#known = known;
    const desired = new Map([...known].map(([name, { cluster }]) => [name, cluster]));
    await this.#clusters.sync(desired, aware, signal);
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
    return response.json();
  }

  #read(record: InventoryRecord, aware: Aware): Known | undefined {
    const { name, state } = record;
    if (state === 'pending') {
      aware.report?.(name, { phase: 'Discovered', reason: 'the inventory says that it is not ready' });
      return undefined;
    }
    const text = JSON.stringify(record);
    const before = this.#known.get(name);
    if (before?.text === text) return before;
    try {
      return { text, cluster: this.#createCluster(record) };
    } catch (error) {
      return this.#keep({ name, problem: `its kubeconfig cannot be used: ${(error as Error).message}` }, aware);
    }
  }

  /** The cluster that there is already, if any. */
  #keep({ name, problem }: BadRecord, aware: Aware): Known | undefined {
    aware.report?.(name, { phase: 'Unreachable', reason: problem, error: new Error(problem) });
    return this.#known.get(name);
  }

  #createCluster({ name, labels, kubeconfig }: InventoryRecord): Cluster {
    const { configure, clusterOptions } = this.#options;
    return createCluster(configure(parseKubeconfig(kubeconfig, { policy: 'untrusted' })), {
      clock: this.#clock,
      logger: this.#logger.child({ cluster: name }),
      ...clusterOptions,
      name,
      info: { provider: 'http', labels },
    });
  }

  get #clock() {
    return this.#options.clusterOptions.clock ?? this.#manager?.clock ?? systemClock;
  }

  get #logger() {
    return this.#manager?.logger ?? silentLogger;
  }
}
