import { foundText } from '@mcr/client';
import { clusterFromContext } from '../fleet/multicluster/cluster-context.ts';
import { LOCAL_CLUSTER } from '../fleet/multicluster/cluster-name.ts';
import { findClusterNotFound } from '../fleet/multicluster/cluster-not-found-error.ts';
import type { Provider } from './provider.ts';
import { checkProvider } from './check-arguments.ts';
import { partText } from './claims.ts';
import type { Manager } from './manager.ts';

/**
 * Adds a fleet to a manager of one cluster. Controllers built with the returned manager serve the clusters of
 * `provider` by default. Controllers built with `host` are not changed. Clusters are engaged with the runnables of both
 * managers. Both share the local cluster, the fleet status and the metrics. Starting one starts both, so call this
 * function before.
 * (Upstream: `mcmanager.WithMultiCluster`.)
 *
 * @throws {TypeError} if `host` is not a manager or has a provider already, or `provider` is not one or is in use.
 */
export async function withMultiCluster(host: Manager, provider: Provider): Promise<Manager> {
  if (typeof (Object(host) as { readonly claim?: unknown }).claim !== 'function') {
    throw new TypeError(
      `withMultiCluster: expected a manager first, found ${foundText(host)}: pass one, as in withMultiCluster(await createManager(), provider)`,
    );
  }
  checkProvider('withMultiCluster', provider);
  if (host.provider) {
    throw new TypeError('withMultiCluster: expected a manager without a provider, found one that has a provider');
  }
  const refused = new AbortController();
  if (!host.claim(provider, partText('provider', provider), refused)) {
    throw new TypeError(`withMultiCluster: the manager has ${partText('provider', provider)} already`);
  }
  const manager: Manager = {
    localManager: host.localManager,
    hasLocalCluster: host.hasLocalCluster,
    provider,
    fieldIndexer: {
      indexField: async (...index) => {
        await Promise.all([host.fieldIndexer.indexField(...index), provider.indexField(...index)]);
      },
    },
    logger: host.logger,
    clock: host.clock,
    clientOptions: host.clientOptions,
    controllerOptions: host.controllerOptions,
    fleet: host.fleet,
    gracefulShutdownTimeout: host.gracefulShutdownTimeout,
    metricsAddress: host.metricsAddress,
    permissions: host.permissions,
    metrics: host.metrics,
    tracer: host.tracer,
    listSlots: host.listSlots,
    elected: host.elected,
    isLeader: () => host.isLeader(),
    add: (...runnable) => host.add(...runnable),
    start: (signal) => host.start(signal),
    engage: (...engagement) => host.engage(...engagement),
    report: (...observation) => host.report?.(...observation),
    get ownership() {
      return host.ownership;
    },
    get slots() {
      return host.slots;
    },
    get shardingStatus() {
      return host.shardingStatus;
    },
    async getCluster(name) {
      if (name === LOCAL_CLUSTER) return host.getCluster(name);
      const cluster = await provider.get(name);
      // The coordinator of the host decides, and the provider may know names that are not engaged.
      await host.getCluster(name).catch((error: unknown) => {
        if (findClusterNotFound(error)?.declined !== undefined) throw error;
      });
      return cluster;
    },
    clusterFromContext: async () => manager.getCluster(clusterFromContext()),
    getManager: async (name) => {
      if (name === LOCAL_CLUSTER) return host.getManager(name);
      const cluster = await manager.getCluster(name);
      const { logger, clock, controllerOptions, add } = host.localManager;
      return { clusterName: name, cluster, logger, clock, controllerOptions, add };
    },
    claimControllerName: (...name) => host.claimControllerName(...name),
    claim: (...part) => host.claim(...part),
    addHealthzCheck: (...check) => host.addHealthzCheck(...check),
    addReadyzCheck: (...check) => host.addReadyzCheck(...check),
    addMetricsHandler: (...handler) => host.addMetricsHandler(...handler),
  };
  try {
    host.permissions.require(partText('provider', provider), () => provider.permissions?.() ?? []);
    await provider.setupWithManager?.(manager);
    await host.add({
      group: 'provider',
      describe: () => partText('provider', provider),
      run: (signal) => provider.run?.(manager, signal) ?? Promise.resolve(),
    });
  } catch (error) {
    refused.abort();
    throw error;
  }
  return manager;
}
