import type { Logger } from '@mcr/client';
import { foundText } from '@mcr/client';
import type { ClusterName } from '../../fleet/multicluster/cluster-name.ts';
import type { ClusterStatus, Fleet } from '../../fleet/status/fleet.ts';

/** The load of a cluster without a measured one. */
const DEFAULT_LOAD = 1;

export interface ClusterLoadOptions {
  /** The option `sharding.loadOf`. */
  readonly loadOf: (status: ClusterStatus) => number;
  /** Called later, because the manager that has the fleet is created after its sharding. */
  readonly fleet: () => Pick<Fleet, 'get'>;
  readonly logger: Logger;
}

/** Returns a function that returns the load of a cluster. A wrong result of `loadOf` is logged once, and counts as 1. */
export function clusterLoad({ loadOf, fleet, logger }: ClusterLoadOptions): (name: ClusterName) => number {
  let hasFailed = false;
  const fail = (cluster: ClusterName, problem: string, error?: unknown) => {
    if (!hasFailed) logger.error('sharding.loadOf failed, counting the cluster as 1', { cluster, problem, error });
    hasFailed = true;
    return DEFAULT_LOAD;
  };
  return (name) => {
    const status = fleet().get(name);
    if (!status) return DEFAULT_LOAD;
    try {
      const load: unknown = loadOf(status);
      if (typeof load === 'number' && Number.isFinite(load) && load >= 0) return load;
      const found = typeof load === 'number' ? String(load) : foundText(load);
      return fail(name, `it must return a number of 0 or more, found ${found}`);
    } catch (error) {
      return fail(name, 'it threw', error);
    }
  };
}
