import { createFileProvider } from '@mcr/provider-file';

/**
 * The clusters of the kubeconfig files in a directory. In a cluster, mount a Secret that has them: in mcr.config.ts, set
 * `deploy: { secrets: { '/kubeconfigs': 'member-kubeconfigs' } }`.
 */
export const fileProvider = () =>
  createFileProvider({ kubeconfigDirs: [process.env['KUBECONFIG_DIR'] ?? '/kubeconfigs'] });
