import { setTimeout as delay } from 'node:timers/promises';
import type { ClusterConfig, ClusterName, Manager, ReconcileRequest, RequestQueue } from '@mcr/core';
import {
  ConfigMap,
  createCluster,
  createManager,
  funcSource,
  InMemoryProvider,
  kindSource,
  createController,
  silentLogger,
} from '@mcr/core';
import { until } from '../until.ts';

/** Interval of the requests of each cluster under load, in milliseconds. */
const INTERVAL = 50;

export interface Wait {
  /** Time when the request was added, in milliseconds since the start of the load. */
  readonly at: number;
  /** Time until its reconcile started, or until the end of the load, in milliseconds. */
  readonly wait: number;
}

/** A controller whose reconciles are one write to the cluster of the request. */
export class WriteLoad implements AsyncDisposable {
  readonly manager: Manager;
  readonly #workers: number;
  readonly #end = new AbortController();
  readonly #written = new Map<ClusterName, Set<string>>();
  /** Time when the waiting request of a cluster was added. */
  readonly #waiting = new Map<ClusterName, number>();
  readonly #waits: Wait[] = [];
  #began = 0;
  #queue: RequestQueue<ReconcileRequest> | undefined;
  #running: Promise<void> = Promise.resolve();

  private constructor(manager: Manager, workers: number) {
    this.manager = manager;
    this.#workers = workers;
  }

  /** Resolves once all of `members` are engaged. */
  static async start(
    hub: ClusterConfig,
    members: ReadonlyMap<ClusterName, ClusterConfig>,
    workers: number,
  ): Promise<WriteLoad> {
    const provider = new InMemoryProvider();
    const options = { config: hub, provider, logger: silentLogger, metrics: { bindAddress: '0' } };
    const load = new WriteLoad(await createManager(options), workers);
    await load.#start();
    for (const [name, config] of members) provider.set(name, createCluster(config, { name, fieldManager: 'load' }));
    await until(() => [...members.keys()].every((name) => load.manager.fleet.get(name)?.phase === 'Engaged'));
    return load;
  }

  /** Adds `count` requests for a cluster at once. */
  request(clusterName: ClusterName, count: number): void {
    for (let index = 0; index < count; index += 1) this.#add(clusterName, `object-${index}`);
  }

  /** Number of objects of a cluster that have been written. */
  written(clusterName: ClusterName): number {
    return this.#written.get(clusterName)?.size ?? 0;
  }

  /** Adds a request for each of `clusters` as soon as its previous one has started, for `duration` milliseconds. */
  async run(clusters: readonly ClusterName[], duration: number): Promise<readonly Wait[]> {
    this.#began = performance.now();
    while (performance.now() < this.#began + duration) {
      for (const name of clusters) {
        if (this.#waiting.has(name)) continue;
        this.#waiting.set(name, performance.now());
        this.#add(name, 'object');
      }
      await delay(INTERVAL);
    }
    for (const name of this.#waiting.keys()) this.#taken(name);
    return this.#waits;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort();
    await this.#running;
  }

  async #start(): Promise<void> {
    const controller = createController('writes', this.manager, {
      maxConcurrentReconciles: this.#workers,
      reconciler: async ({ clusterName, namespace, name }, { cluster }) => {
        this.#taken(clusterName);
        const { client } = await cluster();
        await client.apply(ConfigMap, { metadata: { namespace, name }, data: { at: String(performance.now()) } });
        this.#written.set(clusterName, (this.#written.get(clusterName) ?? new Set()).add(name));
      },
    });
    // This source only engages the clusters. Changes do not enqueue requests.
    await controller.watch(kindSource(ConfigMap, () => undefined));
    await controller.watch(funcSource(({ queue }) => void (this.#queue = queue)));
    await this.manager.add(controller);
    this.#running = this.manager.start(this.#end.signal);
  }

  #add(clusterName: ClusterName, name: string): void {
    this.#queue?.add({ clusterName, namespace: 'default', name });
  }

  #taken(clusterName: ClusterName): void {
    const added = this.#waiting.get(clusterName);
    if (added === undefined) return;
    this.#waiting.delete(clusterName);
    this.#waits.push({ at: added - this.#began, wait: performance.now() - added });
  }
}

export function longest(waits: readonly Wait[]): number {
  return Math.max(0, ...waits.map(({ wait }) => wait));
}
