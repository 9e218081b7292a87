import type { Condition, DeepReadonly, Kind, KubernetesObject } from '@mcr/core';
import { defineKind } from '@mcr/core';
import { ClusterResource } from './cluster-resource.ts';

/** What is read of a Cluster of Cluster API, whatever its version. */
export interface CapiCluster extends KubernetesObject {
  spec?: { paused?: boolean; controlPlaneEndpoint?: { host?: string; port?: number } };
  status?: {
    phase?: string;
    conditions?: Condition[];
    initialization?: { controlPlaneInitialized?: boolean; infrastructureProvisioned?: boolean };
  };
}

/** Any object that stands for a cluster. */
export type AnyCluster = CapiCluster | ClusterResource;

/** One of the APIs in which clusters are described. */
export interface ClusterApi {
  readonly kind: Kind<AnyCluster>;
  /** On the Secret with the kubeconfig: which cluster it is of. */
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

/** The versions that can be asked for; those of Cluster API by the version alone, too. */
export const API_VERSIONS = ['v1beta2', 'v1beta1', ...Object.keys(apis)] as const;

/** @param version one of {@link API_VERSIONS}. */
export function clusterApi(version: string): ClusterApi {
  const apiVersion = version.includes('/') ? version : `${CLUSTER_API}/${version}`;
  const api = apis[apiVersion];
  if (!api) throw new TypeError(`expected one of ${API_VERSIONS.join(', ')}, found ${JSON.stringify(version)}`);
  const kind = defineKind<AnyCluster>({ apiVersion, kind: 'Cluster', plural: 'clusters', scope: 'Namespaced' });
  return { kind, ...api };
}
