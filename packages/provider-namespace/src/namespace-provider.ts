import type {
  Aware,
  Clock,
  Cluster,
  ClusterName,
  DeepReadonly,
  FieldIndexer,
  IndexExtractor,
  Kind,
  KubernetesObject,
  Logger,
  Manager,
  Provider,
} from '@mcr/core';
import {
  checkedField,
  oneRun,
  parseOptions,
  partText,
  Clusters,
  IndexRegistry,
  labelSelectorSchema,
  infoOf,
  Namespace,
  silentLogger,
  sleep,
  systemClock,
  untilAborted,
} from '@mcr/core';
import { z } from 'zod';
import { InnerObjects } from './inner-objects.ts';
import { NamespaceCluster } from './namespace-cluster.ts';
import { NamespaceView } from './namespace-view.ts';
import { SharedCache } from './shared-cache.ts';
import { SharedPing } from './shared-ping.ts';

/** The name of the cluster that all namespaces are in, with their objects under their own namespaces. */
export const ALL_NAMESPACES = '*';

export interface NamespaceProviderOptions {
  /**
   * The cluster that the namespaces are in. It is run by whoever made it, for example by `manager.add`. Default: the
   * local cluster of the manager.
   */
  readonly cluster?: Cluster;
  /** Only namespaces whose labels match are clusters, for example `tenant`. Default: all. */
  readonly labelSelector?: string;
}

/** A cluster that somebody refused is made again after this long, in milliseconds. */
const UNTIL_MADE_AGAIN = 5_000;

const schema = z.strictObject({
  cluster: z
    .custom((value) => typeof value === 'object' && value !== null && 'cache' in value, 'expected a Cluster')
    .optional(),
  labelSelector: labelSelectorSchema.min(1, 'expected a label selector').optional(),
});

const statusSchema = z.looseObject({ phase: z.string('expected a string').nullish() }, 'expected an object').nullish();

/** What the provider works with once it knows its cluster. */
interface Host {
  readonly cluster: Cluster;
  readonly cache: SharedCache;
  readonly innerObjects: InnerObjects;
}

/** What the engagements of one `run` have in common. */
interface Discovery {
  readonly host: Host;
  readonly ping: SharedPing;
  readonly aware: Aware;
  /** Ends every engagement. */
  readonly signal: AbortSignal;
}

/**
 * Makes a cluster of every namespace of one cluster. It has the namespace's name, and its only namespace is `default`.
 * All of them share that cluster's connection, informers and indexes. (Upstream: `providers/namespace`.)
 */
