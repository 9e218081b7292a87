import type { ManagerOptions } from '@mcr/core';
import { createKubeconfigProvider } from '@mcr/provider-kubeconfig';

/** The clusters of the Secrets with a kubeconfig in the namespace `fleet`. */
export const fleet = (): Pick<ManagerOptions, 'provider'> => ({
  provider: createKubeconfigProvider({ namespace: 'fleet' }),
});
