import { ListSlots, systemClock, parseOptions } from '@mcr/client';
import { clientOptionsOf } from '../fleet/cluster/client-options.ts';
import { assembleCluster } from '../fleet/cluster/create-cluster.ts';
import { BroadcastCoordinator } from '../fleet/coordinator/broadcast-coordinator.ts';
import { ACCESS_PERMISSIONS, Authorizer } from './http/authorizer.ts';
import type { BindAddress } from './http/bind-address.ts';
import { parseBindAddress } from './http/bind-address.ts';
import type { LeaderElectionConfig } from './leader-election/leader-election-options.ts';
import { resolveLeaderElection } from './leader-election/leader-election-options.ts';
import { createLogger } from '../log/create-logger.ts';
import { PrometheusMetrics } from './metrics/prometheus-metrics.ts';
import { LOCAL_CLUSTER } from '../fleet/multicluster/cluster-name.ts';
import { localConfigOf } from './local-config.ts';
import type { Manager } from './manager.ts';
import { MultiClusterManager } from './multi-cluster-manager.ts';
import type { ManagerOptions } from './manager-options.ts';
import { managerOptionsSchema } from './manager-options.ts';
import { electionPermissions } from './leader-election/election-permissions.ts';
import { clusterLoad } from './sharding/cluster-load.ts';
import { reconcileFence } from '../fleet/fence/current-fence.ts';
import { planLeaseName, type ShardGroup } from '../sharding/lease/group.ts';
import { shardingPermissions } from '../sharding/sharding-permissions.ts';
import type { Sharding } from '../sharding/sharding.ts';
import { resolveSharding, shutdownTime } from '../sharding/sharding-options.ts';

/** Default of {@link ManagerOptions.gracefulShutdownTimeout} without sharding, in milliseconds. */
const DEFAULT_SHUTDOWN_TIMEOUT = 30_000;

/**
 * Creates a manager. It opens no connections before {@link Manager.start}. (Upstream: `mcmanager.New`.)
 *
 * @throws {TypeError} if an option is unknown or invalid; the message names it.
 * @throws {KubeconfigError} if `config` is not set and the kubeconfig is invalid, or if there is neither a kubeconfig
 * nor a provider.
 */
export async function createManager(options: ManagerOptions = {}): Promise<Manager> {
  parseOptions('createManager', managerOptionsSchema, options, '{ provider: ... }');
  const { provider, coordinator = new BroadcastCoordinator(), logger = createLogger(), clock = systemClock } = options;
  const config = localConfigOf(options);
  const {
    bindAddress: metricsText = ':8080',
    maxClusterLabels = 100,
    certificate,
    access,
    allowedHosts,
  } = options.metrics ?? {};
  const metricsAddress = addressOf(metricsText);
  const metrics = metricsAddress && (await PrometheusMetrics.create({ clock, maxClusterLabels }));
  const listSlots = new ListSlots({ clock });
  const clientOptions = clientOptionsOf(options);
  const shardingConfig = options.sharding && resolveSharding(options.sharding);
  const leaderElection = options.leaderElection && resolveLeaderElection(options.leaderElection);
  if (shardingConfig && leaderElection) checkLeaseNames(leaderElection, shardingConfig.group);
  let sharding: Sharding | undefined;
  const local =
    config &&
    assembleCluster(config, {
      ...clientOptions,
      name: LOCAL_CLUSTER,
      logger: logger.child({ cluster: LOCAL_CLUSTER }),
      clock,
      listSlots,
      ...(options.cache && { cache: options.cache }),
      ...(options.tracer && { tracer: options.tracer }),
      ...(metrics && { metrics: metrics.client }),
    });
  if (shardingConfig && local) {
    local.cluster.setFence?.(reconcileFence);
    const { loadOf } = options.sharding ?? {};
    const { createSharding } = await import('../sharding/create-sharding.ts');
    sharding = createSharding({
      ...shardingConfig,
      client: local.apiClient,
      cache: local.cluster.cache,
      clock,
      logger,
      loadOf: loadOf && clusterLoad({ loadOf, fleet: () => manager.fleet, logger }),
    });
  }
  const healthAddress = options.health && addressOf(options.health.bindAddress);
  const manager = new MultiClusterManager({
    ...(local && { localCluster: local.cluster, leaseWriter: local.apiClient }),
    listSlots,
    ...(provider && { provider }),
    coordinator,
    logger,
    clock,
    clientOptions,
    controllerOptions: options.controller ?? {},
    gracefulShutdownTimeout:
      options.gracefulShutdownTimeout ?? (shardingConfig ? shutdownTime(shardingConfig) : DEFAULT_SHUTDOWN_TIMEOUT),
    ...(sharding && { sharding }),
    ...(leaderElection && { leaderElection }),
    ...(metricsAddress && { metricsAddress }),
    ...(certificate && { metricsCertificate: certificate }),
    ...(access === 'authorized' && local && { metricsAuthorizer: new Authorizer({ client: local.apiClient, clock }) }),
    ...(allowedHosts && { metricsHosts: allowedHosts }),
    ...(metrics && { metrics }),
    ...(healthAddress && { healthAddress }),
    ...(options.tracer && { tracer: options.tracer }),
  });
  const { permissions } = manager;
  if (leaderElection) permissions.require('leader election', electionPermissions(leaderElection));
  if (shardingConfig) permissions.require('sharding', shardingPermissions(shardingConfig.group));
  if (access === 'authorized') permissions.require('option metrics.access "authorized"', ACCESS_PERMISSIONS);
  return manager;
}

/** @throws {TypeError} if the Lease of the leader is the Lease of the plan. */
function checkLeaseNames({ id, namespace }: LeaderElectionConfig, group: ShardGroup): void {
  if (id !== planLeaseName(group) || namespace !== group.namespace) return;
  throw new TypeError(
    `createManager: option "leaderElection.id": expected another name than that of the plan of sharding, found ${JSON.stringify(id)}: ` +
      'choose another leaderElection.id or sharding.name',
  );
}

/** Returns `undefined` for `'0'`. */
function addressOf(text: string): BindAddress | undefined {
  const address = parseBindAddress(text);
  return address === 'nowhere' || address === null ? undefined : address;
}
