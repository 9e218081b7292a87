import type { ApiClient, Condition, DeepReadonly } from '@mcr/core';
import { createClient, Namespace } from '@mcr/core';
import type { ControlPlane } from '@mcr/envtest';
import type { Member, ProviderSetup } from '@mcr/provider-conformance/jest';
import type { ClusterProfileStatus } from './cluster-profile.ts';
import { ClusterProfile } from './cluster-profile.ts';
import { condition } from './profile.fixture.ts';

/** Manages the profiles in one namespace of a hub for the conformance suite. */
export class Inventory {
  static readonly namespace = 'fleet';
  readonly client: ApiClient;
  readonly #hub: ControlPlane;

  private constructor(hub: ControlPlane) {
    this.#hub = hub;
    this.client = createClient(hub.config);
  }

  static async in(hub: ControlPlane): Promise<Inventory> {
    const inventory = new Inventory(hub);
    await inventory.client.create(Namespace, { metadata: { name: Inventory.namespace } });
    return inventory;
  }

  /** Setup that is common to all access strategies. */
  get setup() {
    const hub = this.#hub;
    return {
      relabel: async ({ name, labels }) => {
        const patch = [{ op: 'replace', path: '/metadata/labels', value: labels }];
        await this.client.patch(ClusterProfile, { namespace: Inventory.namespace, name }, patch, 'json');
      },
      unready: (name) => this.setHealthy(name, 'False'),
      ready: (name) => this.setHealthy(name, 'True'),
      outage: async () => {
        await hub.suspend();
        return () => hub.resume();
      },
      interrupt: () => hub.endWatches(),
      clusterName: (name) => `${Inventory.namespace}/${name}`,
      dispose: () => this.client.close(),
    } satisfies Partial<ProviderSetup>;
  }

  async add({ name, labels }: Pick<Member, 'name' | 'labels'>): Promise<void> {
    const { namespace } = Inventory;
    await this.client.create(ClusterProfile, {
      metadata: { namespace, name, labels },
      spec: { clusterManager: { name: 'suite' } },
    });
  }

  async remove(name: string): Promise<void> {
    const { namespace } = Inventory;
    await this.client.deleteCollection(ClusterProfile, { namespace, fieldSelector: `metadata.name=${name}` });
  }

  async setHealthy(name: string, status: Condition['status']): Promise<void> {
    await this.setStatus(name, { conditions: [condition('ControlPlaneHealthy', status)] });
  }

  async setStatus(name: string, status: DeepReadonly<ClusterProfileStatus>): Promise<void> {
    await this.client.status.patch(ClusterProfile, { namespace: Inventory.namespace, name }, { status }, 'merge');
  }
}