export class NamespaceProvider implements Provider {
  readonly #options: NamespaceProviderOptions;
  /** All are reached in one way: what differs is what they are called. */
  readonly #clusters = new Clusters<NamespaceCluster>({
    compare: () => 'none',
    clock: () => this.#clock,
    onError: (error, name) => {
      this.#log.error('cluster failed', { cluster: name, error });
      this.#onLost(name);
    },
  });
  readonly #indexes = new IndexRegistry();
  #manager: Manager | undefined;
  #host: Host | undefined;
  /** Has a namespace looked at again. */
  #onLost: (name: ClusterName) => void = () => undefined;

  /** @throws {TypeError} that names the option, when one is unknown or wrong. */
  constructor(options: NamespaceProviderOptions = {}) {
    parseOptions('NamespaceProvider', schema, options, '{ cluster }');
    this.#options = options;
  }

  async setupWithManager(manager: Manager): Promise<void> {
    // The next manager has another local cluster.
    if (this.#manager !== manager) this.#host = undefined;
    this.#manager = manager;
    await this.#prepare();
  }

  /** The cluster of that namespace; `*` is the one that all are in, where objects have their own namespaces. */
  async get(name: ClusterName): Promise<Cluster> {
    if (name === ALL_NAMESPACES && this.#host) return this.#host.cluster;
    return this.#clusters.get(name);
  }

  clusterNames(): ClusterName[] {
    return this.#clusters.clusterNames();
  }

  /**
   * One index for the clusters of all namespaces, and one for `*`. For the former, the function sees every object in the
   * namespace `default`; for `*`, in its own.
   */
  async indexField<T extends KubernetesObject>(kind: Kind<T>, name: string, extract: IndexExtractor<T>): Promise<void> {
    await this.#indexes.add(kind, name, extract, () => (this.#host ? indexersOf(this.#host) : []));
  }

  /** @throws {TypeError} if it runs already, or there is neither the option `cluster` nor a manager. */
  async run(aware: Aware, signal: AbortSignal): Promise<void> {
    await oneRun(this, partText('provider', this), () => this.#run(aware, signal));
  }

  async #run(aware: Aware, signal: AbortSignal): Promise<void> {
    const host = await this.#prepare();
    const ping = new SharedPing(host.cluster, this.#clock, signal);
    const discovery = { host, ping, aware, signal };
    const { labelSelector } = this.#options;
    const subscription = await host.cluster.cache.subscribe(
      Namespace,
      {
        onAdd: (namespace) => this.#seen(namespace, discovery),
        onUpdate: (_old, namespace) => this.#seen(namespace, discovery),
        onDelete: ({ metadata: { name } }) =>
          this.#remove(
            name,
            labelSelector ? 'its namespace was deleted, or is not selected any more' : 'its namespace was deleted',
          ),
      },
      labelSelector === undefined ? {} : { labelSelector },
    );
    this.#onLost = (name) => {
      const lookAgain = (): void => {
        const namespace = subscription.informer.store.get({ name });
        if (namespace) this.#seen(namespace, discovery);
      };
      sleep(this.#clock, UNTIL_MADE_AGAIN, signal).then(lookAgain, () => undefined);
    };
    await untilAborted(signal);
    this.#onLost = () => undefined;
    subscription.remove();
    await this.#clusters.removeAll();
  }

  async #prepare(): Promise<Host> {
    const host = (this.#host ??= this.#hostOf());
    const indexers = indexersOf(host);
    await Promise.all([...this.#indexes].flatMap((makeIndex) => indexers.map(makeIndex)));
    return host;
  }

  #hostOf(): Host {
    const cluster = this.#options.cluster ?? this.#manager?.localManager.cluster;
    if (!cluster) throw new TypeError('NamespaceProvider: give it the option "cluster", or a manager');
    const innerObjects = new InnerObjects();
    const cache = new SharedCache(cluster.cache, innerObjects, this.#log);
    return { cluster, cache, innerObjects };
  }

  /** A namespace that cannot be read keeps its cluster as it was, and no other from its own. */
  #seen(namespace: DeepReadonly<Namespace>, discovery: Discovery): void {
    try {
      this.#follow(namespace, discovery);
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown : new Error(String(thrown));
      const reason = `its namespace cannot be read: ${error.message}`;
      discovery.aware.report?.(namespace.metadata.name, { phase: 'Unreachable', reason, error });
    }
  }

  #follow(namespace: DeepReadonly<Namespace>, { host, ping, aware, signal }: Discovery): void {
    const { metadata } = namespace;
    const { name } = metadata;
    const isTerminating = () => checkedField('status', statusSchema, namespace.status)?.phase === 'Terminating';
    if (metadata.deletionTimestamp !== undefined || isTerminating()) {
      this.#remove(name, 'its namespace is being deleted');
      return;
    }
    const cluster = new NamespaceCluster({
      host: host.cluster,
      view: new NamespaceView(name, host.cluster.restMapper, host.innerObjects),
      cache: host.cache,
      ping,
      info: infoOf(namespace, { provider: 'namespace' }),
    });
    this.#clusters.ensure(name, cluster, aware, signal);
  }

  get #clock(): Clock {
    return this.#manager?.clock ?? systemClock;
  }

  get #log(): Logger {
    return this.#manager?.logger ?? silentLogger;
  }

  #remove(name: ClusterName, reason: string): void {
    void this.#clusters.remove(name, { reason });
  }
}

/** A cluster's index and that of its namespaces. */
function indexersOf({ cluster, cache }: Host): readonly FieldIndexer[] {
  return [cluster.fieldIndexer, cache];
}

/**
 * Creates a provider that presents each namespace of one cluster as a cluster.
 *
 * @throws {TypeError} if an option is missing, unknown or invalid; the message names it.
 */
export function createNamespaceProvider(options: NamespaceProviderOptions = {}): NamespaceProvider {
  return new NamespaceProvider(options);
}
