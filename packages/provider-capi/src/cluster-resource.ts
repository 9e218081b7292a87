import type { KubernetesObject } from '@mcr/core';
import { defineKind } from '@mcr/core';

/** Address ranges of a network. */
export interface NetworkRanges {
  cidrBlocks: string[];
}

export interface ClusterNetworking {
  services?: NetworkRanges;
  pods?: NetworkRanges;
  /** Domain name of services. */
  serviceDomain?: string;
}

export interface ClusterSpec {
  clusterNetwork?: ClusterNetworking;
  /** Input of the actuator, in the actuator's own format. */
  providerSpec?: { value?: Record<string, unknown> };
}

export interface ApiEndpoint {
  host: string;
  port: number;
}

/** Observed state. Written only by controllers. */
export interface ClusterStatus {
  apiEndpoints?: ApiEndpoint[];
  /** Machine-readable reason of the error, one word. */
  errorReason?: string;
  /** Human-readable message of the error. */
  errorMessage?: string;
  /** State of the actuator, in the actuator's own format. */
  providerStatus?: Record<string, unknown>;
}

/**
 * Desired and observed state of a Kubernetes cluster. An actuator creates the cluster: see {@link createClusterController}.
 * (Upstream: the first Cluster API.)
 */
export interface ClusterResource extends KubernetesObject {
  spec?: ClusterSpec;
  status?: ClusterStatus;
}
export const ClusterResource = defineKind<ClusterResource>({
  apiVersion: 'cluster.k8s.io/v1alpha1',
  kind: 'Cluster',
  plural: 'clusters',
  scope: 'Namespaced',
});
