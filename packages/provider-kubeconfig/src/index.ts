export { createKubeconfigProvider, type KubeconfigProvider } from './kubeconfig-provider.ts';
export type { KubeconfigProviderOptions } from './options.ts';
