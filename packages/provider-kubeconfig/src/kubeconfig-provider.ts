import { createHash } from 'node:crypto';
import type {
  Aware,
  Cluster,
  ClusterName,
  DeepReadonly,
  IndexExtractor,
  Kind,
  KubernetesObject,
  Manager,
  Provider,
  Request,
} from '@mcr/core';
import {
  Clusters,
  LOCAL_CLUSTER,
  Secret,
  createCluster,
  enqueueRequestForObject,
  funcSource,
  kindSource,
  newController,
  parseKubeconfig,
  systemClock,
  untilAborted,
} from '@mcr/core';
import type { KubeconfigProviderOptions } from './options.ts';
import { withDefaults } from './options.ts';

/** A cluster that stopped by itself, or that somebody refused, is made again after this long, in milliseconds. */
const UNTIL_MADE_AGAIN = 5_000;

/** What {@link KubeconfigProvider.run} was given. */
interface Discovery {
  readonly aware: Aware;
  /** Ends every engagement. */
  readonly signal: AbortSignal;
}

/** The kubeconfig of a Secret when it was last looked at. */
interface Seen {
  /** SHA-256 of its bytes and the labels of its Secret; `''` when there were no bytes. */
  readonly digest: string;
  readonly isUsable: boolean;
}

/**
 * Makes a cluster of every labelled Secret in one namespace of the hub, from the kubeconfig that it holds. The cluster
 * has the Secret's name. (Upstream: `providers/kubeconfig`.)
 */
export class KubeconfigProvider implements Provider {
  readonly #options: ReturnType<typeof withDefaults>;
  readonly #clusters: Clusters;
  readonly #seen = new Map<ClusterName, Seen>();
  /** Secrets that nobody has looked at since {@link run} ended, or before it began. */
  readonly #unseen = new Set<ClusterName>();
  #discovery: Discovery | undefined;
  #manager: Manager | undefined;
  /** Has a Secret looked at again, in `after` milliseconds. */
  #again: (name: ClusterName, after: number) => void = () => undefined;

