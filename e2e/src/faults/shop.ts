import type { ClusterConfig, PlacementOptions } from '@mcr/core';
import {
  ConfigMap,
  controllerManagedBy,
  createCluster,
  createManager,
  InMemoryProvider,
  desired,
  silentLogger,
} from '@mcr/core';
import { Shop, shopDefinition } from '../../../packages/core/src/controller/placement/shop.fixture.ts';

export { Shop, shopDefinition };

/** A manager that places one ConfigMap for each Shop in each member. */
export interface ShopRun extends AsyncDisposable {
  readonly provider: InMemoryProvider;
  join(name: string, config: ClusterConfig): void;
  isEngaged(name: string): boolean;
}

/** Starts the controller `shops`. Members are engaged by `join`. */
export async function runShops(hub: ClusterConfig, options: Partial<PlacementOptions<Shop>> = {}): Promise<ShopRun> {
  const provider = new InMemoryProvider();
  const manager = await createManager({
    config: hub,
    provider,
    logger: silentLogger,
    metrics: { bindAddress: '0' },
  });
  await controllerManagedBy(manager)
    .named('shops')
    .withOptions({ maxConcurrentReconciles: 4 })
    .places(Shop, {
      clusters: () => true,
      kinds: [ConfigMap],
      statusInterval: 100,
      objects: ({ metadata: { name, uid }, spec: { colour = '' } = {} }) => [
        desired(ConfigMap, { metadata: { namespace: 'default', name }, data: { colour, uid } }),
      ],
      ...options,
    });
  const end = new AbortController();
  const running = manager.start(end.signal);
  return {
    provider,
    join: (name, config) => provider.set(name, createCluster(config, { name })),
    isEngaged: (name) => manager.fleet.get(name)?.phase === 'Engaged',
    [Symbol.asyncDispose]: async () => {
      end.abort();
      await running;
    },
  };
}
