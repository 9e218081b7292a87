import { createHash } from 'node:crypto';
import type {
  Aware,
  Cluster,
  ClusterName,
  Controller,
  DeepReadonly,
  IndexExtractor,
  Kind,
  KubernetesObject,
  Manager,
  ObjectKey,
  Provider,
  ReconcileContext,
  Request,
} from '@mcr/core';
import {
  enqueueMapped,
  enqueueRequestForObject,
  funcSource,
  isNoKindMatch,
  kindSource,
  LOCAL_CLUSTER,
  newController,
  parseKubeconfig,
  Roster,
  Secret,
  sleep,
  untilAborted,
} from '@mcr/core';
import type { AnyCluster, ClusterApi } from './cluster-api.ts';
import { KUBECONFIG_KEY, kubeconfigSecretName, nameOfKubeconfigSecret } from './kubeconfig-secret.ts';
import type { CapiProviderOptions } from './options.ts';
import { withDefaults } from './options.ts';

/** The hub is asked again after this long which version of the kind it serves, in milliseconds. */
const UNTIL_SERVED = 10_000;

/** How many Clusters are looked at at once, and for how long each at most, in milliseconds. */
const LOOKS = { maxConcurrentReconciles: 16, reconciliationTimeout: 30_000 };

/** A cluster that stopped by itself, or that somebody refused, is made again after this long, in milliseconds. */
const UNTIL_MADE_AGAIN = 5_000;

const inHub = (name: ClusterName) => name === LOCAL_CLUSTER;

/** `<namespace>/<name>`: what a Cluster object's cluster is called in the fleet. */
const clusterNameOf = ({ namespace, name }: ObjectKey): ClusterName => `${namespace}/${name}`;

/**
 * Makes a cluster of every Cluster object of Cluster API in the hub whose control plane is initialised. It is called
 * `<namespace>/<name>`. (Upstream: `providers/cluster-api`.)
 */
export class CapiProvider implements Provider {
  readonly #options: ReturnType<typeof withDefaults>;
  readonly #roster: Roster;
  #manager: Manager | undefined;
  #controller: Controller | undefined;
  /** The version of the kind that is watched: known once the hub serves one of them. */
  #api: ClusterApi | undefined;
  /** The Clusters that are there and pass the predicates, by the names of their clusters. */
  readonly #seen = new Map<ClusterName, ObjectKey>();
  /** Has a Cluster looked at. */
  #look: (key: ObjectKey, after?: number) => void = () => undefined;

