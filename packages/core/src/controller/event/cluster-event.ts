import type { Cluster } from '../../fleet/cluster/cluster.ts';
import type { ClusterName } from '../../fleet/multicluster/cluster-name.ts';
import type { ClusterPhase } from '../../fleet/status/fleet.ts';

/** Fields of every event of a cluster. */
export interface ClusterEventFields {
  readonly clusterName: ClusterName;
  /** Labels of the cluster. Empty if they are not known: see `labels` of the fleet status. */
  readonly labels: Readonly<Record<string, string>>;
  /** Whether the event states what existed when the source started, and not a change. */
  readonly initial: boolean;
}

/** This process serves the cluster from now on. Its caches may not have synced yet. */
export interface ClusterEngagedEvent extends ClusterEventFields {
  readonly type: 'engaged';
  readonly cluster: Cluster;
}

/** This process no longer serves the cluster: it left the fleet, or another replica of a sharded fleet serves it. */
export interface ClusterDisengagedEvent extends ClusterEventFields {
  readonly type: 'disengaged';
  /** One sentence, as in the fleet status. */
  readonly reason: string;
}

/** The labels of the cluster changed. */
export interface ClusterLabelsEvent extends ClusterEventFields {
  readonly type: 'labels';
  readonly oldLabels: Readonly<Record<string, string>>;
}

/** The phase of the cluster in the fleet status changed. */
export interface ClusterPhaseEvent extends ClusterEventFields {
  readonly type: 'phase';
  readonly phase: ClusterPhase;
  /** Absent if the cluster was not known. */
  readonly oldPhase?: ClusterPhase;
  /** One sentence, as in the fleet status. */
  readonly reason: string;
}

/** A change of one cluster of the fleet. */
export type ClusterEvent = ClusterEngagedEvent | ClusterDisengagedEvent | ClusterLabelsEvent | ClusterPhaseEvent;

/** Returns whether a source handles an event of a cluster. */
export type ClusterPredicate = (event: ClusterEvent) => boolean;
