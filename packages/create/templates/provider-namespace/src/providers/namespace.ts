import type { ManagerOptions } from '@mcr/core';
import { createNamespaceProvider } from '@mcr/provider-namespace';

/** The namespaces with the label `tenant=true`, each as a cluster. */
export const fleet = (): Pick<ManagerOptions, 'provider'> => ({
  provider: createNamespaceProvider({ labelSelector: 'tenant=true' }),
});
