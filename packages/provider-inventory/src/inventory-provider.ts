import { createHash } from 'node:crypto';
import type {
  Aware,
  ClusterName,
  KubernetesObject,
  ObjectKey,
  ReconcileContext,
  ReconcileRequest,
  Result,
} from '@mcr/core';
import { enqueueMapped, kindSource, Namespace, partialMetadata } from '@mcr/core';
import { CLUSTERSET_LABEL, HubProvider } from '@mcr/core/provider';
import type { AccessStrategy, Candidate } from './access.ts';
import { ClusterProfile } from './cluster-profile.ts';
import { ExecAccess } from './exec-access.ts';
import type { InventoryProviderOptions } from './options.ts';
import { withDefaults } from './options.ts';
import { profileInfoOf } from './profile-info.ts';
import { statusOf } from './profile-status.ts';
import { SecretAccess } from './secret-access.ts';

const NamespaceLabels = partialMetadata(Namespace);

/**
 * Discovers a cluster for every ClusterProfile in the hub that reports its cluster as healthy. The cluster is named
 * `<namespace>/<name>`. (Upstream: `providers/cluster-inventory-api`.)
 */
export class InventoryProvider extends HubProvider {
  readonly #options: ReturnType<typeof withDefaults>;
  readonly #access: AccessStrategy;
  /** Readings of the clock at which engaged clusters became unready. */
  readonly #unreadySince = new Map<ClusterName, number>();

  /** @throws {TypeError} if an option is missing, unknown or invalid; the message names it. */
  constructor(options: InventoryProviderOptions) {
    const defaulted = withDefaults(options);
    super(defaulted);
    this.#options = defaulted;
    const { accessProviders, secret } = options;
    const { scope } = defaulted;
    this.#access = secret ? new SecretAccess({ ...secret, scope }) : new ExecAccess(accessProviders);
    this.watchInventory(ClusterProfile, scope);
    const profilesOf = enqueueMapped<KubernetesObject>(({ metadata: { name } }) =>
      this.keys().filter(({ namespace }) => namespace === name),
    );
    this.watch(kindSource(NamespaceLabels, profilesOf, this.#namespaceScope));
    for (const source of this.#access.sources()) this.watch(source);
  }

  protected nameOf({ namespace, name }: ObjectKey): ClusterName {
    return `${namespace}/${name}`;
  }

  override async run(aware: Aware, signal: AbortSignal): Promise<void> {
    await super.run(aware, signal);
    this.#unreadySince.clear();
  }

  /** Selects the namespaces with a clusterset label, at the API server. */
  get #namespaceScope() {
    const { namespace } = this.#options;
    return {
      labelSelector: CLUSTERSET_LABEL,
      ...(namespace !== undefined && { fieldSelector: `metadata.name=${namespace}` }),
    };
  }

  protected async reconcile(request: ReconcileRequest, context: ReconcileContext): Promise<Result | void> {
    try {
      return await this.#follow(request, context);
    } catch (error) {
      if (context.signal.aborted) throw error;
      this.clusters.refuse(this.nameOf(request), error as Error);
      return { requeueAfter: this.#options.requeueWhenNotReady };
    }
  }

  async #follow(request: ReconcileRequest, { signal }: ReconcileContext): Promise<Result | void> {
    const name = this.nameOf(request);
    const { store } = await this.hub.cache.informer(ClusterProfile, this.#options.scope);
    const profile = store.get(request);
    if (!profile || profile.metadata.deletionTimestamp !== undefined) {
      this.#unreadySince.delete(name);
      this.clusters.remove(name, `its ClusterProfile ${name} ${profile ? 'is being' : 'was'} deleted`);
      return;
    }
    const status = statusOf(profile);
    if (!this.#options.isReady(profile)) return this.#postpone(name);
    this.#unreadySince.delete(name);
    return this.#set(name, { profile, status }, signal);
  }

  /** Disengages a cluster that is not ready, after a grace period. */
  #postpone(name: ClusterName): Result {
    const { unhealthyGrace, requeueWhenNotReady } = this.#options;
    const reason = `its ClusterProfile ${name} does not report a healthy control plane`;
    const since = this.#unreadySince.get(name) ?? this.clock.now();
    const left = since + unhealthyGrace - this.clock.now();
    if (!this.clusters.has(name) || left <= 0) {
      this.#unreadySince.delete(name);
      this.clusters.postpone(name, reason);
      return { requeueAfter: requeueWhenNotReady };
    }
    this.#unreadySince.set(name, since);
    this.clusters.refuse(name, new Error(`${reason}, and has up to ${unhealthyGrace} ms to recover`));
    return { requeueAfter: Math.min(left, requeueWhenNotReady) };
  }

  async #set(
    name: ClusterName,
    { profile, status }: Pick<Candidate, 'profile' | 'status'>,
    signal: AbortSignal,
  ): Promise<Result | void> {
    const { hub } = this;
    const access = await this.#access.find({ profile, status, hub, signal });
    if (access.outcome === 'missing') {
      // An engaged cluster is kept while access is missing, as long as its profile exists.
      if (this.clusters.has(name)) this.clusters.refuse(name, new Error(access.reason));
      else this.clusters.postpone(name, access.reason);
      return { requeueAfter: this.#options.requeueWhenNotReady };
    }
    const namespaces = await hub.cache.informer(NamespaceLabels, this.#namespaceScope);
    const namespace = namespaces.store.get({ name: profile.metadata.namespace ?? '' });
    const info = profileInfoOf(profile, status, namespace?.metadata.labels?.[CLUSTERSET_LABEL]);
    const { source, config } = access;
    this.clusters.set(name, { digest: createHash('sha256').update(source).digest('hex'), config, info });
    return undefined;
  }
}

/**
 * Creates a provider for the clusters of a ClusterProfile inventory (KEP-4322).
 *
 * @throws {TypeError} if an option is missing, unknown or invalid; the message names it.
 */
export function createInventoryProvider(options: InventoryProviderOptions): InventoryProvider {
  return new InventoryProvider(options);
}
