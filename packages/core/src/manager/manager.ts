import type { Clock, FieldIndexer, ListSlots, Logger, Tracer } from '@mcr/client';
import type { ClusterClientOptions } from '../fleet/cluster/client-options.ts';
import type { Cluster } from '../fleet/cluster/cluster.ts';
import type { ControllerDefaults } from '../options/controller-options.ts';
import type { Fleet } from '../fleet/status/fleet.ts';
import type { HealthCheck } from './health/health-endpoint.ts';
import type { HttpHandler } from './http/http-server.ts';
import type { Metrics } from './metrics/metrics.ts';
import type { Aware } from '../fleet/multicluster/aware.ts';
import type { ClusterName } from '../fleet/multicluster/cluster-name.ts';
import type { Provider } from './provider.ts';
import type { Runnable } from './runnable.ts';

/** Runs controllers over a fleet. Made by `createManager`. (Upstream: `mcmanager.Manager`.) */
export interface Manager extends Aware {
  /**
   * Before {@link start}, or while running: then it is started at once and told of every engaged cluster.
   *
   * @param options.signal stops the runnable when it aborts, before the manager stops. Default: never.
   */
  add(runnable: Runnable, options?: { readonly signal?: AbortSignal }): Promise<void>;
  /**
   * Runs everything that was added, the provider last. Resolves after the abort, when all has stopped; can be called
   * once.
   *
   * @throws the error of the first runnable that fails, after the others have been stopped.
   */
  start(signal: AbortSignal): Promise<void>;
  /**
   * A cluster of the fleet; `''` is the local one.
   *
   * @throws {ClusterNotFoundError} when it is not engaged.
   */
  getCluster(name: ClusterName): Promise<Cluster>;
  /**
   * The cluster that the surrounding `withCluster` or `reconcilerWithClusterInContext` set.
   *
   * @throws {Error} outside of both, and {ClusterNotFoundError} as {@link getCluster} does.
   */
  clusterFromContext(): Promise<Cluster>;
  /** A view of this manager whose own cluster is `name`. */
  getManager(name: ClusterName): Promise<ScopedManager>;
  /** The same as `getManager('')`, but synchronous. Without a local cluster, reading its `cluster` throws. */
  readonly localManager: ScopedManager;
  /** Whether there is a local cluster: see the option `config` of `createManager`. */
  readonly hasLocalCluster: boolean;
  readonly provider: Provider | undefined;
  /** Indexes on the local cluster and on those of the provider, present and future. */
  readonly fieldIndexer: FieldIndexer;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Options of every client of this manager's clusters, unless a provider's `clusterOptions` override them. */
  readonly clientOptions: ClusterClientOptions;
  /** What every controller of this manager takes unless it says otherwise. */
  readonly controllerOptions: ControllerDefaults;
  /** Resolves when this process leads: by its lease, or as soon as it runs when there is no leader election. */
  readonly elected: Promise<void>;
  /**
   * Whether this process leads at this very instant. Timers cannot fire while the event loop is blocked: code that has
   * computed for long asks here before it writes. `true` when there is no leader election.
   */
  isLeader(): boolean;
  /** Adds a check to `/healthz`: a failure says that this process should be restarted. */
  addHealthzCheck(name: string, check: HealthCheck): void;
  /** Adds a check to `/readyz`: a failure says that this process cannot serve for now. */
  addReadyzCheck(name: string, check: HealthCheck): void;
  /** Serves a path beside `/metrics`. @throws {TypeError} when it is taken. */
  addMetricsHandler(path: string, handler: HttpHandler): void;
  /** Where controllers count what they do. `undefined`: nothing is counted. */
  readonly metrics: Metrics | undefined;
  /** Makes the spans of reconciles and client calls. */
  readonly tracer: Tracer | undefined;
  /** What the clusters of this process share, so that few of their kinds are listed at once. */
  readonly listSlots: ListSlots;
  /** State, reason and counters of every cluster seen. */
  readonly fleet: Fleet;
  /**
   * Takes the name of a controller.
   *
   * @param options.signal gives the name back when it aborts. Default: never.
   * @throws {TypeError} when a controller of that name is there already.
   */
  claimControllerName(name: string, options?: { readonly signal?: AbortSignal }): void;
  /**
   * Claims a provider, coordinator or runnable for this manager until the manager has stopped. The manager claims what
   * it is created with and what is added to it. Providers that consist of several parts claim the parts.
   *
   * @param what name of the part in errors, for example `provider FileProvider`.
   * @param options.signal ends the claim when it aborts. Default: never.
   * @returns `false` if this manager has claimed it already.
   * @throws {TypeError} if another manager uses it.
   */
  claim(part: object, what: string, options?: { readonly signal?: AbortSignal }): boolean;
}

/** A manager as code for one cluster sees it. */
export interface ScopedManager extends Pick<Manager, 'add' | 'logger' | 'clock' | 'controllerOptions'> {
  readonly clusterName: ClusterName;
  readonly cluster: Cluster;
}
