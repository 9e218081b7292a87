import type { Cluster } from '../cluster/cluster.ts';
import type { Aware, ClusterObservation } from '../multicluster/aware.ts';

/** Remembers the engagements, as the manager does. */
export class RecordingAware implements Aware {
  readonly engaged: { name: string; cluster: Cluster; signal: AbortSignal }[] = [];
  readonly reports: (ClusterObservation & { name: string })[] = [];

  async engage(name: string, cluster: Cluster, signal: AbortSignal): Promise<void> {
    this.engaged.push({ name, cluster, signal });
  }

  report(name: string, observation: ClusterObservation): void {
    this.reports.push({ name, ...observation });
  }

  /** The names whose engagement has not ended. */
  get names(): string[] {
    return this.engaged.filter(({ signal }) => !signal.aborted).map(({ name }) => name);
  }
}
