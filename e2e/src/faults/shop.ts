import type { ClusterConfig, KubernetesObject, PlacementOptions } from '@mcr/core';
import {
  ConfigMap,
  controllerManagedBy,
  createCluster,
  createManager,
  defineKind,
  InMemoryProvider,
  desired,
  silentLogger,
} from '@mcr/core';

/** A kind of the hub whose objects are placed in members. */
export interface Shop extends KubernetesObject {
  spec: { colour: string };
  status?: {
    conditions?: { type: string; status: string; reason: string; message: string }[];
    clusters?: { name: string; reason: string; message: string }[];
  };
}
export const Shop = defineKind<Shop>({
  apiVersion: 'shop.example.com/v1',
  kind: 'Shop',
  plural: 'shops',
  scope: 'Namespaced',
});

const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
export const shopDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'shops.shop.example.com' },
  spec: {
    group: 'shop.example.com',
    scope: 'Namespaced',
    names: { kind: 'Shop', plural: 'shops' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: open, status: open } } },
      },
    ],
  },
};

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
      objects: ({ metadata: { name, uid }, spec: { colour } }) => [
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
