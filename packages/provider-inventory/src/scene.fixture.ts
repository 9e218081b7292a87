import type { ApiClient, Clock, Cluster, ClusterName, DeepReadonly, Manager } from '@mcr/core';
import { createClient, createManager, LOCAL_CLUSTER, Namespace, Secret, silentLogger } from '@mcr/core';
import type { VirtualClock } from '@mcr/core/testing';
import type { ControlPlane, ControlPlaneFleet } from '@mcr/envtest';
import { createControlPlaneFleet } from '@mcr/envtest';
import type { ClusterProfileStatus } from './cluster-profile.ts';
import { ClusterProfile } from './cluster-profile.ts';
import { createInventoryProvider, type InventoryProvider } from './inventory-provider.ts';
import { clusterProfileDefinition } from './manifests.fixture.ts';
import type { InventoryProviderOptions } from './options.ts';
import { condition } from './profile.fixture.ts';

export const HEALTHY: ClusterProfileStatus = { conditions: [condition('ControlPlaneHealthy', 'True')] };
export const UNHEALTHY: ClusterProfileStatus = { conditions: [condition('ControlPlaneHealthy', 'False')] };

/** Step of the clock in milliseconds, shorter than all timeouts of requests and health checks. */
const STEP = 1_000;

/** A hub with one namespace for profiles, members without profiles, and at most one manager. */
export class Scene implements AsyncDisposable {
  static readonly namespace = 'fleet';
  readonly hub: ApiClient;
  readonly #fleet: ControlPlaneFleet;
  #running: { readonly manager: Manager; readonly provider: InventoryProvider; stop(): Promise<void> } | undefined;

  private constructor(fleet: ControlPlaneFleet) {
    this.#fleet = fleet;
    this.hub = createClient(fleet.hub.config);
  }

  static async open(): Promise<Scene> {
    const scene = new Scene(await createControlPlaneFleet({ members: 2, crds: [clusterProfileDefinition] }));
    await scene.hub.create(Namespace, {
      metadata: { name: Scene.namespace, labels: { 'multicluster.x-k8s.io/clusterset': 'prod' } },
    });
    return scene;
  }

  async run(options: InventoryProviderOptions, clock?: Clock): Promise<void> {
    await this.stop();
    const provider = createInventoryProvider({ namespace: Scene.namespace, ...options });
    const manager = await createManager({
      config: this.#fleet.hub.config,
      provider,
      logger: silentLogger,
      metrics: { bindAddress: '0' },
      ...(clock && { clock }),
    });
    const end = new AbortController();
    const ended = manager.start(end.signal);
    this.#running = {
      manager,
      provider,
      stop: async () => {
        end.abort();
        await ended;
      },
    };
  }

  /** Stops the manager, and empties the inventory. */
  async clear(): Promise<void> {
    await this.stop();
    for (const kind of [ClusterProfile, Secret]) {
      await this.hub.deleteCollection(kind, { namespace: Scene.namespace });
    }
  }

  async stop(): Promise<void> {
    await this.#running?.stop();
    this.#running = undefined;
  }

  /**
   * Advances the manager's clock by `duration` ms, in steps in which the hub and every engaged cluster respond. In one step,
   * requests in flight would time out and their connections would be closed.
   */
  async pass(clock: VirtualClock, duration: number): Promise<void> {
    for (let left = duration; left > 0; left -= STEP) {
      await clock.advance(Math.min(left, STEP));
      const answer = async (name: ClusterName) =>
        (await this.manager.getCluster(name)).apiReader.get(Namespace, { name: 'default' });
      // A cluster that is disengaged in this step does not respond.
      await Promise.allSettled([LOCAL_CLUSTER, ...this.names()].map(answer));
    }
  }

  member(index = 0): ControlPlane {
    const member = this.#fleet.members[index];
    if (!member) throw new Error(`there is no member ${index}`);
    return member;
  }

  get manager(): Manager {
    if (!this.#running) throw new Error('no manager runs');
    return this.#running.manager;
  }

  names(): ClusterName[] {
    return this.#running?.provider.clusterNames() ?? [];
  }

  cluster(name: string): Promise<Cluster> {
    return this.manager.getCluster(clusterNameOf(name));
  }

  phase(name: string): string | undefined {
    return this.manager.fleet.get(clusterNameOf(name))?.phase;
  }

  reason(name: string): string {
    return this.manager.fleet.get(clusterNameOf(name))?.reason ?? '';
  }

  async createProfile(name: string, status: DeepReadonly<ClusterProfileStatus> = {}): Promise<void> {
    await this.hub.create(ClusterProfile, {
      metadata: { namespace: Scene.namespace, name, labels: { tier: 'gold' } },
      spec: { clusterManager: { name: 'test-manager' } },
    });
    await this.setStatus(name, status);
  }

  async setStatus(name: string, status: DeepReadonly<ClusterProfileStatus>): Promise<void> {
    await this.hub.status.patch(ClusterProfile, { namespace: Scene.namespace, name }, { status }, 'merge');
  }

  /** Creates a Secret with a kubeconfig for the consumer `test`. */
  async createSecret(name: string, kubeconfig: string, { profile = name, consumer = 'test' } = {}): Promise<void> {
    const labels = { 'x-k8s.io/cluster-profile': profile, 'x-k8s.io/cluster-inventory-consumer': consumer };
    await this.hub.create(Secret, {
      metadata: { namespace: Scene.namespace, name, labels },
      stringData: { Config: kubeconfig },
    });
  }

  async setKubeconfig(name: string, kubeconfig: string): Promise<void> {
    const key = { namespace: Scene.namespace, name };
    await this.hub.patch(Secret, key, { stringData: { Config: kubeconfig } }, 'merge');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await this.hub.close();
    await this.#fleet.stop();
  }
}

const clusterNameOf = (name: string): ClusterName => `${Scene.namespace}/${name}`;