  /** @throws {TypeError} that names the option, when one is unknown or wrong. */
  constructor(options: CapiProviderOptions = {}) {
    this.#options = withDefaults(options);
    const { clusterOptions, configure, newCluster } = options;
    this.#roster = new Roster({
      ...(clusterOptions && { clusterOptions }),
      ...(configure && { configure }),
      ...(newCluster && { newCluster }),
      onLost: (name) => {
        const key = this.#seen.get(name);
        if (key) this.#look(key, UNTIL_MADE_AGAIN);
      },
    });
  }

  async get(name: ClusterName): Promise<Cluster> {
    return this.#roster.get(name);
  }

  clusterNames(): ClusterName[] {
    return this.#roster.clusterNames();
  }

  async indexField<T extends KubernetesObject>(kind: Kind<T>, name: string, extract: IndexExtractor<T>): Promise<void> {
    await this.#roster.indexField(kind, name, extract);
  }

  /**
   * Adds the controller that reads the Clusters. The manager does this by itself when it starts; a second time changes
   * nothing.
   *
   * @throws {TypeError} when the provider serves another manager, or the controller's name is taken.
   */
  async setupWithManager(manager: Manager): Promise<void> {
    if (this.#manager === manager) return;
    if (this.#manager) throw new TypeError('this CapiProvider serves another manager: make one for each');
    const controller = newController(this.#options.controllerName, manager, {
      ...LOOKS,
      // It runs as long as the provider does, which may be before this process leads.
      needLeaderElection: false,
      reconciler: (request, context) => this.#reconcile(request, context, manager),
    });
    controller.watch(
      funcSource(({ queue }) => {
        this.#look = ({ namespace = '', name }, after = 0) =>
          queue.add({ clusterName: LOCAL_CLUSTER, namespace, name }, { after });
      }),
    );
    await manager.add({
      group: 'provider',
      engage: (...engagement) => controller.engage(...engagement),
      run: (signal) => controller.run(signal),
    });
    this.#controller = controller;
    this.#manager = manager;
  }

  /** @throws {TypeError} without a manager: the Clusters are in its local cluster. */
  async run(aware: Aware, signal: AbortSignal): Promise<void> {
    const manager = this.#manager;
    if (!manager) throw new TypeError('CapiProvider: give it to a manager, or call setupWithManager');
    this.#roster.open(aware, signal, manager);
    try {
      if (this.#api) for (const key of this.#seen.values()) this.#look(key);
      else await this.#watchFirstServed(manager, signal);
      await untilAborted(signal);
    } finally {
      await this.#roster.close();
    }
  }

  /** The CustomResourceDefinition may come later than this process. */
  async #watchFirstServed(manager: Manager, signal: AbortSignal): Promise<void> {
    const { restMapper } = manager.localManager.cluster;
    let wasTold = false;
    while (!signal.aborted) {
      for (const api of this.#options.apis) {
        const { apiVersion, kind } = api.kind;
        try {
          // Without the rest of what is known of it, so that the server is asked.
          await restMapper.resolve({ apiVersion, kind });
          this.#watch(api);
          return;
        } catch (error) {
          if (!wasTold) manager.logger.warn('the hub does not serve this kind (yet)', { apiVersion, kind, error });
          // A hub that is away may serve it all the same: only one that does not is asked for the next version.
          if (!isNoKindMatch(error)) break;
        }
      }
      wasTold = true;
      await sleep(manager.clock, UNTIL_SERVED, signal).catch(() => undefined);
    }
  }

  #watch(api: ClusterApi): void {
    this.#api = api;
    const { predicates } = this.#options;
    const selected = { ...this.#scope, clusterFilter: inHub, predicates };
    this.#controller?.watch(kindSource(api.kind, enqueueRequestForObject(), selected));
    const clusterOfSecret = enqueueMapped<Secret>(({ metadata }) => {
      const name = nameOfKubeconfigSecret(metadata.name);
      if (name === undefined) return [];
      const key = { namespace: metadata.namespace ?? '', name };
      return this.#seen.has(clusterNameOf(key)) ? [key] : [];
    });
    this.#controller?.watch(kindSource(Secret, clusterOfSecret, { ...this.#secretScope(api), clusterFilter: inHub }));
  }

  get #scope() {
    const { namespace, labelSelector } = this.#options;
    return { ...(namespace && { namespaces: [namespace] }), ...(labelSelector && { labelSelector }) };
  }

  #secretScope({ clusterNameLabel }: ClusterApi) {
    const { namespace } = this.#options;
    return { ...(namespace && { namespaces: [namespace] }), labelSelector: clusterNameLabel };
  }

  async #reconcile(request: Request, { signal }: ReconcileContext, manager: Manager): Promise<void> {
    const api = this.#api;
    if (!api) return;
    const name = clusterNameOf(request);
    const { cluster: hub } = manager.localManager;
    const { store } = await hub.cache.informer(api.kind, this.#scope);
    const cluster = store.get(request);
    if (cluster) this.#seen.set(name, request);
    else this.#seen.delete(name);
    if (!this.#roster.isOpen) return;
    if (!cluster) {
      this.#roster.remove(name, `its Cluster ${name} was deleted, or is not selected any more`);
    } else if (cluster.metadata.deletionTimestamp !== undefined) {
      this.#roster.remove(name, `its Cluster ${name} is being deleted`);
    } else {
      try {
        await this.#follow(name, cluster, { hub, api, signal });
      } catch (error) {
        const reason = `its Cluster ${name} cannot be followed: ${(error as Error).message}`;
        this.#roster.refuse(name, new Error(reason, { cause: error }));
        throw error;
      }
    }
  }

  async #follow(
    name: ClusterName,
    cluster: DeepReadonly<AnyCluster>,
    context: { readonly hub: Cluster; readonly api: ClusterApi; readonly signal: AbortSignal },
  ): Promise<void> {
    const {
      policy,
      isReady = (named: DeepReadonly<AnyCluster>) => context.api.isReady(named),
      getKubeconfig = (named: DeepReadonly<AnyCluster>) => this.#fromSecret(named, context),
    } = this.#options;
    if (!isReady(cluster)) {
      this.#roster.postpone(name, `the control plane of its Cluster ${name} is not ready`);
      return;
    }
    const kubeconfig = await getKubeconfig(cluster, context);
    // An answer that comes late is not to take the place of a later one.
    context.signal.throwIfAborted();
    const { apiVersion, kind, metadata } = cluster;
    if (kubeconfig === undefined) {
      const secret = `${metadata.namespace}/${kubeconfigSecretName(metadata.name)}`;
      const missing = `its kubeconfig is not there: expected the key ${JSON.stringify(KUBECONFIG_KEY)} in the Secret ${secret}`;
      // Who has a kubeconfig renewed deletes the old one: the cluster that is there is not concerned.
      if (this.#roster.has(name)) this.#roster.refuse(name, new Error(missing));
      else this.#roster.postpone(name, missing);
      return;
    }
    const text = kubeconfig;
    const labels = { ...metadata.labels };
    this.#roster.admit(name, {
      digest: createHash('sha256').update(text).update(JSON.stringify(labels)).digest('hex'),
      config: () => parseKubeconfig(text, { policy }),
      info: { provider: 'capi', labels, origin: { apiVersion, kind, metadata } },
    });
  }

  async #fromSecret(
    { metadata: { namespace, name } }: DeepReadonly<AnyCluster>,
    { hub, api, signal }: { readonly hub: Cluster; readonly api: ClusterApi; readonly signal: AbortSignal },
  ): Promise<string | undefined> {
    const informer = await hub.cache.informer(Secret, this.#secretScope(api));
    await informer.waitForSync(signal);
    const secret = informer.store.get({ ...(namespace && { namespace }), name: kubeconfigSecretName(name) });
    const encoded = secret?.data?.[KUBECONFIG_KEY];
    return encoded && Buffer.from(encoded, 'base64').toString('utf8');
  }
}
