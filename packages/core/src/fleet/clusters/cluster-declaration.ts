import type { ClusterConfig } from '@mcr/client';
import type { Cluster, ClusterInfo } from '../cluster/cluster.ts';
import type { ClusterName } from '../multicluster/cluster-name.ts';

/** The properties of clusters that are compared. */
export type ComparedCluster = Pick<Cluster, 'config' | 'info'>;

/**
 * A cluster that may not be made yet. With `createCluster` as {@link make}, {@link config} and {@link info} are all that
 * a provider needs to state. If this process does not serve the cluster, none of the functions is called.
 */
export interface ClusterDeclaration<C extends Cluster = Cluster> {
  /**
   * Returns the address and credentials. They are compared with those of the present cluster.
   *
   * @throws any error, if the declaration cannot be used.
   */
  readonly config: () => ClusterConfig;
  /** Metadata. Default: none. */
  readonly info?: Partial<Omit<ClusterInfo, 'version'>>;
  /** Labels of the cluster, which the fleet status shows also if another process serves it. Default: not known. */
  readonly labels?: ClusterInfo['labels'];
  /**
   * Returns a new cluster at each call. Called if the cluster is absent or has another endpoint, and again each time that
   * the cluster comes back from another process.
   *
   * @param config the result of {@link config}.
   * @throws any error, if the declaration cannot be used.
   */
  readonly make: (config: ClusterConfig, options: NewClusterOptions) => C;
}

/** Options for a new cluster, in the form of `createCluster`. */
export interface NewClusterOptions {
  readonly name: ClusterName;
  readonly info: Partial<Omit<ClusterInfo, 'version'>>;
}

/** Returns the declaration of a cluster that exists. It can be made once, because a cluster runs once. */
export function declarationOf<C extends Cluster>(cluster: C): ClusterDeclaration<C> {
  let isMade = false;
  return {
    config: () => cluster.config,
    get info() {
      return cluster.info;
    },
    get labels() {
      return cluster.info.labels;
    },
    make: (_config, { name }) => {
      if (isMade) {
        throw new TypeError(
          `cluster ${JSON.stringify(name)} has run in this process before, and a cluster object runs once: declare it with a function that makes it, as with ensure of Clusters`,
        );
      }
      isMade = true;
      return cluster;
    },
  };
}

/**
 * Returns the declaration of the clusters that a function creates. Their configuration is known only once one exists, so
 * that each comparison with the present cluster creates one.
 *
 * @param known labels, if they are known without creating one.
 */
export function madeOnDemand<C extends Cluster>(
  create: () => C,
  known: Pick<ClusterDeclaration, 'labels'> = {},
): ClusterDeclaration<C> {
  let next: C | undefined;
  const peek = (): C => {
    // A cluster that is compared and not taken must not stay in memory as long as its declaration.
    if (!next) queueMicrotask(() => void (next = undefined));
    return (next ??= create());
  };
  return {
    ...known,
    config: () => peek().config,
    get info() {
      return peek().info;
    },
    make: () => {
      const cluster = peek();
      next = undefined;
      return cluster;
    },
  };
}
