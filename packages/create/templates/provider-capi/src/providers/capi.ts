import type { ManagerOptions } from '@mcr/core';
import { createCapiProvider } from '@mcr/provider-capi';

/** The clusters that Cluster API has created in the namespace `fleet`. */
export const fleet = (): Pick<ManagerOptions, 'provider'> => ({
  provider: createCapiProvider({ namespace: 'fleet' }),
});
