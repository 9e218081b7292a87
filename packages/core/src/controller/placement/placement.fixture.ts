import type { ClusterConfig, Logger } from '@mcr/client';
import { ConfigMap, silentLogger } from '@mcr/client';
import type { ControlPlane } from '@mcr/envtest';
import type { Cluster } from '../../fleet/cluster/cluster.ts';
import { createCluster } from '../../fleet/cluster/create-cluster.ts';
import { createManager } from '../../manager/create-manager.ts';
import type { Manager } from '../../manager/manager.ts';
import { InMemoryProvider } from '../../provider/in-memory-provider.ts';
import { controllerManagedBy } from '../builder/builder.ts';
import type { PlacementOptions } from './placement-options.ts';

/** A manager that runs a placement of ConfigMaps of the hub. Its members are engaged by `join`. */
export interface RunningPlacement extends AsyncDisposable {
  readonly manager: Manager;
  readonly provider: InMemoryProvider;
  join(member: Pick<ControlPlane, 'name' | 'config'>): Cluster;
}

/** Starts a manager with a placement of the ConfigMaps with the label `placement=<name>`, without a status. */
export async function runPlacement(
  hub: ClusterConfig,
  name: string,
  {
    logger = silentLogger,
    ...options
  }: Pick<PlacementOptions<ConfigMap>, 'kinds' | 'objects'> &
    Partial<PlacementOptions<ConfigMap>> & { readonly logger?: Logger },
): Promise<RunningPlacement> {
  const provider = new InMemoryProvider();
  const manager = await createManager({
    config: hub,
    provider,
    logger,
    metrics: { bindAddress: '0' },
  });
  await controllerManagedBy(manager)
    .named(name)
    .places(ConfigMap, { clusters: '', status: false, labelSelector: `placement=${name}`, ...options });
  const end = new AbortController();
  const running = manager.start(end.signal);
  return {
    manager,
    provider,
    join: ({ name: member, config }) => {
      const cluster = createCluster(config, { name: member });
      provider.set(member, cluster);
      return cluster;
    },
    [Symbol.asyncDispose]: async () => {
      end.abort();
      await running;
    },
  };
}
