import { createHash } from 'node:crypto';
import type { ClusterName, DeepReadonly, ObjectKey, Permission, ReconcileContext, ReconcileRequest } from '@mcr/core';
import { enqueueMapped, EventsV1Event, isNoKindMatch, kindSource, parseKubeconfig, Secret, sleep } from '@mcr/core';
import { HubProvider, infoOf, secretValue } from '@mcr/core/provider';
import type { AnyCluster, ClusterApi } from './cluster-api.ts';
import { checkedCluster } from './checked-cluster.ts';
import { KUBECONFIG_KEY, kubeconfigSecretName, nameOfKubeconfigSecret } from './kubeconfig-secret.ts';
import type { CapiProviderOptions } from './options.ts';
import { withDefaults } from './options.ts';

/** Interval at which the hub is asked which version of the kind it serves, in milliseconds. */
const UNTIL_SERVED = 10_000;

/** A custom `getKubeconfig` may be slow: it must not delay other Clusters, and must end. */
const CONTROLLER = { maxConcurrentReconciles: 16, reconciliationTimeout: 30_000 };

/**
 * Discovers a cluster for every Cluster object of Cluster API in the hub whose control plane is initialised. The cluster is
 * named `<namespace>/<name>`. (Upstream: `providers/cluster-api`.)
 */
export class CapiProvider extends HubProvider {
  readonly #options: ReturnType<typeof withDefaults>;
  /** The version of the kind that is watched: known once the hub serves one of them. */
  #api: ClusterApi | undefined;

  /** @throws {TypeError} if an option is unknown or invalid; the message names it. */
  constructor(options: CapiProviderOptions = {}) {
    const defaulted = withDefaults(options);
    super({ ...defaulted, controller: CONTROLLER });
    this.#options = defaulted;
  }

  /** Returns the permissions for all versions that the hub may serve. */
  override permissions(): Permission[] {
    const { namespaces } = this.#scope;
    const scope = { ...(namespaces && { namespaces }), in: 'local' } as const;
    return [
      ...super.permissions(),
      ...this.#options.apis.map(({ kind }) => ({ kind, verbs: ['list', 'watch'], ...scope })),
      { kind: Secret, verbs: ['list', 'watch'], ...scope },
      { kind: EventsV1Event, verbs: ['create', 'patch'], ...scope },
    ];
  }

  protected nameOf({ namespace, name }: ObjectKey): ClusterName {
    return `${namespace}/${name}`;
  }

  protected override async discover(signal: AbortSignal): Promise<void> {
    await super.discover(signal);
    if (!this.#api) await this.#watchFirstServed(signal);
  }

  /** Polls until the hub serves a version: the CustomResourceDefinition may be installed later. */
  async #watchFirstServed(signal: AbortSignal): Promise<void> {
    const { restMapper } = this.hub;
    let wasLogged = false;
    while (!signal.aborted) {
      for (const api of this.#options.apis) {
        const { apiVersion, kind } = api.kind;
        try {
          // Without `plural` and `scope`, so that the kind is looked up at the server.
          await restMapper.resolve({ apiVersion, kind });
          this.#watch(api);
          return;
        } catch (error) {
          if (!wasLogged) this.log.warn('hub does not serve the kind yet', { apiVersion, kind, error });
          // The next version is tried only if the hub responds that it does not serve this one.
          if (!isNoKindMatch(error)) break;
        }
      }
      wasLogged = true;
      await sleep(this.clock, UNTIL_SERVED, signal).catch(() => undefined);
    }
  }

