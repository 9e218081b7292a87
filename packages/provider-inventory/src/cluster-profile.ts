import type { Condition, KubernetesObject } from '@mcr/core';
import { defineKind } from '@mcr/core';

export interface ClusterProfileSpec {
  displayName?: string;
  /** Who manages the cluster, and writes the rest of the profile. */
  clusterManager: { name: string };
}

/** Something known of the cluster, for example a ClusterProperty of it (KEP-2149). */
export interface ClusterProperty {
  name: string;
  value: string;
  lastObservedTime?: string;
}

/** A `cluster` as it stands in a kubeconfig. */
export interface AccessCluster {
  server: string;
  'certificate-authority'?: string;
  /** PEM in base64. */
  'certificate-authority-data'?: string;
  'tls-server-name'?: string;
  'insecure-skip-tls-verify'?: boolean;
  'proxy-url'?: string;
  'disable-compression'?: boolean;
  extensions?: { name: string; extension: unknown }[];
}

/** One way to reach the cluster, for those who know how to get credentials by the way of that name (KEP-5339). */
export interface AccessProvider {
  name: string;
  cluster?: AccessCluster;
}

export interface ClusterProfileStatus {
  conditions?: Condition[];
  version?: { kubernetes?: string };
  properties?: ClusterProperty[];
  accessProviders?: AccessProvider[];
  /** What `accessProviders` was called first: of two with one name, that in `accessProviders` counts. */
  credentialProviders?: AccessProvider[];
}

/** A cluster of an inventory. (Upstream: `sigs.k8s.io/cluster-inventory-api`, KEP-4322.) */
export interface ClusterProfile extends KubernetesObject {
  spec: ClusterProfileSpec;
  status?: ClusterProfileStatus;
}
export const ClusterProfile = defineKind<ClusterProfile>({
  apiVersion: 'multicluster.x-k8s.io/v1alpha1',
  kind: 'ClusterProfile',
  plural: 'clusterprofiles',
  scope: 'Namespaced',
});
