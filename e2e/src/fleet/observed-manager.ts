import type {
  Cluster,
  ClusterName,
  ClusterStatus,
  ConfigMap as ConfigMapObject,
  DeepReadonly,
  Manager,
  Provider,
} from '@mcr/core';
import { ConfigMap, controllerManagedBy, createManager, requestKey, silentLogger } from '@mcr/core';
import type { Stage } from '../backend/stage.ts';
import { until } from '../until.ts';

/** A manager in this process, with a controller that records which ConfigMaps it has read, and in which cluster. */
export class ObservedManager {
  readonly manager: Manager;
  /** The last `data.input` that was read of each ConfigMap, by the key of its request. */
  readonly #seen = new Map<string, string | undefined>();

  private constructor(manager: Manager) {
    this.manager = manager;
  }

  /**
   * Runs until the scenario ends.
   *
   * @param prepare adds further controllers before the start.
   */
  static async start(
    { hub, stack }: Stage,
    provider: Provider,
    prepare?: (manager: Manager) => Promise<unknown>,
  ): Promise<ObservedManager> {
    const manager = await createManager({
      config: hub.config,
      provider,
      logger: silentLogger,
      metrics: { bindAddress: '0' },
    });
    const observed = new ObservedManager(manager);
    await controllerManagedBy(manager)
      .named('observer')
      .for(ConfigMap)
      .complete(async (request, { cluster }) => {
        const { client } = await cluster();
        observed.#take(requestKey(request), await client.find(ConfigMap, request));
      });
    await prepare?.(manager);
    const end = new AbortController();
    const stopped = manager.start(end.signal);
    stack.defer(async () => {
      end.abort();
      await stopped;
    });
    return observed;
  }

  /** Resolves once the controller has read a ConfigMap with this `data.input`. */
  async saw(clusterName: ClusterName, key: { namespace: string; name: string }, input: string): Promise<void> {
    await until(() => this.hasSeen(clusterName, key, input));
  }

  hasSeen(clusterName: ClusterName, { namespace, name }: { namespace: string; name: string }, input: string): boolean {
    return this.#seen.get(requestKey({ clusterName, namespace, name })) === input;
  }

  cluster(name: ClusterName): Promise<Cluster> {
    return this.manager.getCluster(name);
  }

  status(name: ClusterName): ClusterStatus | undefined {
    return this.manager.fleet.get(name);
  }

  async reaches(name: ClusterName, phase: ClusterStatus['phase']): Promise<void> {
    await until(() => this.status(name)?.phase === phase);
  }

  #take(key: string, configMap: DeepReadonly<ConfigMapObject> | undefined): void {
    this.#seen.set(key, configMap?.data?.['input']);
  }
}
