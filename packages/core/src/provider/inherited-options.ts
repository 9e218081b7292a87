import type { Manager } from '../manager/manager.ts';
import type { ClusterName } from '../fleet/multicluster/cluster-name.ts';
import type { ClusterOptions } from '../fleet/cluster/cluster-options.ts';

/**
 * Returns the options that a cluster inherits from its manager: client options, clock, logger, tracer, metrics and list
 * slots. Providers pass them to `createCluster`, before their own options.
 *
 * @param manager if `undefined`, the result is empty, and the defaults of `createCluster` apply.
 */
export function inheritedOptions(manager: Manager | undefined, name: ClusterName): ClusterOptions {
  if (!manager) return {};
  const { clientOptions, clock, logger, tracer, listSlots, metrics } = manager;
  return {
    ...clientOptions,
    clock,
    logger: logger.child({ cluster: name }),
    listSlots,
    ...(tracer && { tracer }),
    ...(metrics && { metrics: metrics.client }),
  };
}
