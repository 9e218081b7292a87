import type { Manager } from '../manager/manager.ts';
import type { ClusterName } from '../multicluster/cluster-name.ts';
import type { ClusterOptions } from './create-cluster.ts';

/**
 * What a cluster takes over from the manager that is to engage it: clock, logger, tracer, metrics, and the share of what
 * the fleet may do at once. Providers pass it to `createCluster`, before options of their own.
 *
 * @param manager without one, the defaults of `createCluster` hold.
 */
export function inheritedOptions(manager: Manager | undefined, name: ClusterName): ClusterOptions {
  if (!manager) return {};
  const { clock, logger, tracer, listSlots, metrics } = manager;
  return {
    clock,
    logger: logger.child({ cluster: name }),
    listSlots,
    ...(tracer && { tracer }),
    ...(metrics && { metrics: metrics.client }),
  };
}
