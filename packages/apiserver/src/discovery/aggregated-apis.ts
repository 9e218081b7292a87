import * as z from 'zod';
import { GROUP_PRIORITIES } from '../bootstrap/api-services.ts';
import type { ResourceRegistry } from '../resources/registry.ts';
import type { ClusterStore } from '../storage/cluster-store.ts';
import { parseStored } from '../storage/stored-object.ts';

/** An APIService for a version that this server does not serve itself. */
export interface AggregatedApi {
  readonly group: string;
  readonly version: string;
  readonly groupPriority: number;
  readonly versionPriority: number;
  /** Whether a Service serves it. Nothing answers at the address of a Service. */
  readonly isRemote: boolean;
}

const spec = z.object({
  group: z.string(),
  version: z.string(),
  groupPriorityMinimum: z.number(),
  versionPriority: z.number(),
  service: z.unknown().optional(),
});

/** Returns the APIServices of other servers: the most important first. */
export function aggregatedApis(store: ClusterStore, registry: ResourceRegistry): readonly AggregatedApi[] {
  const served = new Set(registry.all().map(({ group, version }) => `${version}.${group}`));
  return store
    .resource('apiservices.apiregistration.k8s.io')
    .list('')
    .filter(({ name }) => !served.has(name) && name !== 'v1.')
    .flatMap((stored) => {
      const parsed = spec.safeParse(parseStored(stored)['spec']);
      if (!parsed.success) return [];
      const { group, version, groupPriorityMinimum: groupPriority, versionPriority, service } = parsed.data;
      return [{ group, version, groupPriority, versionPriority, isRemote: service !== undefined }];
    })
    .toSorted((a, b) => b.groupPriority - a.groupPriority || b.versionPriority - a.versionPriority);
}

/** Reports whether a path belongs to the API of a Service, which does not answer. */
export function isUnavailable(apis: readonly AggregatedApi[], path: string): boolean {
  const [, root, group, version] = path.split('/');
  return root === 'apis' && apis.some((api) => api.isRemote && api.group === group && api.version === version);
}

/** Returns the document of a group that only APIServices name; `undefined` if none does. */
export function aggregatedGroup(apis: readonly AggregatedApi[], group: string): object | undefined {
  const versions = apis
    .filter((api) => api.group === group)
    .map(({ version }) => ({ groupVersion: `${group}/${version}`, version }));
  if (versions.length === 0) return undefined;
  return { name: group, versions, preferredVersion: versions[0] };
}

/** Returns the entry of a group in aggregated discovery; `undefined` if no Service serves it. */
export function staleGroup(apis: readonly AggregatedApi[], group: string): object | undefined {
  const versions = apis
    .filter((api) => api.isRemote && api.group === group)
    .map(({ version }) => ({ version, freshness: 'Stale' }));
  return versions.length === 0 ? undefined : { metadata: { name: group }, versions };
}

/** Priority of the groups of custom resources. */
const CUSTOM = 1_000;

/**
 * Adds the groups of APIServices to those of the server, in the order of their priorities.
 *
 * @param entryOf returns the entry of a group that is not listed; `undefined` leaves it out.
 */
export function mergeGroups<Entry>(
  listed: readonly (readonly [group: string, entry: Entry])[],
  apis: readonly AggregatedApi[],
  entryOf: (group: string) => Entry | undefined,
): Entry[] {
  const known = new Set(listed.map(([group]) => group));
  const priorities = new Map(apis.toReversed().map(({ group, groupPriority }) => [group, groupPriority]));
  const added = [...priorities].flatMap(([group, priority]) => {
    const entry = known.has(group) ? undefined : entryOf(group);
    return entry === undefined ? [] : [{ priority, entry }];
  });
  const own = listed.map(([group, entry]) => ({ priority: GROUP_PRIORITIES[group] ?? CUSTOM, entry }));
  return [...own, ...added.toReversed()].toSorted((a, b) => b.priority - a.priority).map(({ entry }) => entry);
}
