import { labelSelectorSchema, matchesLabels, parseLabelSelector } from '@mcr/client';
import * as z from 'zod';
import type { Cluster } from '../../fleet/cluster/cluster.ts';
import type { Manager } from '../../manager/manager.ts';
import type { ClusterName } from '../../fleet/multicluster/cluster-name.ts';
import { LOCAL_CLUSTER } from '../../fleet/multicluster/cluster-name.ts';
import { isClusterNotFound } from '../../fleet/multicluster/cluster-not-found-error.ts';
import type { Permission, SourcePermission } from '../../permissions/permission.ts';
import type { Provider } from '../../manager/provider.ts';
import type { ClusterFilter } from '../source/source.ts';

/**
 * Selects clusters, for example those of a watch. `filter`, `clusterSelector` and `from` do not apply to the local cluster.
 * (Upstream: `builder.EngageOptions`.)
 */
export interface EngageOptions {
  /** Whether to select the local cluster. Default: true if the manager has no provider. */
  readonly local?: boolean;
  /** Whether to select clusters of the provider. Default: true if the manager has one. */
  readonly provider?: boolean;
  /** Selects clusters of the provider by a function. Default: all. */
  readonly filter?: (name: ClusterName, cluster: Cluster) => boolean;
  /**
   * Selects clusters of the provider by their labels (`cluster.info.labels`), for example `env in (prod, stage)`. If
   * the labels of a cluster change, this and {@link filter} are evaluated again. Default: all.
   */
  readonly clusterSelector?: string;
  /** Selects the clusters of one of the providers that the manager's provider combines. Default: all. */
  readonly from?: Pick<Provider, 'get'>;
}

const method = z.custom((value) => typeof value === 'function', 'expected a function');

/** Checks {@link EngageOptions}. */
export const engageOptionsSchema = z.strictObject({
  local: z.boolean().exactOptional(),
  provider: z.boolean().exactOptional(),
  filter: method.exactOptional(),
  clusterSelector: labelSelectorSchema.exactOptional(),
  from: z.looseObject({ get: method }).exactOptional(),
} satisfies Record<keyof EngageOptions, z.ZodType>);

/** Returns whether the options select the local cluster, and clusters of the provider. */
export function selectedOrigins(
  { local, provider }: EngageOptions,
  manager: Pick<Manager, 'provider'>,
): { readonly local: boolean; readonly provider: boolean } {
  const hasProvider = manager.provider !== undefined;
  return { local: local ?? !hasProvider, provider: provider ?? hasProvider };
}

/** Returns the permissions for each of the selected origins. */
export function selectedPermissions(
  options: EngageOptions,
  manager: Pick<Manager, 'provider'>,
  permissions: readonly SourcePermission[],
): Permission[] {
  const { local, provider } = selectedOrigins(options, manager);
  return permissions.flatMap((permission) => [
    ...(local ? [{ ...permission, in: 'local' } as const] : []),
    ...(provider ? [{ ...permission, in: 'members' } as const] : []),
  ]);
}

/** Returns a filter that accepts the selected clusters. */
export function clusterFilterOf(options: EngageOptions, manager: Pick<Manager, 'provider'>): ClusterFilter {
  const { local, provider } = selectedOrigins(options, manager);
  const { filter, clusterSelector, from } = options;
  const selector = parseLabelSelector(clusterSelector ?? '');
  return (name, cluster) => {
    if (name === LOCAL_CLUSTER) return local;
    if (!provider || !matchesLabels(selector, cluster.info.labels) || filter?.(name, cluster) === false) return false;
    return from ? isOf(from, name, cluster) : true;
  };
}

/** Compares instances, because a combined provider uses its own names, which may also be names of other clusters. */
async function isOf(provider: Pick<Provider, 'get'>, name: ClusterName, cluster: Cluster): Promise<boolean> {
  try {
    return (await provider.get(cluster.name ?? name)) === cluster;
  } catch (error) {
    if (isClusterNotFound(error)) return false;
    throw error;
  }
}