  /** @throws {TypeError} that names the option, when one is missing, unknown or wrong. */
  constructor(options: KubeconfigProviderOptions) {
    this.#options = withDefaults(options);
    this.#clusters = new Clusters({
      clock: () => this.#options.clusterOptions.clock ?? this.#manager?.clock ?? systemClock,
      onError: (error, cluster) => {
        // Whatever the Secret holds is new to a cluster that is not there.
        if (!this.#clusters.has(cluster)) {
          this.#seen.delete(cluster);
          this.#again(cluster, UNTIL_MADE_AGAIN);
        }
        this.#manager?.logger.error('cluster failed', { cluster, error });
      },
    });
  }

  async get(name: ClusterName): Promise<Cluster> {
    return this.#clusters.get(name);
  }

  clusterNames(): ClusterName[] {
    return this.#clusters.clusterNames();
  }

  async indexField<T extends KubernetesObject>(kind: Kind<T>, name: string, extract: IndexExtractor<T>): Promise<void> {
    await this.#clusters.indexField(kind, name, extract);
  }

  /**
   * Adds the controller that reads the Secrets. The manager does this by itself when it starts; a second time changes
   * nothing.
   *
   * @throws {TypeError} when the provider serves another manager, or the controller's name is taken.
   */
  async setupWithManager(manager: Manager): Promise<void> {
    if (this.#manager === manager) return;
    if (this.#manager) throw new TypeError('this KubeconfigProvider serves another manager: make one for each');
    const { controllerName, namespace } = this.#options;
    const controller = newController(controllerName, manager, {
      // It runs as long as the provider does, which may be before this process leads.
      needLeaderElection: false,
      reconciler: (request) => this.#reconcile(request, manager),
    });
    const clusterFilter = (name: ClusterName) => name === LOCAL_CLUSTER;
    controller.watch(kindSource(Secret, enqueueRequestForObject(), { ...this.#scope, clusterFilter }));
    controller.watch(
      funcSource(({ queue }) => {
        this.#again = (name, after) => queue.add({ clusterName: LOCAL_CLUSTER, namespace, name }, { after });
      }),
    );
    await manager.add({
      group: 'provider',
      engage: (...engagement) => controller.engage(...engagement),
      run: (signal) => controller.run(signal),
    });
    this.#manager = manager;
  }

  async run(aware: Aware, signal: AbortSignal): Promise<void> {
    this.#discovery = { aware, signal };
    for (const name of this.#unseen) this.#again(name, 0);
    this.#unseen.clear();
    await untilAborted(signal);
    this.#discovery = undefined;
    for (const name of this.#seen.keys()) this.#unseen.add(name);
    this.#seen.clear();
    await this.#clusters.removeAll();
  }

  /** The server selects: no other Secret of the hub is ever sent here. */
  get #scope() {
    const { namespace, secretLabel } = this.#options;
    return { namespaces: [namespace], labelSelector: `${secretLabel}=true` };
  }

  async #reconcile({ name }: Request, manager: Manager): Promise<void> {
    const { namespace, secretKey } = this.#options;
    const informer = await manager.localManager.cluster.cache.informer(Secret, this.#scope);
    const secret = informer.store.get({ namespace, name });
    const discovery = this.#discovery;
    if (!discovery) {
      this.#unseen.add(name);
      return;
    }

    if (!secret) {
      this.#drop(name, discovery, `its Secret ${namespace}/${name} was deleted, or has lost its label`);
    } else if (secret.metadata.deletionTimestamp !== undefined) {
      this.#drop(name, discovery, `its Secret ${namespace}/${name} is being deleted`);
    } else {
      const encoded = secret.data?.[secretKey];
      if (encoded === undefined) this.#withoutKey(name, discovery);
      else this.#withKubeconfig(name, secret, Buffer.from(encoded, 'base64'), manager, discovery);
    }
  }

  /** Waits for nothing: a cluster that is slow to stop must not keep the next Secret from being read. */
  #drop(name: ClusterName, { aware }: Discovery, reason: string): void {
    const wasSeen = this.#seen.delete(name);
    if (this.#clusters.has(name)) void this.#clusters.remove(name, { reason });
    else if (wasSeen) aware.report?.(name, { phase: 'Disengaged', reason });
  }

  #withoutKey(name: ClusterName, discovery: Discovery): void {
    const { namespace, secretKey } = this.#options;
    const reason = `its Secret ${namespace}/${name} has no key ${JSON.stringify(secretKey)}`;
    if (this.#clusters.has(name)) {
      this.#drop(name, discovery, reason);
    } else if (this.#seen.get(name)?.digest !== '') {
      this.#seen.set(name, { digest: '', isUsable: false });
      discovery.aware.report?.(name, { phase: 'Unreachable', reason, error: new Error(reason) });
    }
  }

  #withKubeconfig(
    name: ClusterName,
    secret: DeepReadonly<Secret>,
    bytes: Buffer,
    manager: Manager,
    { aware, signal }: Discovery,
  ): void {
    const labels = { ...secret.metadata.labels };
    // The labels are the cluster's, too: controllers choose clusters by them.
    const digest = createHash('sha256').update(bytes).update(JSON.stringify(labels)).digest('hex');
    const before = this.#seen.get(name);
    if (before?.digest === digest) return;
    try {
      const cluster = this.#createCluster(name, secret, bytes, manager);
      if (before?.isUsable === false) {
        aware.report?.(name, { phase: 'Connecting', reason: 'the kubeconfig in its Secret can be used again' });
      }
      this.#clusters.ensure(name, cluster, aware, signal);
      this.#seen.set(name, { digest, isUsable: true });
    } catch (error) {
      this.#seen.set(name, { digest, isUsable: false });
      const { message } = error as Error;
      const kept = this.#clusters.has(name) ? ', so the one before is kept' : '';
      aware.report?.(name, {
        phase: 'Unreachable',
        reason: `the kubeconfig in its Secret cannot be used${kept}: ${message}`,
        error: error as Error,
      });
    }
  }

  #createCluster(name: ClusterName, secret: DeepReadonly<Secret>, bytes: Buffer, manager: Manager): Cluster {
    const { policy, configure, clusterOptions } = this.#options;
    const { apiVersion, kind, metadata } = secret;
    const config = configure(parseKubeconfig(bytes.toString('utf8'), { policy }));
    return createCluster(config, {
      clock: manager.clock,
      listSlots: manager.listSlots,
      logger: manager.logger.child({ cluster: name }),
      ...(manager.tracer && { tracer: manager.tracer }),
      ...(manager.metrics && { metrics: manager.metrics.client }),
      ...clusterOptions,
      name,
      info: { provider: 'kubeconfig', labels: { ...metadata.labels }, origin: { apiVersion, kind, metadata } },
    });
  }
}
