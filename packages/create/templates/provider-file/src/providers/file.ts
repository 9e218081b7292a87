import { createFileProvider } from '@mcr/provider-file';

/** The clusters of the kubeconfig files in a directory. */
export const fileProvider = () =>
  createFileProvider({ kubeconfigDirs: [process.env['KUBECONFIG_DIR'] ?? '/kubeconfigs'] });
