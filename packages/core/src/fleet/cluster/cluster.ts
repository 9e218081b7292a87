import type {
  Cache,
  Client,
  ClusterConfig,
  DeepReadonly,
  EventRecorder,
  FieldIndexer,
  KubernetesObject,
  Reader,
  Recovered,
  RestMapper,
} from '@mcr/client';
import type { WriteFence } from '../fence/write-fence.ts';
import type { CircuitBreaker } from '../isolation/circuit-breaker.ts';
import type { ClusterName } from '../multicluster/cluster-name.ts';

/** Metadata of a cluster. */
export interface ClusterInfo {
  /** Type of the provider that discovered the cluster, for example `kubeconfig`. */
  readonly provider?: string;
  /** Labels, which cluster selectors match. */
  readonly labels: Readonly<Record<string, string>>;
  /** Further data about the cluster, such as its clusterset (KEP-2149). */
  readonly properties: Readonly<Record<string, string>>;
  /**
   * Metadata of the hub object that represents the cluster, such as its kubeconfig Secret. Events about the cluster
   * refer to this object.
   */
  readonly origin?: DeepReadonly<KubernetesObject>;
  /** The API server's version, for example `v1.33.1`. Known once the cluster is ready. */
  readonly version?: string;
}

/** The part of {@link ClusterInfo} that may change while a cluster is engaged. */
export type ClusterDescription = Pick<ClusterInfo, 'labels' | 'properties' | 'origin'>;

/**
 * A connection to one cluster: a client, a cache and related parts. (Upstream: controller-runtime's `cluster.Cluster`.)
 */
export interface Cluster {
  /** Name within the fleet. Absent for a cluster that was created without one, such as the local cluster. */
  readonly name?: ClusterName;
  /** Address and credentials. Changes with {@link rotate}. */
  readonly config: ClusterConfig;
  /** Metadata. Changes with {@link describe}. */
  readonly info: ClusterInfo;
  /** Reads from the cache, writes to the API server. */
  readonly client: Client;
  /** Reads from the API server. */
  readonly apiReader: Reader;
  /** Informers of the cluster. */
  readonly cache: Cache;
  /** Adds indexes to the cache. */
  readonly fieldIndexer: FieldIndexer;
  /** Maps kinds to the resources of the API server. */
  readonly restMapper: RestMapper;
  /**
   * Observes the calls that reconcilers send to this cluster, so that an unresponsive cluster occupies no workers.
   * Default: the cluster is assumed to be responsive.
   */
  readonly breaker?: CircuitBreaker;
  /**
   * Returns a recorder of events about objects of this cluster. Pending events are written when the cluster stops.
   *
   * @param component reporting controller of the events, a qualified name such as `cart-controller`.
   */
  eventRecorder(component: string): EventRecorder;
  /**
   * Resolves when the API server has answered. Retries until `signal` aborts.
   *
   * @param options.onFailure called after each failed attempt.
   * @throws the last failure, if `signal` aborts.
   */
  ready(signal: AbortSignal, options?: { readonly onFailure?: (error: Error) => void }): Promise<void>;
  /**
   * Checks once that the API server and its storage work (see `checkHealth` of `@mcr/client`).
   *
   * @param options.timeout deadline in milliseconds.
   * @throws {ClusterUnreadyError} if they do not.
   */
  ping(options: { readonly signal: AbortSignal; readonly timeout: number }): Promise<void>;
  /**
   * Resolves at the first successful health check that starts after the call. Checks run only while a caller waits, and
   * all callers share them: every second in the first minute of an outage, every 5 to 8 s later.
   *
   * @throws the signal's reason, if `signal` aborts first.
   */
  recovered(signal: AbortSignal): Promise<Recovered>;
  /** Updates the description. Sources that select clusters by labels or properties evaluate their selectors again. */
  describe(description: ClusterDescription): void;
  /**
   * Calls `listener` after each {@link describe} that changed labels or properties.
   *
   * @returns a function that removes the listener.
   */
  onDescribed(listener: () => void): () => void;
  /**
   * Replaces the credentials in place. Caches, watch positions and the engagement are kept.
   *
   * @throws {TypeError} if `config` has another endpoint.
   */
  rotate(config: ClusterConfig): Promise<void>;
  /**
   * Sets the fence that all writes of the cluster's clients pass. In a sharded fleet, the manager calls it when the cluster
   * is engaged, and refuses clusters without this method. A cluster that shares the connection of another one implements it
   * with `fencedClient`.
   *
   * @param fenceOf called for each write. `undefined` lets it pass.
   */
  setFence?(fenceOf: () => WriteFence | undefined): void;
  /** Runs the cache. Resolves after the abort, when every connection is closed. Can be called once. */
  run(signal: AbortSignal): Promise<void>;
}
