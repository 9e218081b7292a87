import type { Cluster, ClusterName, Logger, Manager, ReconcileRequest } from '@mcr/core';
import { ConfigMap, controllerManagedBy, createManager } from '@mcr/core';
import type { ControlPlane } from '@mcr/envtest';
import { createKubeconfigProvider } from '@mcr/provider-kubeconfig';
import { AcceleratedClock } from '../accelerated-clock.ts';

const clock = new AcceleratedClock(5);

export interface Engagement {
  readonly name: ClusterName;
  readonly cluster: Cluster;
  readonly signal: AbortSignal;
}

/**
 * The system under test: a manager that copies the data key `input` of every ConfigMap to `mark`. A component that is
 * engaged with the same clusters as the controller records violations.
 */
export class ChurnSystem {
  readonly manager: Manager;
  /** Violations of invariants. */
  readonly violations: string[] = [];
  readonly #latest = new Map<ClusterName, Engagement>();
  readonly #live = new Set<Engagement>();
  readonly #end = new AbortController();
  #ended = Promise.resolve();

  private constructor(manager: Manager) {
    this.manager = manager;
  }

  static async start(hub: ControlPlane, namespace: string, logger: Logger): Promise<ChurnSystem> {
    const manager = await createManager({
      config: hub.config,
      provider: createKubeconfigProvider({ namespace, clusterOptions: { clock } }),
      clock,
      logger,
      metrics: { bindAddress: '0' },
    });
    const system = new ChurnSystem(manager);
    await manager.add({
      run: async () => undefined,
      engage: async (name, cluster, signal) => system.#engaged({ name, cluster, signal }),
    });
    await controllerManagedBy(manager)
      .for(ConfigMap)
      .withOptions({ maxConcurrentReconciles: 4 })
      .complete(async (request, { cluster, signal }) => {
        system.#reconciled(request);
        const { client } = await cluster();
        const { data } = (await client.find(ConfigMap, request)) ?? {};
        const input = data?.['input'];
        if (input === undefined || data?.['mark'] === input) return;
        await client.patch(ConfigMap, request, { data: { mark: input } }, 'merge', { signal });
      });
    system.#ended = manager.start(system.#end.signal);
    // `stop` awaits it.
    system.#ended.catch((error: unknown) => system.violations.push(`the manager failed: ${String(error)}`));
    return system;
  }

  /** Engagements of provider clusters that have not ended. */
  get live(): readonly Engagement[] {
    return [...this.#live];
  }

  /** Resolves once the manager has stopped. */
  async stop(): Promise<void> {
    this.#end.abort();
    await this.#ended;
  }

  #engaged(engagement: Engagement): void {
    const { name, cluster, signal } = engagement;
    if (name === '') return;
    const before = this.#latest.get(name);
    if (before?.cluster === cluster) this.violations.push(`${name} was engaged again with the same cluster instance`);
    if (signal.aborted) this.violations.push(`${name} was engaged with an aborted signal`);
    if (before && !before.signal.aborted) {
      if (portOf(before.cluster) !== portOf(cluster)) {
        this.violations.push(`${name} was engaged with another cluster before the previous engagement ended`);
      }
      setImmediate(() => {
        if (!before.signal.aborted) this.violations.push(`${name} is engaged twice`);
      });
    }
    this.#latest.set(name, engagement);
    this.#live.add(engagement);
    signal.addEventListener('abort', () => this.#live.delete(engagement), { once: true });
  }

  #reconciled({ clusterName, name }: ReconcileRequest): void {
    const engagement = this.#latest.get(clusterName);
    if (!engagement || engagement.signal.aborted) {
      this.violations.push(`${name} in ${clusterName} was reconciled while the cluster was not engaged`);
    }
  }
}

/** Identifies the control plane of a cluster, whatever host name its config uses. */
export function portOf(cluster: Cluster): string {
  return new URL(cluster.config.server).port;
}
