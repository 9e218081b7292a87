import type { ManagerOptions } from '@mcr/core';

/** The program works in the cluster that it runs in. */
export const fleet = (): Pick<ManagerOptions, 'provider'> => ({});
