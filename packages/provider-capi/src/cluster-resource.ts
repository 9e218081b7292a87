import type { KubernetesObject } from '@mcr/core';
import { defineKind } from '@mcr/core';

/** Addresses that a network is made of. */
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
  /** What the actuator is to make the cluster of, in a format of its own. */
  providerSpec?: { value?: Record<string, unknown> };
}

export interface ApiEndpoint {
  host: string;
  port: number;
}

/** Only observed: the source of truth of nothing. Written by controllers alone. */
export interface ClusterStatus {
  apiEndpoints?: ApiEndpoint[];
  /** What is wrong, for programs: one word. */
  errorReason?: string;
  /** What is wrong, for people. */
  errorMessage?: string;
  /** What the actuator notes, in a format of its own. */
  providerStatus?: Record<string, unknown>;
}

/**
 * The desired state of a Kubernetes cluster, and what is known of it. An actuator makes the cluster: see
 * {@link createClusterController}. (Upstream: the first Cluster API.)
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
