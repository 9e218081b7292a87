import type { Cluster, ClusterConfig, ClusterOptions, DeepReadonly, Predicate } from '@mcr/core';
import { clusterOptionsSchema, labelSelectorSchema, namespaceSchema, parseOptions } from '@mcr/core/provider';
import * as z from 'zod';
import type { AnyCluster } from './cluster-api.ts';
import { API_VERSIONS, clusterApi } from './cluster-api.ts';

/** Second argument of `getKubeconfig`. */
export interface KubeconfigContext {
  /** The cluster that holds the Cluster object. */
  readonly hub: Cluster;
  /** Aborts when the result is no longer needed. */
  readonly signal: AbortSignal;
}

export interface CapiProviderOptions {
  /**
   * Versions of the Cluster kind: `v1beta2` and `v1beta1` of Cluster API, or `cluster.k8s.io/v1alpha1`. The provider watches
   * the first one that the hub serves. Default: `v1beta2, v1beta1`.
   */
  readonly apiVersions?: readonly string[];
  /** Namespace of the Clusters. Default: all namespaces. */
  readonly namespace?: string;
  /** Selects Clusters by their labels, at the API server. Default: all. */
  readonly labelSelector?: string;
  /** Filter of events. A Cluster is ignored until one of its events passes all predicates. Default: none. */
  readonly predicates?: readonly Predicate<AnyCluster>[];
  /** Whether to connect to a Cluster. Default: whether its control plane is initialised. */
  readonly isReady?: (cluster: DeepReadonly<AnyCluster>) => boolean;
  /** Returns the kubeconfig of a ready Cluster; `undefined` if there is none yet. Default: that of the Secret `<name>-kubeconfig`. */
  readonly getKubeconfig?: (
    cluster: DeepReadonly<AnyCluster>,
    context: KubeconfigContext,
  ) => Promise<string | undefined>;
  /** Creates the clusters. Default: `createCluster`. */
  readonly newCluster?: (config: ClusterConfig, options: ClusterOptions) => Cluster;
  /** Name of the controller that reads the Clusters. Unique in its manager. Default: `capi-provider`. */
  readonly controllerName?: string;
  /** With `untrusted`, kubeconfigs that name commands to run or files to read are refused. Default: `untrusted`. */
  readonly policy?: 'trusted' | 'untrusted';
  /** Options of every member: `cache`, `readYourWrites`, `logger` and so on, as for `createCluster`. Default: those of the manager. */
  readonly clusterOptions?: Omit<ClusterOptions, 'name' | 'info'>;
  /** Changes the configuration of every member, for example its user agent. */
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

/** @throws {TypeError} if an option is unknown or invalid; the message names it. */
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
