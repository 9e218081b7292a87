import { matchesLabels, parseLabelSelector, shortened } from '@mcr/client';
import type { EngageOptions } from '../controller/builder/engage-options.ts';
import { clusterFilterOf, selectedOrigins } from '../controller/builder/engage-options.ts';
import { decideInTime } from '../manager/decide-in-time.ts';
import type { Manager } from '../manager/manager.ts';
import type { Cluster } from '../fleet/cluster/cluster.ts';
import type { ClusterName } from '../fleet/multicluster/cluster-name.ts';
import { LOCAL_CLUSTER } from '../fleet/multicluster/cluster-name.ts';
import { findClusterNotFound } from '../fleet/multicluster/cluster-not-found-error.ts';
import { isNotOwner } from '../fleet/multicluster/not-owner-error.ts';
import type { CoverageRecorder } from './fleet-coverage.ts';

export interface SelectedCluster {
  readonly clusterName: ClusterName;
  readonly cluster: Cluster;
}

/**
 * Returns the engaged clusters that `selection` selects, sorted by name, and records the clusters that are not engaged.
 * These are left out only if their labels are known and do not match: a filter needs an engaged cluster.
 *
 * @throws the error of a filter, or of a cluster that is neither missing nor owned by another replica, or the reason of `signal`.
 */
export async function selectClusters(
  manager: Manager,
  selection: EngageOptions,
  coverage: CoverageRecorder,
  signal: AbortSignal | undefined,
): Promise<SelectedCluster[]> {
  const isSelected = clusterFilterOf(selection, manager);
  const selected: SelectedCluster[] = [];
  for (const { clusterName, reason } of candidates(manager, selection)) {
    const cluster = await engagedCluster(manager, clusterName, reason, coverage);
    if (!cluster) continue;
    const decision = isSelected(clusterName, cluster);
    if (await decideInTime(decision, { clock: manager.clock, signal })) selected.push({ clusterName, cluster });
  }
  return selected;
}

/** Returns the clusters that may be selected, with the reasons for their phases. */
function candidates(
  manager: Manager,
  selection: EngageOptions,
): { readonly clusterName: ClusterName; readonly reason: string }[] {
  const { local, provider } = selectedOrigins(selection, manager);
  const found = local ? [{ clusterName: LOCAL_CLUSTER, reason: 'the manager has no local cluster' }] : [];
  if (!provider) return found;
  const selector = parseLabelSelector(selection.clusterSelector ?? '');
  for (const { name: clusterName, phase, reason, labels } of manager.fleet.list()) {
    if (clusterName === LOCAL_CLUSTER || phase === 'Disengaged') continue;
    if (!labels || matchesLabels(selector, labels)) found.push({ clusterName, reason });
  }
  return found;
}

async function engagedCluster(
  manager: Manager,
  clusterName: ClusterName,
  reason: string,
  coverage: CoverageRecorder,
): Promise<Cluster | undefined> {
  try {
    return await manager.getCluster(clusterName);
  } catch (error) {
    if (isNotOwner(error)) {
      coverage.notOwned(clusterName, error.owner);
      return undefined;
    }
    const notFound = findClusterNotFound(error);
    if (!notFound) throw error;
    if (notFound.declined === undefined) coverage.missing(clusterName, shortened(reason));
    else coverage.notOwned(clusterName, undefined);
    return undefined;
  }
}
