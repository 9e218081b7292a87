import type { ClusterName } from '../fleet/multicluster/cluster-name.ts';

/** Which clusters of the fleet a read covers. Each list is sorted by the names of the clusters. */
export interface FleetCoverage {
  /** Clusters whose objects were read, also from a stale cache. */
  readonly read: readonly ClusterName[];
  /** Clusters among them whose cache has received nothing for a while. */
  readonly stale: readonly StaleCluster[];
  /** Selected clusters that were not read: not engaged, not synced in time, or refused by the API server. */
  readonly missing: readonly MissingCluster[];
  /** Clusters that another replica of a sharded fleet serves. */
  readonly notOwned: readonly NotOwnedCluster[];
}

/** A cluster whose cache may be behind its API server. */
export interface StaleCluster {
  readonly clusterName: ClusterName;
  /** Time since the last data from the API server, in milliseconds. */
  readonly staleFor: number;
}

/** A cluster that could not be read. */
export interface MissingCluster {
  readonly clusterName: ClusterName;
  /** One sentence. Contains no credentials. */
  readonly reason: string;
}

/** A cluster that another replica serves. */
export interface NotOwnedCluster {
  readonly clusterName: ClusterName;
  /** The replica, if it is known. */
  readonly owner?: string;
}

type Entry =
  | { readonly state: 'read'; readonly staleFor: number }
  | { readonly state: 'missing'; readonly reason: string }
  | { readonly state: 'notOwned'; readonly owner: string | undefined };

/** Collects a {@link FleetCoverage}. A later entry of a cluster replaces an earlier one. */
export class CoverageRecorder {
  readonly #entries = new Map<ClusterName, Entry>();

  read(clusterName: ClusterName, staleFor: number): void {
    this.#entries.set(clusterName, { state: 'read', staleFor });
  }

  missing(clusterName: ClusterName, reason: string): void {
    this.#entries.set(clusterName, { state: 'missing', reason });
  }

  notOwned(clusterName: ClusterName, owner: string | undefined): void {
    this.#entries.set(clusterName, { state: 'notOwned', owner });
  }

  /** Returns a copy. */
  get coverage(): FleetCoverage {
    const read: ClusterName[] = [];
    const stale: StaleCluster[] = [];
    const missing: MissingCluster[] = [];
    const notOwned: NotOwnedCluster[] = [];
    for (const [clusterName, entry] of [...this.#entries].sort(([a], [b]) => (a < b ? -1 : 1))) {
      if (entry.state === 'missing') {
        missing.push({ clusterName, reason: entry.reason });
      } else if (entry.state === 'notOwned') {
        notOwned.push({ clusterName, ...(entry.owner !== undefined && { owner: entry.owner }) });
      } else {
        read.push(clusterName);
        if (entry.staleFor > 0) stale.push({ clusterName, staleFor: entry.staleFor });
      }
    }
    return { read, stale, missing, notOwned };
  }
}
