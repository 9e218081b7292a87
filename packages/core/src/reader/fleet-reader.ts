import type { Kind, KubernetesObject, ReadonlyStore } from '@mcr/client';
import { checkKind, inTurns, isInformerStopped, parseOptions } from '@mcr/client';
import * as z from 'zod';
import type { EngageOptions } from '../controller/builder/engage-options.ts';
import type { Manager } from '../manager/manager.ts';
import type { ClusterName } from '../fleet/multicluster/cluster-name.ts';
import type { FleetCoverage } from './fleet-coverage.ts';
import { CoverageRecorder } from './fleet-coverage.ts';
import { FleetObject } from './fleet-object.ts';
import type { FleetEvent, FleetWatchOptions } from './fleet-watch.ts';
import { watchFleet } from './fleet-watch.ts';
import type { ObjectFilter, ObjectSelection } from './object-selection.ts';
import { parseSelection, selectObjects } from './object-selection.ts';
import { selectClusters } from './selected-clusters.ts';
import type { SyncedStore } from './synced-stores.ts';
import { syncedStores } from './synced-stores.ts';

/** Options of {@link FleetReader.list} and {@link FleetReader.count}. */
export interface FleetReadOptions extends Pick<ObjectSelection, 'namespace' | 'labelSelector'> {
  /** Selects the clusters. Default: the clusters of the provider, or the local cluster if there is no provider. */
  readonly clusters?: EngageOptions;
  /**
   * Time that caches have to sync, in milliseconds, for all clusters together. Only the first read of a kind waits.
   * Clusters that do not sync in time are reported as missing. So are clusters whose server refuses the kind, without a
   * wait. Default: 10,000.
   */
  readonly syncTimeout?: number;
  /** Aborts the read. */
  readonly signal?: AbortSignal;
}

/** Options of {@link FleetReader.list}. */
export interface FleetListOptions extends FleetReadOptions, ObjectSelection {}

/** The objects of a kind in all selected clusters. Each iteration reads them again. */
export interface FleetList<T extends KubernetesObject> extends AsyncIterable<FleetObject<T>> {
  /** Which clusters the latest iteration has covered so far. It is complete when the iteration has ended. */
  readonly coverage: FleetCoverage;
}

/** Result of {@link FleetReader.count}. */
export interface FleetCount {
  /** Number of objects in all clusters that were read. */
  readonly total: number;
  /** Number of objects in each of them. */
  readonly byCluster: ReadonlyMap<ClusterName, number>;
  readonly coverage: FleetCoverage;
}

/**
 * Reads the objects of a kind in every engaged cluster, from the caches. A read of a kind that no controller watches
 * starts its informers, which are kept. The reader never waits for a cluster that is not engaged: `coverage` names it.
 */
export interface FleetReader {
  /**
   * Iterates over the selected objects, cluster by cluster, and over the clusters whose caches have synced first. It holds
   * no copy of the objects, and lets I/O and timers run every few milliseconds.
   *
   * @example
   * const pods = reader.list(Pod, { labelSelector: 'app=cart' });
   * for await (const { clusterName, object } of pods) console.log(clusterName, object.status?.phase);
   * if (pods.coverage.missing.length > 0) console.warn('incomplete', pods.coverage.missing);
   * @throws {TypeError} for an invalid kind or option, or an unknown index.
   * @throws {SyntaxError} for an invalid selector.
   */
  list<T extends KubernetesObject>(kind: Kind<T>, options?: FleetListOptions): FleetList<T>;
  /**
   * Counts the selected objects. Decodes nothing, or with a label selector the metadata.
   *
   * @throws like {@link list}.
   */
  count<T extends KubernetesObject>(kind: Kind<T>, options?: FleetReadOptions): Promise<FleetCount>;
  /**
   * Yields the selected objects of all clusters, and then their changes, until `signal` aborts, the manager stops, or the
   * caller stops iterating. Clusters that are engaged later are included. A slow caller sees only the latest state of
   * each object, so at most one event of each object is kept.
   *
   * @throws like {@link list}, or an `Error` if the manager is stopping.
   */
  watch<T extends KubernetesObject>(
    kind: Kind<T>,
    options?: FleetWatchOptions,
  ): AsyncGenerator<FleetEvent<T>, undefined>;
}

const DEFAULT_SYNC_TIMEOUT = 10_000;

