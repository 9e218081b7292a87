import type { Cluster, ClusterConfig, ClusterSource, DeepReadonly } from '@mcr/core';
import type { ClusterProfile } from './cluster-profile.ts';
import type { ProfileStatus } from './profile-status.ts';

/** How to reach the cluster of a profile. */
export type Access =
  | {
      readonly outcome: 'found';
      /** The text that the config is made from, to detect changes. */
      readonly source: string;
      /** Returns the config. @throws why it cannot be used. */
      readonly config: () => ClusterConfig;
    }
  | { readonly outcome: 'missing'; readonly reason: string };

/** A profile whose access is determined. */
export interface Candidate {
  readonly profile: DeepReadonly<ClusterProfile>;
  readonly status: ProfileStatus;
  /** The cluster that holds the profile. */
  readonly hub: Cluster;
  readonly signal: AbortSignal;
}

/** Determines how to reach the clusters of profiles. (Upstream: `kubeconfigstrategy.Interface`.) */
export interface AccessStrategy {
  /** Returns the sources in the hub that request reconciles of profiles, besides the profiles themselves. */
  sources(): readonly ClusterSource[];
  /** Returns the access of a profile. @throws why it cannot be determined. */
  find(candidate: Candidate): Promise<Access>;
}
