import type { Condition, KubernetesObject } from '@mcr/core';
import { defineKind } from '@mcr/core';

export interface ClusterProfileSpec {
  displayName?: string;
  /** The cluster manager, which writes the rest of the profile. */
  clusterManager: { name: string };
}

/** A property of the cluster, for example one of its ClusterProperty objects (KEP-2149). */
export interface ClusterProperty {
  name: string;
  value: string;
  lastObservedTime?: string;
}

/** A `cluster` in the format of kubeconfigs. */
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

/** A way to reach the cluster, for consumers that can get credentials of that name (KEP-5339). */
export interface AccessProvider {
  name: string;
  cluster?: AccessCluster;
}

export interface ClusterProfileStatus {
  conditions?: Condition[];
  version?: { kubernetes?: string };
  properties?: ClusterProperty[];
  accessProviders?: AccessProvider[];
  /** Deprecated name of `accessProviders`. If a name is in both, the entry of `accessProviders` is used. */
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
