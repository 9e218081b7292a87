import type { Clock, Cluster, ClusterConfig, ClusterName, Manager } from '@mcr/core';
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

/** How much faster than the machine's the clock of the manager is: its backoffs and deadlines are a twentieth as long. */
const HASTE = 20;

const hurriedClock: Clock = {
  now: () => performance.now() * HASTE,
  wallTime: () => Date.now(),
  schedule(delay, callback) {
    const timeout = setTimeout(callback, Math.max(delay, 0) / HASTE);
    return { cancel: () => clearTimeout(timeout) };
  },
};

export interface CopierOptions {
  readonly hub: ClusterConfig;
  readonly members: ReadonlyMap<ClusterName, ClusterConfig>;
  readonly namespace: string;
}

/**
 * The reference controller: each ConfigMap of one namespace of the hub is to be in every member, with the same data,
 * and no other ConfigMap is.
 */
export class Copier implements AsyncDisposable {
  readonly #end = new AbortController();
  readonly #running: Promise<void>;
  readonly #manager: Manager;

  private constructor(manager: Manager) {
    this.#manager = manager;
    this.#running = manager.start(this.#end.signal);
    // Awaited at the end.
    this.#running.catch(() => undefined);
  }

  /** @throws {ClusterNotFoundError} when it is not engaged. */
  cluster(name: ClusterName): Promise<Cluster> {
    return this.#manager.getCluster(name);
  }

  static async start({ hub, members, namespace }: CopierOptions): Promise<Copier> {
    const provider = new InMemoryProvider({ clock: hurriedClock });
    const cache = { namespaces: [namespace] };
    const common = { clock: hurriedClock, logger: silentLogger, cache };
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
      // A member that has not come yet is no reason to forget what it is to have.
      .withClusterNotFoundWrapper(false)
      .withOptions({ maxConcurrentReconciles: 4 })
      .complete(async ({ name }, { signal }) => {
        // What is deleted in the hub before the hub is watched is told by nobody: until then, no source is trusted.
        const { sources = {} } = manager.fleet.get(LOCAL_CLUSTER) ?? {};
        if (!sources['v1 ConfigMap']?.synced) return { requeueAfter: 1_000 };
        const key = { namespace, name };
        const source = await manager.localManager.cluster.client.find(ConfigMap, key);
        const copy = async (member: ClusterName) => {
          const { client } = await manager.getCluster(member);
          if (source) {
            const { data = {} } = source;
            await createOrUpdate(client, ConfigMap, key, (draft) => void (draft.data = { ...data }), { signal });
          } else if (await client.find(ConfigMap, key)) {
            await client.delete(ConfigMap, key, { signal }).catch((error: unknown) => {
              if (!isNotFound(error)) throw error;
            });
          }
        };
        const copies = await Promise.allSettled([...members.keys()].map(copy));
        const failure = copies.find(({ status }) => status === 'rejected');
        if (failure?.status === 'rejected') throw failure.reason;
        return {};
      });
    return new Copier(manager);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort();
    await this.#running;
  }
}
