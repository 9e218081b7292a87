import type { Clock, Informer, Kind, KubernetesObject } from '@mcr/client';
import { orAborted, shortened, untilSynced } from '@mcr/client';
import type { ClusterName } from '../fleet/multicluster/cluster-name.ts';
import type { CoverageRecorder } from './fleet-coverage.ts';
import type { SelectedCluster } from './selected-clusters.ts';

export interface SyncedStoresOptions<T extends KubernetesObject> {
  readonly kind: Kind<T>;
  readonly clusters: readonly SelectedCluster[];
  readonly coverage: CoverageRecorder;
  readonly clock: Clock;
  /** Deadline of all clusters together, in milliseconds. */
  readonly syncTimeout: number;
  readonly signal: AbortSignal | undefined;
}

/** The informer of one cluster, which has synced. */
export interface SyncedStore<T extends KubernetesObject> {
  readonly clusterName: ClusterName;
  readonly informer: Informer<T>;
}

/**
 * Yields the informer of each cluster as soon as it has synced, and records those that fail or do not sync in time. A cluster
 * whose server refuses the kind fails at once.
 *
 * @throws the reason of `signal` if it aborts.
 */
export async function* syncedStores<T extends KubernetesObject>(
  options: SyncedStoresOptions<T>,
): AsyncGenerator<SyncedStore<T>, undefined> {
  const { kind, clusters, coverage, clock, syncTimeout, signal } = options;
  const end = new AbortController();
  const limit = signal ? AbortSignal.any([signal, end.signal]) : end.signal;
  const timer = clock.schedule(syncTimeout, () => end.abort(new Error(`not synced within ${syncTimeout} ms`)));
  const synced: SyncedStore<T>[] = [];
  let left = clusters.length;
  let wake: () => void = () => undefined;
  for (const { clusterName, cluster } of clusters) {
    let informer: Informer<T> | undefined;
    const sync = async () => {
      informer = await orAborted(cluster.cache.informer(kind), limit);
      await untilSynced(informer, limit);
      synced.push({ clusterName, informer });
    };
    void sync()
      .catch((error: unknown) => coverage.missing(clusterName, reasonOf(error, informer)))
      .finally(() => {
        left -= 1;
        wake();
      });
  }
  try {
    for (;;) {
      const next = synced.shift();
      if (next) yield next;
      else if (left === 0) return;
      else await new Promise<void>((resolve) => (wake = resolve));
      signal?.throwIfAborted();
    }
  } finally {
    timer.cancel();
    end.abort();
  }
}

function reasonOf(error: unknown, informer: Pick<Informer<KubernetesObject>, 'lastError'> | undefined): string {
  const { message } = error as Error;
  const cause = informer?.lastError?.message;
  return shortened(cause === undefined || cause === message ? message : `${message}: ${cause}`);
}
