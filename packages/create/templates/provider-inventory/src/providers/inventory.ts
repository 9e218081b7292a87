import { createInventoryProvider } from '@mcr/provider-inventory';

/** The clusters of the ClusterProfiles in the namespace `fleet`. */
export const inventoryProvider = () =>
  createInventoryProvider({
    namespace: 'fleet',
    secret: { consumerName: 'my-operator' },
  });
