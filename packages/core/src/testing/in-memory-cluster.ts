import type {
  Cache,
  ClusterConfig,
  DeepReadonly,
  EventDetails,
  EventRecorder,
  FieldIndexer,
  Kind,
  KubernetesObject,
  Recovered,
  RestMapper,
  RestMapping,
} from '@mcr/client';
import { parseApiVersion, silentLogger, untilAborted } from '@mcr/client';
import type { Cluster, ClusterDescription, ClusterInfo } from '../fleet/cluster/cluster.ts';
import { callFence } from '../fleet/fence/current-fence.ts';
import type { WriteFence } from '../fleet/fence/write-fence.ts';
import type { ClusterName } from '../fleet/multicluster/cluster-name.ts';
import { LOCAL_CLUSTER } from '../fleet/multicluster/cluster-name.ts';
import type { ReconcileContext } from '../controller/reconcile/reconciler.ts';
import { InMemoryClient } from './in-memory-client.ts';

/** Options of an {@link InMemoryCluster}. */
export interface InMemoryClusterOptions {
  /** Name of the cluster. Default: `''`, the local cluster. */
  readonly name?: ClusterName;
  /** See {@link InMemoryClient}. */
  readonly objects?: ConstructorParameters<typeof InMemoryClient>[0];
}

/** A recorded event. */
export interface RecordedEvent extends EventDetails {
  readonly component: string;
  readonly regarding: DeepReadonly<KubernetesObject>;
}

/**
 * A cluster with objects in memory, for unit tests of reconcilers. It has no connections and cannot be watched by
 * controllers: a test calls the reconciler itself.
 *
 * @example
 * const cluster = new InMemoryCluster({ name: 'eu-1', objects: [cart] });
 * await reconcile({ clusterName: 'eu-1', namespace: 'shop', name: 'cart' }, cluster.context());
 * expect((await cluster.client.get(Cart, key)).status).toEqual({ phase: 'Ready' });
 */
export class InMemoryCluster implements Cluster {
  readonly name: ClusterName;
  readonly config: ClusterConfig = { server: 'https://in-memory.invalid' };
  info: ClusterInfo = { labels: {}, properties: {}, version: 'v1.33.0' };
  readonly client: InMemoryClient;
  readonly apiReader: InMemoryClient;
  readonly cache: Cache;
  readonly fieldIndexer: FieldIndexer;
  readonly restMapper: RestMapper = {
    resolve: async (kind) => mappingOf(kind),
    resources: async () => [],
    forget: () => undefined,
  };
  /** Recorded events, in order. */
  readonly events: RecordedEvent[] = [];
  readonly #onDescribed = new Set<() => void>();
  #fenceOf: () => WriteFence | undefined = () => undefined;

  constructor({ name = LOCAL_CLUSTER, objects = [] }: InMemoryClusterOptions = {}) {
    const client = new InMemoryClient(objects, { fenceOf: () => callFence() ?? this.#fenceOf() });
    this.name = name;
    this.client = client;
    this.apiReader = client;
    this.fieldIndexer = client;
    this.cache = {
      get: (kind, key, options) => client.get(kind, key, options),
      find: (kind, key, options) => client.find(kind, key, options),
      list: (kind, options) => client.list(kind, options),
      indexField: (...index) => client.indexField(...index),
      informer: () => client.watch(),
      subscribe: () => client.watch(),
      expectWrite: () => undefined,
      expectDeletion: () => undefined,
      removeInformer: () => undefined,
      waitForSync: async () => true,
      run: (signal) => untilAborted(signal),
    };
  }

  eventRecorder(component: string): EventRecorder {
    return { event: (regarding, details) => void this.events.push({ component, regarding, ...details }) };
  }

  /** Returns a context for a reconciler that is called with a request of this cluster. */
  context(overrides: Partial<ReconcileContext> = {}): ReconcileContext {
    return {
      signal: new AbortController().signal,
      log: silentLogger,
      reconcileId: 'test',
      clusterName: this.name,
      cluster: async () => this,
      attempt: 1,
      priority: 0,
      ...overrides,
    };
  }

  async ready(): Promise<void> {
    // It is always ready.
  }

  async ping(): Promise<void> {
    // It is always healthy.
  }

  async recovered(): Promise<Recovered> {
    return { outage: 0 };
  }

  setFence(fenceOf: () => WriteFence | undefined): void {
    this.#fenceOf = fenceOf;
  }

  describe(description: ClusterDescription): void {
    this.info = { ...this.info, ...description };
    for (const listener of this.#onDescribed) listener();
  }

  onDescribed(listener: () => void): () => void {
    this.#onDescribed.add(listener);
    return () => void this.#onDescribed.delete(listener);
  }

  async rotate(): Promise<void> {
    // It has no credentials.
  }

  run(signal: AbortSignal): Promise<void> {
    return untilAborted(signal);
  }
}

/** Returns a mapping with guessed values for the missing fields of a kind, because there is no discovery. */
function mappingOf({ apiVersion, kind, plural, scope }: Kind<KubernetesObject>): RestMapping {
  const { group, version } = parseApiVersion(apiVersion);
  return {
    group,
    version,
    path: group === '' ? `/api/${version}` : `/apis/${group}/${version}`,
    plural: plural ?? `${kind.toLowerCase()}s`,
    scope: scope ?? 'Namespaced',
  };
}
