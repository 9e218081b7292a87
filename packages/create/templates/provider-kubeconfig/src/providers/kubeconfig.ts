import { createKubeconfigProvider } from '@mcr/provider-kubeconfig';

/** The clusters of the Secrets with a kubeconfig in the namespace `fleet`. */
export const kubeconfigProvider = () => createKubeconfigProvider({ namespace: 'fleet' });
