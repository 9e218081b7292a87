import { isDeepStrictEqual } from 'node:util';
import type { Cluster } from '../fleet/cluster/cluster.ts';
import type { ClusterName } from '../fleet/multicluster/cluster-name.ts';
import { LOCAL_CLUSTER } from '../fleet/multicluster/cluster-name.ts';
import type { ClusterPhase, ClusterStatus, Fleet } from '../fleet/status/fleet.ts';
import type { ClusterEvent } from './event/cluster-event.ts';
import type { ClusterFollower } from './source/source.ts';

export interface ClusterFeedOptions {
  readonly fleet: Pick<Fleet, 'list' | 'changes'>;
  /** Returns the clusters that are engaged with the controller. */
  readonly engaged: () => Iterable<readonly [ClusterName, Cluster]>;
}

type Listener = (event: ClusterEvent) => void;

/** State of a cluster as the last event of a listener stated it. */
interface Known {
  readonly phase: ClusterPhase;
  readonly labels: Readonly<Record<string, string>>;
}

/** The events of the clusters of one controller, except for the local cluster. */
export class ClusterFeed implements ClusterFollower {
  readonly #options: ClusterFeedOptions;
  readonly #listeners = new Set<Listener>();

  constructor(options: ClusterFeedOptions) {
    this.#options = options;
  }

  engaged(clusterName: ClusterName, cluster: Cluster): void {
    this.#emit(clusterName, () => ({
      type: 'engaged',
      clusterName,
      cluster,
      labels: cluster.info.labels,
      initial: false,
    }));
  }

  disengaged(clusterName: ClusterName, cluster: Cluster, reason: string): void {
    this.#emit(clusterName, () => ({
      type: 'disengaged',
      clusterName,
      labels: cluster.info.labels,
      reason,
      initial: false,
    }));
  }

  follow(listener: Listener, signal: AbortSignal): void {
    if (signal.aborted) return;
    const { fleet } = this.#options;
    // Changes that are made from now on are read later. The feed keeps one for each cluster.
    const changes = fleet.changes(signal);
    const known = new Map<ClusterName, Known>();
    for (const event of this.current(known)) listener(event);
    this.#listeners.add(listener);
    signal.addEventListener('abort', () => this.#listeners.delete(listener), { once: true });
    void this.#read(changes, known, listener);
  }

  /** Yields an event for each cluster that exists. Changes to `known` record what they state. */
  *current(known = new Map<ClusterName, Known>()): Generator<ClusterEvent, void, undefined> {
    const { fleet, engaged } = this.#options;
    const isEngaged = new Set<ClusterName>();
    for (const [clusterName, cluster] of engaged()) {
      if (clusterName === LOCAL_CLUSTER) continue;
      isEngaged.add(clusterName);
      yield { type: 'engaged', clusterName, cluster, labels: cluster.info.labels, initial: true };
    }
    for (const status of fleet.list()) {
      const { name: clusterName, phase, reason, labels = {} } = status;
      if (clusterName === LOCAL_CLUSTER || phase === 'Disengaged') continue;
      known.set(clusterName, { phase, labels });
      if (!isEngaged.has(clusterName)) yield { type: 'phase', clusterName, labels, phase, reason, initial: true };
    }
  }

  async #read(
    changes: AsyncIterable<ClusterStatus>,
    known: Map<ClusterName, Known>,
    listener: Listener,
  ): Promise<void> {
    for await (const { name: clusterName, phase, reason, labels = {} } of changes) {
      if (clusterName === LOCAL_CLUSTER) continue;
      const before = known.get(clusterName);
      // Otherwise, the names of all clusters that ever existed would be kept.
      if (phase === 'Disengaged') known.delete(clusterName);
      else known.set(clusterName, { phase, labels });
      if (before && !isDeepStrictEqual(labels, before.labels)) {
        listener({ type: 'labels', clusterName, labels, oldLabels: before.labels, initial: false });
      }
      if (phase === before?.phase) continue;
      const oldPhase = before && { oldPhase: before.phase };
      listener({ type: 'phase', clusterName, labels, phase, ...oldPhase, reason, initial: false });
    }
  }

  /** @param eventOf called only if there is a listener, because most controllers have none. */
  #emit(clusterName: ClusterName, eventOf: () => ClusterEvent): void {
    if (clusterName === LOCAL_CLUSTER || this.#listeners.size === 0) return;
    const event = eventOf();
    for (const listener of [...this.#listeners]) listener(event);
  }
}
