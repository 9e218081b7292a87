import type { ManagerOptions } from '@mcr/core';
import { createInventoryProvider } from '@mcr/provider-inventory';

/** The clusters of the ClusterProfiles in the namespace `fleet`. */
export const fleet = (): Pick<ManagerOptions, 'provider'> => ({
  provider: createInventoryProvider({ namespace: 'fleet', secret: { consumerName: 'my-operator' } }),
});
