import type { Condition, DeepReadonly, Kind, KubernetesObject } from '@mcr/core';
import { defineKind } from '@mcr/core';
import { ClusterResource } from './cluster-resource.ts';

/** The fields of a Cluster of Cluster API that the provider reads, in all versions. */
export interface CapiCluster extends KubernetesObject {
  spec?: { paused?: boolean; controlPlaneEndpoint?: { host?: string; port?: number } };
  status?: {
    phase?: string;
    conditions?: Condition[];
    initialization?: { controlPlaneInitialized?: boolean; infrastructureProvisioned?: boolean };
  };
}

/** An object that represents a cluster. */
export type AnyCluster = CapiCluster | ClusterResource;

/** One of the supported APIs. */
export interface ClusterApi {
  readonly kind: Kind<AnyCluster>;
  /** Label of the kubeconfig Secret that names its Cluster. */
  readonly clusterNameLabel: string;
  isReady(cluster: DeepReadonly<AnyCluster>): boolean;
}

const CLUSTER_API = 'cluster.x-k8s.io';

const apis: Readonly<Record<string, Omit<ClusterApi, 'kind'>>> = {
  [`${CLUSTER_API}/v1beta2`]: {
    clusterNameLabel: `${CLUSTER_API}/cluster-name`,
    isReady: ({ status }: DeepReadonly<CapiCluster>) => status?.initialization?.controlPlaneInitialized === true,
  },
  [`${CLUSTER_API}/v1beta1`]: {
    clusterNameLabel: `${CLUSTER_API}/cluster-name`,
    isReady: ({ status }: DeepReadonly<CapiCluster>) =>
      status?.phase === 'Provisioned' ||
      (status?.conditions ?? []).some(
        (condition) => condition.type === 'ControlPlaneInitialized' && condition.status === 'True',
      ),
  },
  [ClusterResource.apiVersion]: {
    clusterNameLabel: 'cluster.k8s.io/cluster-name',
    isReady: ({ status }: DeepReadonly<ClusterResource>) =>
      (status?.apiEndpoints ?? []).length > 0 && !status?.errorReason && !status?.errorMessage,
  },
};

/** The supported versions. Those of Cluster API may be given without their group. */
export const API_VERSIONS = ['v1beta2', 'v1beta1', ...Object.keys(apis)] as const;

/** @param version one of {@link API_VERSIONS}. */
export function clusterApi(version: string): ClusterApi {
  const apiVersion = version.includes('/') ? version : `${CLUSTER_API}/${version}`;
  const api = apis[apiVersion];
  if (!api) throw new TypeError(`expected one of ${API_VERSIONS.join(', ')}, found ${JSON.stringify(version)}`);
  const kind = defineKind<AnyCluster>({ apiVersion, kind: 'Cluster', plural: 'clusters', scope: 'Namespaced' });
  return { kind, ...api };
}
