import type { Cluster, ClusterConfig, ClusterName, Manager } from '@mcr/core';
import {
  ConfigMap,
  controllerManagedBy,
  createCluster,
  createManager,
  createOrUpdate,
  enqueueMappedPreservingCluster,
  InMemoryProvider,
  isNotFound,
  LOCAL_CLUSTER,
  silentLogger,
} from '@mcr/core';
import { HurriedClock } from './hurried-clock.ts';

export interface CopierOptions {
  readonly hub: ClusterConfig;
  readonly members: ReadonlyMap<ClusterName, ClusterConfig>;
  readonly namespace: string;
}

/**
 * The reference controller: copies each ConfigMap of one namespace of the hub to every member, and deletes all other
 * ConfigMaps there.
 */
export class Copier implements AsyncDisposable {
  /** The clock of the controller. */
  readonly clock: HurriedClock;
  readonly #end = new AbortController();
  readonly #running: Promise<void>;
  readonly #manager: Manager;

  private constructor(manager: Manager, clock: HurriedClock) {
    this.#manager = manager;
    this.clock = clock;
    this.#running = manager.start(this.#end.signal);
    // Awaited on disposal.
    this.#running.catch(() => undefined);
  }

  /** @throws {ClusterNotFoundError} if the cluster is not engaged. */
  cluster(name: ClusterName): Promise<Cluster> {
    return this.#manager.getCluster(name);
  }

  static async start({ hub, members, namespace }: CopierOptions): Promise<Copier> {
    const clock = new HurriedClock();
    const provider = new InMemoryProvider({ clock });
    const cache = { namespaces: [namespace] };
    const common = { clock, logger: silentLogger, cache };
    const manager = await createManager({ ...common, config: hub, provider, metrics: { bindAddress: '0' } });
    for (const [name, config] of members) {
      provider.set(name, createCluster(config, { ...common, name, listSlots: manager.listSlots }));
    }
    const sourceOf = enqueueMappedPreservingCluster((object: { readonly metadata: { readonly name: string } }) => [
      { clusterName: LOCAL_CLUSTER, namespace, name: object.metadata.name },
    ]);
    await controllerManagedBy(manager)
      .named('copier')
      .watches(ConfigMap, sourceOf, { engage: { local: true, provider: true } })
      // A member that is not engaged yet must not lose its requests.
      .withClusterNotFoundWrapper(false)
      .withOptions({ maxConcurrentReconciles: 4 })
      .complete(async ({ name }, { signal }) => {
        const key = { namespace, name };
        const source = await manager.localManager.cluster.client.find(ConfigMap, key, { signal });
        const copy = async (member: ClusterName) => {
          const { client } = await manager.getCluster(member);
          if (source) {
            const { data = {} } = source;
            await createOrUpdate(client, ConfigMap, key, (draft) => void (draft.data = { ...data }), { signal });
          } else if (await client.find(ConfigMap, key, { signal })) {
            await client.delete(ConfigMap, key, { signal }).catch((error: unknown) => {
              if (!isNotFound(error)) throw error;
            });
          }
        };
        const copies = await Promise.allSettled([...members.keys()].map(copy));
        const failure = copies.find(({ status }) => status === 'rejected');
        if (failure?.status === 'rejected') throw failure.reason;
      });
    return new Copier(manager, clock);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort();
    try {
      await this.#running;
    } finally {
      this.clock[Symbol.dispose]();
    }
  }
}
