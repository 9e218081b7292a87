import type {
  Cache,
  Client,
  Cluster,
  ClusterConfig,
  ClusterDescription,
  ClusterInfo,
  ClusterName,
  EventRecorder,
  FieldIndexer,
  Reader,
  Recovered,
  RestMapper,
  WriteFence,
} from '@mcr/core';
import type { Home } from '@mcr/core/provider';
import { fencedClient, homeClient, homeReader, ObservableInfo, openHome } from '@mcr/core/provider';
import { INNER_NAMESPACE } from './inner-objects.ts';
import { NamespaceCache } from './namespace-cache.ts';
import { NamespaceClient } from './namespace-client.ts';
import { NamespaceReader } from './namespace-reader.ts';
import type { HasNamespace } from './inner-objects.ts';
import type { NamespaceView } from './namespace-view.ts';
import type { SharedCache } from './shared-cache.ts';
import type { SharedPing } from './shared-ping.ts';

export interface NamespaceClusterParts {
  /** The cluster of the namespace. */
  readonly host: Cluster;
  readonly view: NamespaceView;
  readonly cache: SharedCache;
  readonly ping: SharedPing;
  readonly info: Partial<Omit<ClusterInfo, 'version'>>;
}

/** Presents a namespace of a host cluster as a cluster whose only namespace is `default`. */
export class NamespaceCluster implements Cluster {
  readonly name: ClusterName;
  readonly client: Client;
  readonly apiReader: Reader;
  readonly cache: Cache;
  readonly fieldIndexer: FieldIndexer;
  readonly restMapper: RestMapper;
  readonly #host: Cluster;
  readonly #view: NamespaceView;
  readonly #ping: SharedPing;
  readonly #info: ObservableInfo;
  readonly #home: Home;
  #fenceOf: (() => WriteFence | undefined) | undefined;

  constructor({ host, view, cache, ping, info }: NamespaceClusterParts) {
    this.name = view.namespace;
    const { namespace } = view;
    this.#home = {
      subject: `cluster ${JSON.stringify(namespace)}`,
      server: () => host.config.server,
      namespace,
      peek: ({ apiVersion, kind, metadata }) =>
        host.cache.peek?.({ apiVersion, kind }, { namespace, name: metadata.name }) ?? [],
    };
    this.apiReader = homeReader(new NamespaceReader(host.apiReader, view), this.#home);
    const client = new NamespaceClient(
      fencedClient(host.client, () => this.#fenceOf?.()),
      view,
    );
    // Reads of the cache are not recorded, because the home finds cached objects by itself.
    this.client = {
      ...homeClient(client, this.#home, this.apiReader),
      get: (...read) => client.get(...read),
      find: (...read) => client.find(...read),
      list: (...read) => client.list(...read),
    };
    this.cache = new NamespaceCache(cache, view);
    this.fieldIndexer = this.cache;
    this.restMapper = host.restMapper;
    this.#host = host;
    this.#view = view;
    this.#ping = ping;
    this.#info = new ObservableInfo(info);
  }

  /** The configuration of the host cluster. */
  get config(): ClusterConfig {
    return this.#host.config;
  }

  get info(): ClusterInfo {
    const { version } = this.#host.info;
    return { ...this.#info.value, ...(version !== undefined && { version }) };
  }

  eventRecorder(component: string): EventRecorder {
    const recorder = this.#host.eventRecorder(component);
    return {
      event: (regarding, { related, ...details }) =>
        recorder.event(this.#outer(regarding), { ...details, ...(related && { related: this.#outer(related) }) }),
    };
  }

  /** Resolves at once: the API server has responded, because it reported the namespace. */
  async ready(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
  }

  async ping(options: { readonly signal: AbortSignal; readonly timeout: number }): Promise<void> {
    await this.#ping.ping(options);
  }

  recovered(signal: AbortSignal): Promise<Recovered> {
    return this.#host.recovered(signal);
  }

  setFence(fenceOf: () => WriteFence | undefined): void {
    this.#fenceOf = fenceOf;
  }

  describe(description: ClusterDescription): void {
    this.#info.describe(description);
  }

  onDescribed(listener: () => void): () => void {
    return this.#info.onDescribed(listener);
  }

  async rotate(): Promise<void> {
    throw new TypeError(
      `cluster ${JSON.stringify(this.name)} is a namespace and has no credentials: rotate those of its host cluster`,
    );
  }

  /** Runs until the abort. The host cluster runs by itself. */
  async run(signal: AbortSignal): Promise<void> {
    const close = openHome(this.#home);
    try {
      await this.cache.run(signal);
    } finally {
      close();
    }
  }

  /** Converts an object of this cluster to the host's namespace. Objects in other namespaces are returned unchanged. */
  #outer<T extends HasNamespace>(object: T): T {
    if (object.metadata.namespace !== INNER_NAMESPACE) return object;
    return { ...object, metadata: { ...object.metadata, namespace: this.#view.namespace } };
  }
}
