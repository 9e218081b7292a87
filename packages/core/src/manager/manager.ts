import type { Clock, FieldIndexer, ListSlots, Logger, Tracer } from '@mcr/client';
import type { ClusterClientOptions } from '../fleet/cluster/client-options.ts';
import type { Cluster } from '../fleet/cluster/cluster.ts';
import type { ControllerDefaults } from '../options/controller-options.ts';
import type { Fleet } from '../fleet/status/fleet.ts';
import type { HealthCheck } from './health/health-check.ts';
import type { HttpHandler, MetricsHandlerOptions } from './http/http-handler.ts';
import type { Metrics } from './metrics/metrics.ts';
import type { Aware } from '../fleet/multicluster/aware.ts';
import type { ClusterName } from '../fleet/multicluster/cluster-name.ts';
import type { SlotOwnership } from '../fleet/multicluster/slot-ownership.ts';
import type { Permissions } from '../permissions/permissions.ts';
import type { ShardingStatus } from '../sharding/sharding.ts';
import type { Provider } from './provider.ts';
import type { Runnable } from './runnable.ts';

/** Runs controllers across a fleet. Created by `createManager`. (Upstream: `mcmanager.Manager`.) */
export interface Manager extends Aware {
  /**
   * Adds a runnable, and engages all current and future clusters with it if it implements `engage`. If its group has
   * started already, the runnable is started immediately.
   *
   * @param options.signal stops the runnable when it aborts, before the manager stops. Default: never.
   */
  add(runnable: Runnable, options?: { readonly signal?: AbortSignal }): Promise<void>;
  /**
   * Runs everything that was added, the provider last. Resolves when all parts have stopped after `signal` aborts. Can be
   * called only once.
   *
   * @throws the error of the first runnable that fails, after the others have been stopped.
   */
  start(signal: AbortSignal): Promise<void>;
  /**
   * Returns an engaged cluster; `''` is the local cluster.
   *
   * @throws {ClusterNotFoundError} if it is not engaged.
   * @throws {NotOwnerError} if another replica of a sharded fleet serves it.
   */
  getCluster(name: ClusterName): Promise<Cluster>;
  /**
   * Returns the cluster set by the surrounding `withCluster` or `reconcilerWithClusterInContext`.
   *
   * @throws {Error} outside of both.
   * @throws {ClusterNotFoundError} if the cluster is not engaged.
   * @throws {NotOwnerError} if another replica of a sharded fleet serves it.
   */
  clusterFromContext(): Promise<Cluster>;
  /** Returns a view of this manager for code that works on the cluster `name`. @throws like {@link getCluster}. */
  getManager(name: ClusterName): Promise<ScopedManager>;
  /** Synchronous form of `getManager('')`. Without a local cluster, reading its `cluster` throws. */
  readonly localManager: ScopedManager;
  /** Whether the manager has a local cluster, see the option `config` of `createManager`. */
  readonly hasLocalCluster: boolean;
  /** How this process serves the slots of its group. Absent without the option `sharding`. */
  readonly slots?: SlotOwnership | undefined;
  /** Returns the state of this replica and of its group. Absent without the option `sharding`. */
  readonly shardingStatus?: (() => ShardingStatus) | undefined;
  /** The provider of the fleet, if any. */
  readonly provider: Provider | undefined;
  /** Adds indexes to the local cluster and to all current and future clusters of the provider. */
  readonly fieldIndexer: FieldIndexer;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Options of the clients of this manager's clusters. A provider's `clusterOptions` override them. */
  readonly clientOptions: ClusterClientOptions;
  /** Defaults of the options of every controller. */
  readonly controllerOptions: ControllerDefaults;
  /** Resolves when this process leads. Without leader election, it resolves when the manager starts. */
  readonly elected: Promise<void>;
  /**
   * Whether this process leads at this instant. Timers do not fire while the event loop is blocked, so call this after
   * a long computation and before a write. Always `true` without leader election.
   */
  isLeader(): boolean;
  /** Adds a check to `/healthz`. A failure means that this process should be restarted. */
  addHealthzCheck(name: string, check: HealthCheck): void;
  /** Adds a check to `/readyz`. A failure means that this process is not ready to serve. */
  addReadyzCheck(name: string, check: HealthCheck): void;
  /** Serves another path on the address of `/metrics`. @throws {TypeError} if the path is in use. */
  addMetricsHandler(path: string, handler: HttpHandler, options?: MetricsHandlerOptions): void;
  /** Metrics of this manager. `undefined` if they are off. */
  readonly metrics: Metrics | undefined;
  /** Creates the spans of reconciles and client calls. */
  readonly tracer: Tracer | undefined;
  /** Limits concurrent lists across the clusters of this process. */
  readonly listSlots: ListSlots;
  /** Status of every discovered cluster. */
  readonly fleet: Fleet;
  /** {@link ManagerOptions.gracefulShutdownTimeout} with its default. */
  readonly gracefulShutdownTimeout: number;
  /** Listening address of `/metrics` and `/fleet`, for example `:8080`. `undefined` if they are not served. */
  readonly metricsAddress: string | undefined;
  /** The permissions that the parts of this program declare. */
  readonly permissions: Permissions;
  /**
   * Reserves the name of a controller.
   *
   * @param options.signal releases the name when it aborts. Default: never.
   * @throws {TypeError} if another controller has this name.
   */
  claimControllerName(name: string, options?: { readonly signal?: AbortSignal }): void;
  /**
   * Claims a provider, coordinator or runnable for this manager until the manager has stopped. The manager claims all
   * parts that it is created with or that are added to it. A provider that consists of other providers claims these.
   *
   * @param what name of the part in errors, for example `provider FileProvider`.
   * @param options.signal ends the claim when it aborts. Default: never.
   * @returns `false` if this manager has claimed it already.
   * @throws {TypeError} if another manager uses it.
   */
  claim(part: object, what: string, options?: { readonly signal?: AbortSignal }): boolean;
}

/** A view of a manager for code that works on one cluster. */
export interface ScopedManager extends Pick<Manager, 'add' | 'logger' | 'clock' | 'controllerOptions'> {
  readonly clusterName: ClusterName;
  readonly cluster: Cluster;
}
