import type { ClusterConfig } from '@mcr/client';
import { findKubeconfig, loadKubeconfig } from '@mcr/client';
import type { ManagerOptions } from './manager-options.ts';

/**
 * Returns the configuration of the local cluster, or `undefined` if the manager runs without one, see decision 10.
 *
 * @throws {KubeconfigError} if a kubeconfig is invalid, or if there is neither a kubeconfig nor a provider.
 * @throws {TypeError} if an option requires a local cluster and there is none; the message names the option.
 */
export function localConfigOf(options: ManagerOptions): ClusterConfig | undefined {
  const { config } = options;
  if (config !== 'none') {
    const found = config ?? findKubeconfig();
    if (found) return found;
    if (!options.provider) return loadKubeconfig();
  }
  const option = optionForLocalCluster(options);
  if (option === undefined) return undefined;
  const why = config === 'none' ? 'option "config" is "none"' : 'no kubeconfig was found';
  throw new TypeError(
    `createManager: ${option} needs a local cluster, and ${why}: set $KUBECONFIG or "config" to the cluster to use`,
  );
}

/** Returns an option that requires a local cluster, if one is set. */
function optionForLocalCluster({
  provider,
  leaderElection,
  sharding,
  metrics,
  cache,
}: ManagerOptions): string | undefined {
  if (!provider) return 'a manager without the option "provider"';
  if (leaderElection) return 'option "leaderElection"';
  if (sharding) return 'option "sharding"';
  if (metrics?.access === 'authorized') return 'option "metrics.access": "authorized"';
  return cache && 'option "cache"';
}
