import { ConfigMap, Secret } from '@mcr/client';
import { FakeOwnership } from '../fleet/clusters/fake-ownership.fixture.ts';
import type { OwnershipState } from '../fleet/multicluster/ownership.ts';
import type { ClusterName } from '../fleet/multicluster/cluster-name.ts';
import { LOCAL_CLUSTER } from '../fleet/multicluster/cluster-name.ts';
import { FakeMember } from './fake-member.fixture.ts';
import { enqueueRequestForObject } from './handler/enqueue-object.ts';
import type { EventHandler } from './handler/event-handler.ts';
import type { CreateControllerOptions } from './create-controller.ts';
import type { ReconcileRequest } from './reconcile/request.ts';
import { RunningController } from './running-controller.fixture.ts';
import { kindSource } from './source/kind-source.ts';

/** Maps a hub object named `<cluster>.<name>` to a request for that object in that cluster. */
export const mapped: EventHandler<Secret> = ({ key: { namespace = '', name } }, { queue }) => {
  const [clusterName = '', object = ''] = name.split('.');
  queue.add({ clusterName, namespace, name: object });
};

/**
 * A controller of a sharded fleet. It watches ConfigMaps in the clusters `a` and `b`, ConfigMaps of the hub, and Secrets
 * of the hub that it maps to requests of other clusters.
 */
export class ShardedController extends RunningController {
  readonly ownership: FakeOwnership;
  readonly hub = FakeMember.synced(ConfigMap, Secret);

  constructor(
    options: Partial<CreateControllerOptions<ReconcileRequest>> = {},
    { ownership = new FakeOwnership() }: { readonly ownership?: FakeOwnership } = {},
  ) {
    super(options, { ownership });
    this.ownership = ownership;
    for (const name of [LOCAL_CLUSTER, 'a', 'b']) ownership.declare(name);
    const clusterFilter = (name: ClusterName) => name === LOCAL_CLUSTER;
    void this.controller.watch(kindSource(ConfigMap, enqueueRequestForObject(), { clusterFilter }));
    void this.controller.watch(kindSource(Secret, mapped, { clusterFilter }));
  }

  /** Engages the hub. */
  async engageHub(): Promise<void> {
    await this.engageMember(LOCAL_CLUSTER, this.hub);
  }

  /** Changes the state of clusters, and runs what follows at once. */
  async set(state: OwnershipState, ...names: readonly ClusterName[]): Promise<void> {
    this.ownership.set(state, ...names);
    await this.fake.settle();
  }

  /** Sets a Secret of the hub that is mapped to a request. */
  async setSecret(name: string): Promise<void> {
    this.hub.informer(Secret).set({ namespace: 'default', name });
    await this.fake.settle();
  }

  /** Returns the objects that were reconciled since the last call. */
  takeSeen(): string[] {
    return this.seen.splice(0).sort();
  }
}
