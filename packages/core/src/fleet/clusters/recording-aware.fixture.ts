import type { Cluster } from '../cluster/cluster.ts';
import type { Aware, ClusterObservation } from '../multicluster/aware.ts';

/** An aware component that records its engagements. */
export class RecordingAware implements Aware {
  readonly engaged: { name: string; cluster: Cluster; signal: AbortSignal }[] = [];
  readonly reports: (ClusterObservation & { name: string })[] = [];

  async engage(name: string, cluster: Cluster, signal: AbortSignal): Promise<void> {
    this.engaged.push({ name, cluster, signal });
  }

  report(name: string, observation: ClusterObservation): void {
    this.reports.push({ name, ...observation });
  }

  /** The names of the current engagements. */
  get names(): string[] {
    return this.engaged.filter(({ signal }) => !signal.aborted).map(({ name }) => name);
  }
}
