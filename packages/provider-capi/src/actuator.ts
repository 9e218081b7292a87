import type { Cluster, DeepReadonly, Logger } from '@mcr/core';
import type { ApiEndpoint, ClusterResource } from './cluster-resource.ts';

export interface ActuatorContext {
  /** Aborts when the result is no longer needed. */
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** The cluster that holds the Cluster object. */
  readonly hub: Cluster;
}

/** A cluster that the actuator has created or found. */
export interface ActuatedCluster {
  readonly apiEndpoints: readonly ApiEndpoint[];
  /** Kubeconfig for the Secret `<name>-kubeconfig` beside the Cluster. Default: the Secret is not changed. */
  readonly kubeconfig?: string;
  /** Value of `status.providerStatus`. Default: not changed. */
  readonly providerStatus?: Readonly<Record<string, unknown>>;
}

/** Creates and deletes clusters on some infrastructure. Both methods are idempotent. (Upstream: `clusteractuator.Actuator`.) */
export interface ClusterActuator {
  /**
   * Creates the cluster, or updates it to match its spec. Called at each change of the spec, and every resync period.
   *
   * @returns the cluster, or `undefined` if nothing is known about it yet.
   * @throws {Error} why it failed. The status has its message in `errorMessage` and its property `reason` in `errorReason`.
   */
  reconcile(cluster: DeepReadonly<ClusterResource>, context: ActuatorContext): Promise<ActuatedCluster | void>;
  /** Deletes the cluster. Returns `true` if it no longer exists; otherwise it is called again. */
  delete(cluster: DeepReadonly<ClusterResource>, context: ActuatorContext): Promise<boolean>;
}
