import type {
  Cache,
  Client,
  ClusterConfig,
  DeepReadonly,
  EventDetails,
  EventRecorder,
  FieldIndexer,
  KubernetesObject,
  Recovered,
  RestMapper,
} from '@mcr/client';
import { createCache, parseOptions, silentLogger } from '@mcr/client';
import * as z from 'zod';
import type { ReconcileContext } from '../controller/reconcile/reconciler.ts';
import type { Cluster, ClusterDescription, ClusterInfo } from '../fleet/cluster/cluster.ts';
import { IN_MEMORY_CONFIG } from '../fleet/cluster/in-memory-config.ts';
import { callFence } from '../fleet/fence/current-fence.ts';
import type { WriteFence } from '../fleet/fence/write-fence.ts';
import type { ClusterName } from '../fleet/multicluster/cluster-name.ts';
import { LOCAL_CLUSTER } from '../fleet/multicluster/cluster-name.ts';
import { homeClient } from '../objects/owner/home-client.ts';
import type { Home } from '../objects/owner/home.ts';
import { openHome } from '../objects/owner/home.ts';
import { InMemoryClient } from './in-memory-client.ts';
import type { InitialObject, InMemoryServerOptions } from './in-memory-server.ts';

/** Options of an {@link InMemoryCluster}. */
export interface InMemoryClusterOptions extends InMemoryServerOptions {
  /** Name of the cluster. Default: `''`, the local cluster. */
  readonly name?: ClusterName;
  /** The initial objects, see {@link InMemoryClientOptions.objects}. */
  readonly objects?: readonly InitialObject[];
}

/** A recorded event. */
export interface RecordedEvent extends EventDetails {
  readonly component: string;
  readonly regarding: DeepReadonly<KubernetesObject>;
}

/** The version of the API server in `@mcr/apiserver`, which is loaded later. A test compares them. */
const VERSION = 'v1.35.4+mcr-envtest';

const anything = z.unknown().optional();
const schema = z.strictObject({
  name: anything,
  objects: anything,
  crds: anything,
  crdPaths: anything,
} satisfies Record<keyof InMemoryClusterOptions, z.ZodType>);

/** Number of clusters in this process. */
let clusters = 0;

/**
 * A cluster with an API server in memory, for unit tests of reconcilers; see {@link InMemoryClient}. A test calls the
 * reconciler itself, or runs the cluster in a manager. Reads of `client` and `cache` are always current, so they need no
 * running cache. Informers start when the cluster runs.
 *
 * A cluster runs once, in one manager: a second manager never engages it. Create another cluster for each manager. To
 * test a restart, pass the objects of the first one, as `list` returns them, in `objects` of the second.
 *
 * The garbage collector runs after a deletion, as in a cluster: wait for the deletion of dependents with
 * {@link eventually}.
 *
 * @example
 * const cluster = new InMemoryCluster({ name: 'eu-1', objects: [cart] });
 * await reconcile({ clusterName: 'eu-1', namespace: 'shop', name: 'cart' }, cluster.context());
 * expect((await cluster.client.get(Cart, key)).status).toEqual({ phase: 'Ready' });
 */
export class InMemoryCluster implements Cluster {
  readonly name: ClusterName;
  /** Has no address: other clients cannot use it, nor a manager as the configuration of its local cluster. */
  readonly config: ClusterConfig = IN_MEMORY_CONFIG;
  info: ClusterInfo = { labels: {}, properties: {}, version: VERSION };
  readonly client: Client;
  readonly apiReader: Client;
  readonly cache: Cache;
  readonly fieldIndexer: FieldIndexer;
  readonly restMapper: RestMapper;
  /** Recorded events, in order. They are not written to the cluster. */
  readonly events: RecordedEvent[] = [];
  readonly #onDescribed = new Set<() => void>();
  readonly #home: Home;
  #hasRun = false;
  #fenceOf: () => WriteFence | undefined = () => undefined;

  /** @throws {TypeError} if an option is unknown. */
  constructor(options: InMemoryClusterOptions = {}) {
    parseOptions('InMemoryCluster', schema, options, '{ name: "eu-1" }');
    const { name = LOCAL_CLUSTER, ...rest } = options;
    const fenceOf = (): WriteFence | undefined => callFence() ?? this.#fenceOf();
    const memory = new InMemoryClient({ ...rest, fenceOf, owner: 'InMemoryCluster' });
    const { restMapper } = memory;
    const informers = createCache({ client: memory, restMapper, ...(name && { clusterName: name }) });
    const place = `in-memory:${(clusters += 1)}`;
    const subject = name ? `cluster ${JSON.stringify(name)}` : 'the local cluster';
    this.#home = {
      subject,
      server: () => place,
      peek: ({ apiVersion, kind, metadata }) => informers.peek?.({ apiVersion, kind }, metadata) ?? [],
    };
    const client = homeClient(memory, this.#home);
    this.name = name;
    this.client = client;
    this.apiReader = client;
    this.restMapper = restMapper;
    this.cache = currentCache(client, informers, memory);
    this.fieldIndexer = this.cache;
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

  /**
   * Runs the informers. Objects can be read and written before, during and after it.
   *
   * @throws {TypeError} if the cluster runs or has run.
   */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#hasRun) {
      throw new TypeError(
        `InMemoryCluster: ${this.#home.subject} is already running or has stopped: ` +
          'a cluster runs in one manager, create another InMemoryCluster for each manager',
      );
    }
    this.#hasRun = true;
    const close = openHome(this.#home);
    try {
      await this.cache.run(signal);
    } finally {
      close();
    }
  }
}

/** Returns a cache with the informers of `informers`, whose reads are those of the API server, so that they are current. */
function currentCache(client: Client, informers: Cache, indexer: FieldIndexer): Cache {
  return {
    get: (kind, key, options) => client.get(kind, key, options),
    find: (kind, key, options) => client.find(kind, key, options),
    list: (kind, options) => client.list(kind, options),
    async indexField(kind, name, extract) {
      await indexer.indexField(kind, name, extract);
      await informers.indexField(kind, name, extract);
    },
    informer: (kind, scope) => informers.informer(kind, scope),
    subscribe: (kind, handler, scope) => informers.subscribe(kind, handler, scope),
    peek: (kind, key, scope) => informers.peek?.(kind, key, scope) ?? [],
    stats: () => informers.stats?.() ?? [],
    expectWrite: (kind, object) => informers.expectWrite(kind, object),
    expectDeletion: (kind, key) => informers.expectDeletion(kind, key),
    removeInformer: (kind) => informers.removeInformer(kind),
    waitForSync: (signal) => informers.waitForSync(signal),
    run: (signal) => informers.run(signal),
  };
}
