import type { Clock, Logger } from '@mcr/client';
import type { Cluster } from '../cluster/cluster.ts';
import type { FleetRecorder } from '../fleet/fleet.ts';
import type { ClusterName } from '../multicluster/cluster-name.ts';
import type { ClusterSource, StartedSource } from '../source/source.ts';
import type { RequestQueue } from '../workqueue/workqueue.ts';
import { ClusterWatch } from './cluster-watch.ts';
import type { WatchState } from './watch-state.ts';

export interface EngagementOptions<R> {
  readonly controller: string;
  readonly clusterName: ClusterName;
  readonly cluster: Cluster;
  readonly queue: RequestQueue<R>;
  readonly recorder: FleetRecorder;
  readonly clock: Clock;
  readonly log: Logger;
  readonly cacheSyncTimeout: number;
}

/** A controller's work with one instance of a cluster: its sources there, each of which fails and recovers alone. */
export class Engagement<R> {
  readonly #options: EngagementOptions<R>;
  readonly #watches: ClusterWatch<R>[] = [];

  constructor(options: EngagementOptions<R>) {
    this.#options = options;
  }

  get cluster(): Cluster {
    return this.#options.cluster;
  }

  /** Starts a source; neither waits for it nor throws. */
  start(source: ClusterSource<R>): void {
    const watch = new ClusterWatch({
      ...this.#options,
      source,
      log: this.#options.log.child({ source: source.name }),
      onState: (state, started) => this.#observe(source, state, started),
    });
    this.#watches.push(watch);
    watch.start();
  }

  /** Stops the sources: no request of theirs follows. */
  end(): void {
    for (const watch of this.#watches.splice(0)) watch.stop();
  }

  #observe(source: ClusterSource<R>, state: WatchState, started: StartedSource | undefined): void {
    const { clusterName, controller, recorder, log } = this.#options;
    const observation = { controller, source: source.name };
    switch (state.phase) {
      case 'starting':
        // One that is tried again is shown as failed until it has synced.
        if (state.failures === 0) recorder.source(clusterName, { ...observation, state: 'syncing' });
        break;
      case 'synced': {
        const objects = started?.objects;
        recorder.source(clusterName, { ...observation, state: 'synced', ...(objects && { objects }) });
        break;
      }
      case 'failed': {
        const { error, retryAfter } = state;
        log.warn('A source of the cluster failed, and is tried again', { source: source.name, error, retryAfter });
        recorder.source(clusterName, { ...observation, state: 'failed', error });
        break;
      }
      case 'stopped':
        recorder.source(clusterName, { ...observation, state: 'stopped' });
        break;
    }
  }
}
