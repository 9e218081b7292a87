import type { Cluster } from '../fleet/cluster/cluster.ts';
import type { ClusterName } from '../fleet/multicluster/cluster-name.ts';
import { ClusterNotFoundError } from '../fleet/multicluster/cluster-not-found-error.ts';
import type { Provider } from '../manager/provider.ts';

/** Provider of a fleet without clusters. (Upstream: `providers/nop`.) */
export class NopProvider implements Provider {
  async get(name: ClusterName): Promise<Cluster> {
    throw new ClusterNotFoundError(name, { hint: 'the fleet of a NopProvider has no clusters' });
  }

  clusterNames(): ClusterName[] {
    return [];
  }

  /** Has no effect, because there are no clusters. */
  async indexField(): Promise<void> {}
}

/** Creates a provider for a fleet without clusters. */
export function createNopProvider(): NopProvider {
  return new NopProvider();
}
