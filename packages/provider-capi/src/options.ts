import type { Cluster, ClusterConfig, ClusterOptions, DeepReadonly, Predicate } from '@mcr/core';
import { clusterOptionsSchema, labelSelectorSchema, namespaceSchema, parseOptions } from '@mcr/core/provider';
import { z } from 'zod';
import type { AnyCluster } from './cluster-api.ts';
import { API_VERSIONS, clusterApi } from './cluster-api.ts';

/** What `getKubeconfig` is given beside the cluster. */
export interface KubeconfigContext {
  /** The cluster that the Cluster object is in. */
  readonly hub: Cluster;
  /** Aborts when the answer is of no more use. */
  readonly signal: AbortSignal;
}

export interface CapiProviderOptions {
  /**
   * The versions of the Cluster kind, the first one that the hub serves wins: `v1beta2` and `v1beta1` of Cluster API, or
   * `cluster.k8s.io/v1alpha1`. Default: `v1beta2, v1beta1`.
   */
  readonly apiVersions?: readonly string[];
  /** Only Clusters of this namespace. Default: of all. */
  readonly namespace?: string;
  /** Only Clusters whose labels match; the API server selects. Default: all. */
  readonly labelSelector?: string;
  /** A Cluster that no event of passes all of them is not seen. Default: none. */
  readonly predicates?: readonly Predicate<AnyCluster>[];
  /** Whether a Cluster can be connected to. Default: when its control plane is initialised. */
  readonly isReady?: (cluster: DeepReadonly<AnyCluster>) => boolean;
  /** The kubeconfig of a ready Cluster, `undefined` when there is none yet. Default: of the Secret `<name>-kubeconfig`. */
  readonly getKubeconfig?: (
    cluster: DeepReadonly<AnyCluster>,
    context: KubeconfigContext,
  ) => Promise<string | undefined>;
  /** Makes the clusters. Default: `createCluster`. */
  readonly newCluster?: (config: ClusterConfig, options: ClusterOptions) => Cluster;
  /** Name of the controller that reads the Clusters, one of a kind in its manager. Default: `capi-provider`. */
  readonly controllerName?: string;
  /** `untrusted` refuses what would let a kubeconfig run commands or read files where this process runs. Default: `untrusted`. */
  readonly policy?: 'trusted' | 'untrusted';
  /** For every member: `cache`, `readYourWrites`, `logger` and so on, as for `createCluster`. Default: as the manager's. */
  readonly clusterOptions?: Omit<ClusterOptions, 'name' | 'info'>;
  /** Alters the configuration of every member, for example its user agent. */
  readonly configure?: (config: ClusterConfig) => ClusterConfig;
}

const method = z.custom((value) => typeof value === 'function', 'expected a function');

const schema = z.strictObject({
  apiVersions: z.array(z.enum(API_VERSIONS)).min(1, 'expected at least one version').optional(),
  namespace: namespaceSchema.optional(),
  labelSelector: labelSelectorSchema.min(1, 'expected a label selector').optional(),
  predicates: z.array(method).optional(),
  isReady: method.optional(),
  getKubeconfig: method.optional(),
  newCluster: method.optional(),
  controllerName: z.string().min(1).optional(),
  policy: z.enum(['trusted', 'untrusted']).optional(),
  clusterOptions: clusterOptionsSchema.optional(),
  configure: method.optional(),
});

/** @throws {TypeError} that names the option, when one is unknown or wrong. */
export function withDefaults(options: CapiProviderOptions) {
  parseOptions('CapiProvider', schema, options);
  const { apiVersions = ['v1beta2', 'v1beta1'], controllerName = 'capi-provider', policy = 'untrusted' } = options;
  return {
    ...options,
    apis: apiVersions.map(clusterApi),
    predicates: options.predicates ?? [],
    controllerName,
    policy,
  } as const;
}