const text = (example: string) => z.string(`expected a string such as ${JSON.stringify(example)}`).optional();
const selectionSchemas = {
  namespace: text('shop'),
  labelSelector: text('app=cart'),
  clusters: z.custom((value) => typeof value === 'object' && value !== null, 'expected an object').optional(),
  signal: z.custom((value) => value instanceof AbortSignal, 'expected an AbortSignal').optional(),
};
const countSchema = z.strictObject({
  ...selectionSchemas,
  syncTimeout: z
    .number('expected milliseconds')
    .min(0, 'expected milliseconds, 0 or more')
    .max(3_600_000, 'expected at most an hour')
    .optional(),
} satisfies Record<keyof FleetReadOptions, z.ZodType>);
const listSchema = countSchema.extend({
  index: z.object({ name: z.string(), value: z.string() }, 'expected { name, value }').optional(),
});
const watchSchema = z.strictObject(selectionSchemas satisfies Record<keyof FleetWatchOptions, z.ZodType>);

/** Returns a reader of the fleet of `manager`. It uses nothing until it is used. */
export function createFleetReader(manager: Manager): FleetReader {
  return {
    list(kind, options = {}) {
      checkKind('list', kind);
      parseOptions(`list(${kind.kind})`, listSchema, options);
      return new CachedFleetList(manager, kind, options, parseSelection(options));
    },
    async count(kind, options = {}) {
      checkKind('count', kind);
      parseOptions(`count(${kind.kind})`, countSchema, options);
      return countObjects(manager, kind, options);
    },
    watch(kind, options = {}) {
      checkKind('watch', kind);
      parseOptions(`watch(${kind.kind})`, watchSchema, options);
      return watchFleet(manager, kind, options, parseSelection(options));
    },
  };
}

class CachedFleetList<T extends KubernetesObject> implements FleetList<T> {
  readonly #manager: Manager;
  readonly #kind: Kind<T>;
  readonly #options: FleetReadOptions;
  readonly #filter: ObjectFilter;
  #recorder = new CoverageRecorder();

  constructor(manager: Manager, kind: Kind<T>, options: FleetReadOptions, filter: ObjectFilter) {
    this.#manager = manager;
    this.#kind = kind;
    this.#options = options;
    this.#filter = filter;
  }

  get coverage(): FleetCoverage {
    return this.#recorder.coverage;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<FleetObject<T>, undefined> {
    const recorder = (this.#recorder = new CoverageRecorder());
    for await (const store of storesOf(this.#manager, this.#kind, this.#options, recorder)) {
      try {
        yield* this.#objectsOf(store);
        recorder.read(store.clusterName, store.informer.staleFor());
      } catch (error) {
        recordStopped(store.clusterName, error, recorder);
      }
    }
  }

  async *#objectsOf({ clusterName, informer }: SyncedStore<T>): AsyncGenerator<FleetObject<T>, undefined> {
    for await (const object of inTurns(selectObjects(informer.store, this.#filter))) {
      this.#options.signal?.throwIfAborted();
      yield new FleetObject(clusterName, object);
    }
  }
}

async function countObjects<T extends KubernetesObject>(
  manager: Manager,
  kind: Kind<T>,
  options: FleetReadOptions,
): Promise<FleetCount> {
  const filter = parseSelection(options);
  const recorder = new CoverageRecorder();
  const byCluster = new Map<ClusterName, number>();
  for await (const { clusterName, informer } of storesOf(manager, kind, options, recorder)) {
    try {
      byCluster.set(clusterName, await countIn(informer.store, filter, options.signal));
      recorder.read(clusterName, informer.staleFor());
    } catch (error) {
      recordStopped(clusterName, error, recorder);
    }
  }
  const total = [...byCluster.values()].reduce((sum, count) => sum + count, 0);
  return { total, byCluster, coverage: recorder.coverage };
}

async function countIn<T extends KubernetesObject>(
  store: ReadonlyStore<T>,
  filter: ObjectFilter,
  signal: AbortSignal | undefined,
): Promise<number> {
  if (!filter.matches) return store.count(filter.namespace);
  let count = 0;
  for await (const _ of inTurns(selectObjects(store, filter))) {
    signal?.throwIfAborted();
    count += 1;
  }
  return count;
}

async function* storesOf<T extends KubernetesObject>(
  manager: Manager,
  kind: Kind<T>,
  { clusters: selection = {}, syncTimeout = DEFAULT_SYNC_TIMEOUT, signal }: FleetReadOptions,
  coverage: CoverageRecorder,
): AsyncGenerator<SyncedStore<T>, undefined> {
  signal?.throwIfAborted();
  const clusters = await selectClusters(manager, selection, coverage, signal);
  yield* syncedStores({ kind, clusters, coverage, clock: manager.clock, syncTimeout, signal });
}

/** Records that a cluster was disengaged during a read. @throws `error` if it has another reason. */
function recordStopped(clusterName: ClusterName, error: unknown, coverage: CoverageRecorder): void {
  if (!isInformerStopped(error)) throw error;
  coverage.missing(clusterName, 'the cluster was disengaged during the read');
}
