import { createHash } from 'node:crypto';
import type {
  Aware,
  Cluster,
  ClusterName,
  DeepReadonly,
  HubContext,
  IndexExtractor,
  Kind,
  KubernetesObject,
  Manager,
  ObjectKey,
  Provider,
  Request,
} from '@mcr/core';
import {
  enqueueMapped,
  enqueueRequestForObject,
  HubInventory,
  infoOf,
  isNoKindMatch,
  kindSource,
  parseKubeconfig,
  Secret,
  secretValue,
  sleep,
} from '@mcr/core';
import type { AnyCluster, ClusterApi } from './cluster-api.ts';
import { checkedCluster } from './checked-cluster.ts';
import { KUBECONFIG_KEY, kubeconfigSecretName, nameOfKubeconfigSecret } from './kubeconfig-secret.ts';
import type { CapiProviderOptions } from './options.ts';
import { withDefaults } from './options.ts';

/** The hub is asked again after this long which version of the kind it serves, in milliseconds. */
const UNTIL_SERVED = 10_000;

/** How many Clusters are looked at at once, and for how long each at most, in milliseconds. */
const LOOKS = { maxConcurrentReconciles: 16, reconciliationTimeout: 30_000 };

/** `<namespace>/<name>`: what a Cluster object's cluster is called in the fleet. */
const clusterNameOf = ({ namespace, name }: ObjectKey): ClusterName => `${namespace}/${name}`;

/**
 * Makes a cluster of every Cluster object of Cluster API in the hub whose control plane is initialised. It is called
 * `<namespace>/<name>`. (Upstream: `providers/cluster-api`.)
 */
export class CapiProvider implements Provider {
  readonly #options: ReturnType<typeof withDefaults>;
  readonly #inventory: HubInventory;
  /** The version of the kind that is watched: known once the hub serves one of them. */
  #api: ClusterApi | undefined;

  /** @throws {TypeError} that names the option, when one is unknown or wrong. */
  constructor(options: CapiProviderOptions = {}) {
    this.#options = withDefaults(options);
    const { clusterOptions, configure, newCluster } = options;
    this.#inventory = new HubInventory({
      provider: 'CapiProvider',
      controllerName: this.#options.controllerName,
      looks: LOOKS,
      ...(clusterOptions && { clusterOptions }),
      ...(configure && { configure }),
      ...(newCluster && { newCluster }),
      nameOf: clusterNameOf,
      look: (request, context) => this.#look(request, context),
    });
  }

  async get(name: ClusterName): Promise<Cluster> {
    return this.#inventory.roster.get(name);
  }

  clusterNames(): ClusterName[] {
    return this.#inventory.roster.clusterNames();
  }

  async indexField<T extends KubernetesObject>(kind: Kind<T>, name: string, extract: IndexExtractor<T>): Promise<void> {
    await this.#inventory.roster.indexField(kind, name, extract);
  }

  /**
   * Adds the controller that reads the Clusters. The manager does this by itself when it starts; a second time changes
   * nothing.
   *
   * @throws {TypeError} if another manager uses the provider, or the controller's name is taken.
   */
  async setupWithManager(manager: Manager): Promise<void> {
    await this.#inventory.setupWithManager(manager);
  }

  /** @throws {TypeError} without a manager: the Clusters are in its local cluster. */
  async run(aware: Aware, signal: AbortSignal): Promise<void> {
    await this.#inventory.run(aware, signal, async (manager) => {
      if (!this.#api) await this.#watchFirstServed(manager, signal);
    });
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
    this.#inventory.watch(kindSource(api.kind, enqueueRequestForObject(), { ...this.#scope, predicates }));
    const clusterOfSecret = enqueueMapped<Secret>(({ metadata }) => {
      const name = nameOfKubeconfigSecret(metadata.name);
      if (name === undefined) return [];
      const key = { namespace: metadata.namespace ?? '', name };
      return this.#inventory.has(key) ? [key] : [];
    });
    this.#inventory.watch(kindSource(Secret, clusterOfSecret, this.#secretScope(api)));
  }

  get #scope() {
    const { namespace, labelSelector } = this.#options;
    return { ...(namespace && { namespaces: [namespace] }), ...(labelSelector && { labelSelector }) };
  }

  #secretScope({ clusterNameLabel }: ClusterApi) {
    const { namespace } = this.#options;
    return { ...(namespace && { namespaces: [namespace] }), labelSelector: clusterNameLabel };
  }

  async #look(request: Request, { hub, signal }: HubContext): Promise<void> {
    const api = this.#api;
    if (!api) return;
    const name = clusterNameOf(request);
    const { store } = await hub.cache.informer(api.kind, this.#scope);
    const cluster = store.get(request);
    if (!cluster) {
      this.#inventory.roster.remove(name, `its Cluster ${name} was deleted, or is not selected any more`);
    } else if (cluster.metadata.deletionTimestamp !== undefined) {
      this.#inventory.roster.remove(name, `its Cluster ${name} is being deleted`);
    } else {
      try {
        await this.#follow(name, checkedCluster(cluster), { hub, api, signal });
      } catch (cause) {
        throw new Error(`its Cluster ${name} cannot be followed: ${messageOf(cause)}`, { cause });
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
      this.#inventory.roster.postpone(name, `the control plane of its Cluster ${name} is not ready`);
      return;
    }
    const kubeconfig = await getKubeconfig(cluster, context);
    // An answer that comes late is not to take the place of a later one.
    context.signal.throwIfAborted();
    const { metadata } = cluster;
    if (kubeconfig === undefined) {
      const secret = `${metadata.namespace}/${kubeconfigSecretName(metadata.name)}`;
      const missing = `its kubeconfig is not there: expected the key ${JSON.stringify(KUBECONFIG_KEY)} in the Secret ${secret}`;
      // Who has a kubeconfig renewed deletes the old one: the cluster that is there is not concerned.
      if (this.#inventory.roster.has(name)) this.#inventory.roster.refuse(name, new Error(missing));
      else this.#inventory.roster.postpone(name, missing);
      return;
    }
    const text = kubeconfig;
    this.#inventory.roster.admit(name, {
      digest: createHash('sha256').update(text).digest('hex'),
      config: () => parseKubeconfig(text, { policy }),
      info: infoOf(cluster, { provider: 'capi' }),
    });
  }

  async #fromSecret(
    { metadata: { namespace, name } }: DeepReadonly<AnyCluster>,
    { hub, api, signal }: { readonly hub: Cluster; readonly api: ClusterApi; readonly signal: AbortSignal },
  ): Promise<string | undefined> {
    const informer = await hub.cache.informer(Secret, this.#secretScope(api));
    await informer.waitForSync(signal);
    const secret = informer.store.get({ ...(namespace && { namespace }), name: kubeconfigSecretName(name) });
    try {
      return secret && secretValue(secret, KUBECONFIG_KEY)?.toString('utf8');
    } catch (cause) {
      throw new Error(`Secret ${namespace}/${kubeconfigSecretName(name)}: ${messageOf(cause)}`, { cause });
    }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Creates a provider for the clusters of Cluster API.
 *
 * @throws {TypeError} if an option is missing, unknown or invalid; the message names it.
 */
export function createCapiProvider(options: CapiProviderOptions = {}): CapiProvider {
  return new CapiProvider(options);
}
