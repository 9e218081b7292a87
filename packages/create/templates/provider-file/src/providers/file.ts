import type { ManagerOptions } from '@mcr/core';
import { createFileProvider } from '@mcr/provider-file';

/** The clusters of the kubeconfig files in a directory. */
export const fleet = (): Pick<ManagerOptions, 'provider'> => ({
  provider: createFileProvider({ kubeconfigDirs: ['/kubeconfigs'] }),
});
