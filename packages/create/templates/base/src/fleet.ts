import type { ManagerOptions } from '@mcr/core';

/** Where the clusters come from. Without a provider, the program works in the cluster that it runs in. */
export const fleet = (): Pick<ManagerOptions, 'provider'> => ({});
