import { createCapiProvider } from '@mcr/provider-capi';

/** The clusters that Cluster API has created in the namespace `fleet`. */
export const capiProvider = () => createCapiProvider({ namespace: 'fleet' });
