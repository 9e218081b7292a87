import type { InformerUpdateEvent, Kind, KubernetesObject, LazyObject } from '@mcr/client';
import { kindText, untilAborted } from '@mcr/client';
import type { EngageOptions } from '../controller/builder/engage-options.ts';
import { clusterFilterOf } from '../controller/builder/engage-options.ts';
import { ClusterSources } from '../controller/cluster-sources.ts';
import type { ClusterSource } from '../controller/source/source.ts';
import type { Manager } from '../manager/manager.ts';
import type { Runnable } from '../manager/runnable.ts';
import type { ClusterName } from '../fleet/multicluster/cluster-name.ts';
import { FleetFeed } from './fleet-feed.ts';
import type { FleetObject } from './fleet-object.ts';
import type { ObjectFilter, ObjectSelection } from './object-selection.ts';

/** Options of `FleetReader.watch`. */
export interface FleetWatchOptions extends Pick<ObjectSelection, 'namespace' | 'labelSelector'> {
  /** Selects the clusters. Default: the clusters of the provider, or the local cluster if there is no provider. */
  readonly clusters?: EngageOptions;
  /** Ends the watch. Default: it ends when the manager stops. */
  readonly signal?: AbortSignal;
}

/**
 * An event of a watch over the fleet:
 *
 * - `changed`: the object is new, or has changed.
 * - `deleted`: the object was deleted, or is no longer selected.
 * - `synced`: all objects that the cluster had at first were delivered.
 * - `reset`: forget the objects of the cluster, because it was disengaged or its watch starts again. Those that still exist
 *   follow.
 */
export type FleetEvent<T extends KubernetesObject> =
  | { readonly type: 'changed' | 'deleted'; readonly clusterName: ClusterName; readonly object: FleetObject<T> }
  | { readonly type: 'synced' | 'reset'; readonly clusterName: ClusterName };

/** Default of the manager's `cacheSyncTimeout`, as for controllers, in milliseconds. */
const SYNC_TIMEOUT = 120_000;

/** Number of watches of this process, for names that are unique in the fleet status. */
let watches = 0;

/** Watches a kind in all selected clusters until the caller stops iterating, `signal` aborts or the manager stops. */
export async function* watchFleet<T extends KubernetesObject>(
  manager: Manager,
  kind: Kind<T>,
  { clusters = {}, signal }: FleetWatchOptions,
  filter: ObjectFilter,
): AsyncGenerator<FleetEvent<T>, undefined> {
  const returned = new AbortController();
  const end = signal ? AbortSignal.any([signal, returned.signal]) : returned.signal;
  const feed = new FleetFeed<T>();
  const source = sourceOf(kind, filter, feed, clusterFilterOf(clusters, manager));
  try {
    await manager.add(runnableOf(manager, source, feed, end), { signal: end });
    yield* feed.read(end);
  } finally {
    returned.abort();
  }
}

/** @param end aborts when the watch ends. */
function runnableOf<T extends KubernetesObject>(
  manager: Manager,
  source: ClusterSource<never>,
  feed: FleetFeed<T>,
  end: AbortSignal,
): Runnable {
  const name = `fleet watch ${(watches += 1)}`;
  return {
    engageLocal: true,
    describe: () => `${name} of ${source.name}`,
    async engage(clusterName, cluster, signal) {
      if (signal.aborted || end.aborted) return;
      const sources = new ClusterSources<never>({
        controller: name,
        clusterName,
        cluster,
        queue: { add: () => undefined },
        recorder: manager.fleet.recorder,
        clock: manager.clock,
        log: manager.logger,
        cacheSyncTimeout: manager.controllerOptions.cacheSyncTimeout ?? SYNC_TIMEOUT,
        isDefault: false,
        onLeft: () => feed.reset(clusterName),
      });
      const onLeft = () => {
        end.removeEventListener('abort', onEnd);
        sources.end('keepStatus');
        feed.reset(clusterName);
      };
      // The cluster outlives the watch. Nothing of the watch may stay with it.
      const onEnd = () => {
        signal.removeEventListener('abort', onLeft);
        sources.end('recordStop');
      };
      signal.addEventListener('abort', onLeft, { once: true });
      end.addEventListener('abort', onEnd, { once: true });
      sources.select(source);
    },
    async run(signal) {
      await untilAborted(signal);
      feed.end();
    },
  };
}

/** Returns a source that writes to `feed` instead of a queue. */
function sourceOf<T extends KubernetesObject>(
  kind: Kind<T>,
  { namespace, matches }: ObjectFilter,
  feed: FleetFeed<T>,
  clusterFilter: NonNullable<ClusterSource['clusterFilter']>,
): ClusterSource<never> {
  const isSelected = (object: Pick<LazyObject<T>, 'key' | 'metadata'>) =>
    (namespace === undefined || object.key.namespace === namespace) && (matches?.(object) ?? true);
  const wasSelected = ({ key, oldMetadata }: InformerUpdateEvent<T>) => isSelected({ key, metadata: oldMetadata });
  return {
    per: 'cluster',
    name: kindText(kind),
    clusterFilter,
    async start({ cluster, clusterName }) {
      // After a failure, deletions may have been missed.
      feed.reset(clusterName);
      const subscription = await cluster.cache.subscribe(kind, {
        onAdd(event) {
          if (isSelected(event)) feed.push('added', clusterName, event);
        },
        onUpdate(event) {
          if (isSelected(event)) feed.push(wasSelected(event) ? 'changed' : 'added', clusterName, event);
          else if (wasSelected(event)) feed.push('deleted', clusterName, event);
        },
        onDelete(event) {
          if (isSelected(event)) feed.push('deleted', clusterName, event);
        },
      });
      const { informer, synced } = subscription;
      void synced.then(() => feed.synced(clusterName));
      return {
        synced,
        stop: () => subscription.remove(),
        objects: () => informer.store.size,
        staleFor: () => informer.staleFor(),
        lastError: () => informer.lastError,
      };
    },
  };
}
