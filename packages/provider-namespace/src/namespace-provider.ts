import type {
  Cluster,
  ClusterName,
  ClusterOptions,
  DeepReadonly,
  FieldIndexer,
  IndexExtractor,
  Kind,
  KubernetesObject,
  Manager,
  Permission,
  ReadonlyStore,
} from '@mcr/core';
import { EventsV1Event, Namespace } from '@mcr/core';
import {
  BaseProvider,
  checkedField,
  IndexRegistry,
  infoOf,
  kindText,
  labelSelectorSchema,
  orAborted,
  parseOptions,
  untilAborted,
} from '@mcr/core/provider';
import * as z from 'zod';
import { InnerObjects } from './inner-objects.ts';
import { NamespaceCluster } from './namespace-cluster.ts';
import { NamespaceView } from './namespace-view.ts';
import { SharedCache } from './shared-cache.ts';
import { SharedPing } from './shared-ping.ts';

/** Name of the host cluster, where objects have their own namespaces. */
export const ALL_NAMESPACES = '*';

export interface NamespaceProviderOptions {
  /**
   * The host cluster, whose namespaces are presented as clusters. The caller runs it, for example with `manager.add`.
   * Default: the local cluster of the manager.
   */
  readonly cluster?: Cluster;
  /** Selects namespaces by their labels, for example `tenant=true`. Default: all namespaces. */
  readonly labelSelector?: string;
}

const schema = z.strictObject({
  cluster: z
    .custom((value) => typeof value === 'object' && value !== null && 'cache' in value, 'expected a Cluster')
    .optional(),
  labelSelector: labelSelectorSchema.min(1, 'expected a label selector').optional(),
});

const statusSchema = z.looseObject({ phase: z.string('expected a string').nullish() }, 'expected an object').nullish();

/** The host cluster, and the parts that its namespaces share. */
interface Host {
  readonly cluster: Cluster;
  readonly cache: SharedCache;
  readonly innerObjects: InnerObjects;
}

/** The parts that the clusters of one run share. */
interface Discovery {
  readonly host: Host;
  readonly ping: SharedPing;
}

/**
 * Presents every namespace of one cluster as a cluster with the namespace's name, whose only namespace is `default`. The
 * clusters share that cluster's connection, informers and indexes. (Upstream: `providers/namespace`.)
 */
export class NamespaceProvider extends BaseProvider {
  readonly #options: NamespaceProviderOptions;
  readonly #indexes = new IndexRegistry();
  #host: Host | undefined;
  #discovery: Discovery | undefined;
  #namespaces: Pick<ReadonlyStore<Namespace>, 'get'> | undefined;

  /** @throws {TypeError} if an option is unknown or invalid; the message names it. */
  constructor(options: NamespaceProviderOptions = {}) {
    parseOptions('NamespaceProvider', schema, options, '{ cluster }');
    super({ newCluster: (_config, options) => this.#newCluster(options) });
    this.#options = options;
  }

  /** Returns the permissions in the local cluster. Those in the cluster of the option `cluster` are up to the caller. */
  override permissions(): Permission[] {
    if (this.#options.cluster) return [];
    return [
      { kind: Namespace, verbs: ['list', 'watch'], in: 'local' },
      { kind: EventsV1Event, verbs: ['create', 'patch'], in: 'local' },
    ];
  }

  override async setupWithManager(manager: Manager): Promise<void> {
    // Another manager has another local cluster.
    if (this.manager !== manager) this.#host = undefined;
    await super.setupWithManager(manager);
    await this.#prepare();
  }

  /** Returns the cluster of a namespace, or the host cluster for `*`. */
  override async get(name: ClusterName): Promise<Cluster> {
    if (name === ALL_NAMESPACES && this.#host) return this.#host.cluster;
    return this.clusters.get(name);
  }

  /**
   * Adds one index for the clusters of all namespaces, and one for `*`. In the former, the function or path sees every
   * object in the namespace `default`; in the latter, in its own.
   */
  override async indexField<T extends KubernetesObject>(
    kind: Kind<T>,
    name: string,
    extract: IndexExtractor<T>,
  ): Promise<void> {
    await this.#indexes.add(kind, name, extract, () => (this.#host ? indexersOf(this.#host) : []));
  }
  protected async discover(signal: AbortSignal): Promise<void> {
    const host = await this.#prepare();
    this.#discovery = { host, ping: new SharedPing(host.cluster, this.clock, signal) };
    const { labelSelector } = this.#options;
    const deleted = labelSelector ? 'its namespace was deleted, or is no longer selected' : 'its namespace was deleted';
    const subscription = await host.cluster.cache.subscribe(
      Namespace,
      {
        onAdd: ({ object }) => this.#seen(object),
        onUpdate: ({ object }) => this.#seen(object),
        onDelete: ({ key: { name } }) => this.clusters.remove(name, deleted),
      },
      labelSelector === undefined ? {} : { labelSelector },
    );
    this.#namespaces = subscription.informer.store;
    try {
      await orAborted(subscription.synced, signal);
      this.inventoryRead({ kind: kindText(Namespace), labelSelector });
      await untilAborted(signal);
    } finally {
      this.#namespaces = undefined;
      subscription.remove();
    }
  }

  protected override rediscover(name: ClusterName): void {
    const namespace = this.#namespaces?.get({ name });
    if (namespace) this.#seen(namespace);
  }

  get #running(): Discovery {
    if (this.#discovery) return this.#discovery;
    throw new TypeError('NamespaceProvider: the provider is not running');
  }

  async #prepare(): Promise<Host> {
    const host = (this.#host ??= this.#newHost());
    const indexers = indexersOf(host);
    await Promise.all([...this.#indexes].flatMap((makeIndex) => indexers.map(makeIndex)));
    return host;
  }

  #newHost(): Host {
    const cluster = this.#options.cluster ?? this.manager?.localManager.cluster;
    if (!cluster) throw new TypeError('NamespaceProvider: set option "cluster", or pass the provider to a manager');
    const innerObjects = new InnerObjects();
    const cache = new SharedCache(cluster.cache, innerObjects, this.log);
    return { cluster, cache, innerObjects };
  }

  #seen(namespace: DeepReadonly<Namespace>): void {
    const { name } = namespace.metadata;
    try {
      if (isTerminating(namespace)) this.clusters.remove(name, 'its namespace is being deleted');
      else this.#set(namespace);
    } catch (cause) {
      const { message } = cause as Error;
      this.clusters.refuse(name, new Error(`its namespace cannot be read: ${message}`, { cause }));
    }
  }

  #set(namespace: DeepReadonly<Namespace>): void {
    const info = infoOf(namespace, { provider: 'namespace' });
    // All namespaces have the same configuration: only their information differs.
    this.clusters.set(namespace.metadata.name, { digest: '', config: () => this.#running.host.cluster.config, info });
  }

  #newCluster({ name = '', info = {} }: ClusterOptions): NamespaceCluster {
    const { host, ping } = this.#running;
    const { cluster, cache, innerObjects } = host;
    const view = new NamespaceView(name, cluster.restMapper, innerObjects);
    return new NamespaceCluster({ host: cluster, view, cache, ping, info });
  }
}

function isTerminating({ metadata, status }: DeepReadonly<Namespace>): boolean {
  return (
    metadata.deletionTimestamp !== undefined || checkedField('status', statusSchema, status)?.phase === 'Terminating'
  );
}

/** Returns the indexer of the host cluster, and that of the namespace clusters. */
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
