import { createNamespaceProvider } from '@mcr/provider-namespace';

/** The namespaces with the label `tenant=true`, each as a cluster. */
export const namespaceProvider = () => createNamespaceProvider({ labelSelector: 'tenant=true' });