  #watch(api: ClusterApi): void {
    this.#api = api;
    const { predicates } = this.#options;
    this.watchInventory(api.kind, { ...this.#scope, predicates });
    const clusterOfSecret = enqueueMapped<Secret>(({ metadata }) => {
      const name = nameOfKubeconfigSecret(metadata.name);
      if (name === undefined) return [];
      const key = { namespace: metadata.namespace ?? '', name };
      return this.hasKey(key) ? [key] : [];
    });
    this.watch(kindSource(Secret, clusterOfSecret, this.#secretScope(api)));
  }

  get #scope() {
    const { namespace, labelSelector } = this.#options;
    return { ...(namespace && { namespaces: [namespace] }), ...(labelSelector && { labelSelector }) };
  }

  #secretScope({ clusterNameLabel }: ClusterApi) {
    const { namespace } = this.#options;
    return { ...(namespace && { namespaces: [namespace] }), labelSelector: clusterNameLabel };
  }

  protected async reconcile(request: ReconcileRequest, { signal }: ReconcileContext): Promise<void> {
    const api = this.#api;
    if (!api) return;
    const name = this.nameOf(request);
    const { store } = await this.hub.cache.informer(api.kind, this.#scope);
    const cluster = store.get(request);
    if (!cluster) {
      this.clusters.remove(name, `its Cluster ${name} was deleted, or is no longer selected`);
    } else if (cluster.metadata.deletionTimestamp !== undefined) {
      this.clusters.remove(name, `its Cluster ${name} is being deleted`);
    } else {
      try {
        await this.#follow(name, checkedCluster(cluster), { api, signal });
      } catch (cause) {
        throw new Error(`its Cluster ${name} cannot be used: ${messageOf(cause)}`, { cause });
      }
    }
  }

  async #follow(
    name: ClusterName,
    cluster: DeepReadonly<AnyCluster>,
    { api, signal }: { readonly api: ClusterApi; readonly signal: AbortSignal },
  ): Promise<void> {
    const { policy, isReady = (named: DeepReadonly<AnyCluster>) => api.isReady(named), getKubeconfig } = this.#options;
    if (!isReady(cluster)) {
      this.clusters.postpone(name, `the control plane of its Cluster ${name} is not ready`);
      return;
    }
    const kubeconfig = getKubeconfig
      ? constant(await getKubeconfig(cluster, { hub: this.hub, signal }))
      : await this.#fromSecret(cluster, { api, signal });
    // A late result must not replace a newer one.
    signal.throwIfAborted();
    const { metadata } = cluster;
    if (kubeconfig === undefined) {
      const secret = `${metadata.namespace}/${kubeconfigSecretName(metadata.name)}`;
      const missing = `its kubeconfig is missing: expected key ${JSON.stringify(KUBECONFIG_KEY)} in the Secret ${secret}`;
      // The Secret may be deleted to be recreated with a new kubeconfig: an engaged cluster is kept.
      if (this.clusters.has(name)) this.clusters.refuse(name, new Error(missing));
      else this.clusters.postpone(name, missing);
      return;
    }
    this.clusters.set(name, {
      digest: createHash('sha256').update(kubeconfig()).digest('hex'),
      config: () => parseKubeconfig(kubeconfig(), { policy }),
      info: infoOf(cluster, { provider: 'capi' }),
    });
  }

  /** Returns a function that decodes the kubeconfig, so that only the Secret, which the cache holds anyway, is kept. */
  async #fromSecret(
    { metadata: { namespace, name } }: DeepReadonly<AnyCluster>,
    { api, signal }: { readonly api: ClusterApi; readonly signal: AbortSignal },
  ): Promise<(() => string) | undefined> {
    const informer = await this.hub.cache.informer(Secret, this.#secretScope(api));
    await informer.waitForSync(signal);
    const secret = informer.store.get({ ...(namespace && { namespace }), name: kubeconfigSecretName(name) });
    try {
      if (!secret || secretValue(secret, KUBECONFIG_KEY) === undefined) return undefined;
      return () => secretValue(secret, KUBECONFIG_KEY)?.toString('utf8') ?? '';
    } catch (cause) {
      throw new Error(`its Secret ${namespace}/${kubeconfigSecretName(name)} cannot be used: ${messageOf(cause)}`, {
        cause,
      });
    }
  }
}

function constant(text: string | undefined): (() => string) | undefined {
  return text === undefined ? undefined : () => text;
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
