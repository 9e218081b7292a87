import type { ClusterPhase } from '@mcr/core';
import { matchesLabels, parseLabelSelector } from '@mcr/core/provider';
import { isNamed } from './cluster-rows.ts';
import type { ServedCluster } from './manager/replica-status.ts';

/** Phases of clusters. A newer manager may have others, which cannot be selected. */
export const PHASES = Object.keys({
  Discovered: true,
  Connecting: true,
  Syncing: true,
  Engaged: true,
  Degraded: true,
  Unreachable: true,
  Disengaged: true,
} satisfies Record<ClusterPhase, true>);

/** Which clusters are printed. */
export interface Selection {
  /** Names. Default: all. */
  readonly names?: readonly string[];
  /** Label selector. Default: all. */
  readonly selector?: string | undefined;
  /** Default: all. */
  readonly phase?: readonly string[] | undefined;
}

/** Returns whether a cluster is selected by its name, its labels and its phase. */
export function selectionOf({ names = [], selector = '', phase }: Selection): (cluster: ServedCluster) => boolean {
  const labels = parseLabelSelector(selector);
  return (cluster) =>
    matchesLabels(labels, cluster.labels) &&
    (phase === undefined || phase.includes(cluster.phase)) &&
    (names.length === 0 || names.some((name) => isNamed(cluster, name)));
}

/** Columns of the table that clusters can be sorted by. */
const SORT_KEYS = {
  name: ({ name }) => name,
  phase: ({ phase }) => phase,
  since: ({ since }) => since,
  owner: ({ ownership }) => ownership?.owner ?? '',
  objects: ({ objects }) => objects,
  cached: ({ cachedBytes = 0 }) => cachedBytes,
  reconciles: ({ reconciles }) => reconciles,
  errors: ({ errors }) => errors,
} satisfies Record<string, (cluster: ServedCluster) => string | number>;

export type SortKey = keyof typeof SORT_KEYS;
export const SORTED_BY = Object.keys(SORT_KEYS) as SortKey[];

/** Returns clusters in ascending order, as kubectl sorts. Clusters that are equal stay in the order of their names. */
export function sorted(clusters: readonly ServedCluster[], by: SortKey): readonly ServedCluster[] {
  const keyOf: (cluster: ServedCluster) => string | number = SORT_KEYS[by];
  return clusters.toSorted((a, b) => {
    const [first, second] = [keyOf(a), keyOf(b)];
    return first === second ? 0 : first < second ? -1 : 1;
  });
}
