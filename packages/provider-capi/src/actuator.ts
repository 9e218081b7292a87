import type { Cluster, DeepReadonly, Logger } from '@mcr/core';
import type { ApiEndpoint, ClusterResource } from './cluster-resource.ts';

export interface ActuatorContext {
  /** Aborts when the work is of no more use. */
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** The cluster that the Cluster object is in. */
  readonly hub: Cluster;
}

/** What an actuator has made, or found made. */
export interface ActuatedCluster {
  readonly apiEndpoints: readonly ApiEndpoint[];
  /** Put into the Secret `<name>-kubeconfig` beside the Cluster. Default: the Secret is left as it is. */
  readonly kubeconfig?: string;
  /** Default: `status.providerStatus` is left as it is. */
  readonly providerStatus?: Readonly<Record<string, unknown>>;
}

/** Makes and removes clusters on some infrastructure. Both methods are idempotent. (Upstream: `clusteractuator.Actuator`.) */
export interface ClusterActuator {
  /**
   * Creates the cluster, or has it follow its spec. Called at each change of the spec, and every resync period.
   *
   * @returns nothing when there is nothing to be told yet.
   * @throws what stands in `status.errorMessage` until a call succeeds; a property `reason` stands in `errorReason`.
   */
  reconcile(cluster: DeepReadonly<ClusterResource>, context: ActuatorContext): Promise<ActuatedCluster | void>;
  /** Removes the cluster. `true` when nothing is left of it; else it is called again. */
  delete(cluster: DeepReadonly<ClusterResource>, context: ActuatorContext): Promise<boolean>;
}
