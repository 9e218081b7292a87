import type { Cluster, ClusterConfig, ClusterSource, DeepReadonly } from '@mcr/core';
import type { ClusterProfile } from './cluster-profile.ts';
import type { ProfileStatus } from './profile-status.ts';

/** How the cluster of a profile is reached. */
export type Access =
  | {
      readonly outcome: 'found';
      /** Stands for all that the config is made of. */
      readonly source: string;
      /** @throws why nobody can connect by it. */
      readonly config: () => ClusterConfig;
    }
  | { readonly outcome: 'missing'; readonly reason: string };

/** A profile that is looked at. */
export interface Candidate {
  readonly profile: DeepReadonly<ClusterProfile>;
  readonly status: ProfileStatus;
  /** The cluster that the profile is in. */
  readonly hub: Cluster;
  readonly signal: AbortSignal;
}

/** A way from a profile to its cluster. (Upstream: `kubeconfigstrategy.Interface`.) */
export interface AccessStrategy {
  /** What of the hub has profiles looked at, besides themselves. */
  sources(): readonly ClusterSource[];
  /** @throws why it cannot be told. */
  find(candidate: Candidate): Promise<Access>;
}
