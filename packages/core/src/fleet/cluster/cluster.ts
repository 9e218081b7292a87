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
import type { CircuitBreaker } from '../isolation/circuit-breaker.ts';
import type { ClusterName } from '../multicluster/cluster-name.ts';

/** What is known of a cluster besides how to reach it. */
export interface ClusterInfo {
  /** The kind of provider that found it, for example `kubeconfig`. */
  readonly provider?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly properties: Readonly<Record<string, string>>;
  /**
   * The object in the hub that stands for the cluster, such as its kubeconfig Secret: no more than its metadata. What
   * becomes of the cluster is recorded as events about it.
   */
  readonly origin?: DeepReadonly<KubernetesObject>;
  /** The API server's version, for example `v1.33.1`. Known once the cluster is ready. */
  readonly version?: string;
}

/** What may come to be known otherwise while a cluster is engaged. */
export type ClusterDescription = Pick<ClusterInfo, 'labels' | 'properties' | 'origin'>;

/** One cluster: a client, a cache, and what belongs to them. (Upstream: controller-runtime's `cluster.Cluster`.) */
export interface Cluster {
  readonly name?: ClusterName;
  readonly config: ClusterConfig;
  readonly info: ClusterInfo;
  /** Reads from the cache, writes to the API server. */
  readonly client: Client;
  /** Reads from the API server. */
  readonly apiReader: Reader;
  readonly cache: Cache;
  readonly fieldIndexer: FieldIndexer;
  /** Where the API server serves each kind. */
  readonly restMapper: RestMapper;
  /**
   * Observes the calls that reconciles send to this cluster, so that a cluster that does not answer holds no workers.
   * Default: the cluster is assumed to answer always.
   */
  readonly breaker?: CircuitBreaker;
  /**
   * Records events about objects of this cluster, in the name of `component`: a qualified name, for example
   * `cart-controller`. What waits to be written is written when the cluster stops.
   */
  eventRecorder(component: string): EventRecorder;
  /**
   * Resolves when the API server has answered. Failures are tried again until `signal` aborts.
   *
   * @param options.onFailure told of each try that failed.
   * @throws the last failure, when `signal` aborts.
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
   * @throws the signal's reason, when `signal` aborts first.
   */
  recovered(signal: AbortSignal): Promise<Recovered>;
  /** Takes note of what else is known. Whoever chose the cluster by its labels or properties, chooses again. */
  describe(description: ClusterDescription): void;
  /**
   * Calls `listener` after each {@link describe} that changed labels or properties.
   *
   * @returns takes the listener away.
   */
  onDescribed(listener: () => void): () => void;
  /**
   * Uses new credentials in place: caches, the positions of watches and the engagement survive.
   *
   * @throws {TypeError} when `config` names another endpoint.
   */
  rotate(config: ClusterConfig): Promise<void>;
  /** Runs the cache. Resolves after the abort, with every connection closed; runs once. */
  run(signal: AbortSignal): Promise<void>;
}
