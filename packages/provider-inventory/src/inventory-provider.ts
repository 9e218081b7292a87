import { createHash } from 'node:crypto';
import type {
  Aware,
  Cluster,
  ClusterName,
  HubContext,
  IndexExtractor,
  Kind,
  KubernetesObject,
  Manager,
  ObjectKey,
  Provider,
  Request,
  Result,
} from '@mcr/core';
import {
  CLUSTERSET_LABEL,
  enqueueMapped,
  enqueueRequestForObject,
  HubInventory,
  kindSource,
  Namespace,
  partialMetadata,
} from '@mcr/core';
import type { AccessStrategy, Candidate } from './access.ts';
import { ClusterProfile } from './cluster-profile.ts';
import { ExecAccess } from './exec-access.ts';
import type { InventoryProviderOptions } from './options.ts';
import { withDefaults } from './options.ts';
import { profileInfoOf } from './profile-info.ts';
import { statusOf } from './profile-status.ts';
import { SecretAccess } from './secret-access.ts';

const NamespaceLabels = partialMetadata(Namespace);

/** `<namespace>/<name>`: what the cluster of a profile is called in the fleet. */
const clusterNameOf = ({ namespace, name }: ObjectKey): ClusterName => `${namespace}/${name}`;

/**
 * Makes a cluster of every ClusterProfile in the hub that says that its cluster is healthy. It is called
 * `<namespace>/<name>`. (Upstream: `providers/cluster-inventory-api`.)
 */
export class InventoryProvider implements Provider {
  readonly #options: ReturnType<typeof withDefaults>;
  readonly #access: AccessStrategy;
  readonly #inventory: HubInventory;
  /** Since when clusters are engaged that are not ready any more: readings of the manager's clock. */
  readonly #unreadySince = new Map<ClusterName, number>();

  /** @throws {TypeError} that names the option, when one is missing, unknown or wrong. */
  constructor(options: InventoryProviderOptions) {
    this.#options = withDefaults(options);
    const { accessProviders, secret, clusterOptions, configure, newCluster } = options;
    const { controllerName, scope } = this.#options;
    this.#access = secret ? new SecretAccess({ ...secret, scope }) : new ExecAccess(accessProviders);
    this.#inventory = new HubInventory({
      provider: 'InventoryProvider',
      controllerName,
      ...(clusterOptions && { clusterOptions }),
      ...(configure && { configure }),
      ...(newCluster && { newCluster }),
      nameOf: clusterNameOf,
      look: (request, context) => this.#look(request, context),
    });
    this.#inventory.watch(kindSource(ClusterProfile, enqueueRequestForObject(), scope));
    const profilesOf = enqueueMapped<KubernetesObject>(({ metadata: { name } }) =>
      this.#inventory.keys().filter(({ namespace }) => namespace === name),
    );
    this.#inventory.watch(kindSource(NamespaceLabels, profilesOf, this.#namespaceScope));
    for (const source of this.#access.sources()) this.#inventory.watch(source);
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
   * Adds the controller that reads the profiles. The manager does this by itself when it starts; a second time changes
   * nothing.
   *
   * @throws {TypeError} if another manager uses the provider, or the controller's name is taken.
   */
  async setupWithManager(manager: Manager): Promise<void> {
    await this.#inventory.setupWithManager(manager);
  }

  /** @throws {TypeError} without a manager: the profiles are in its local cluster. */
  async run(aware: Aware, signal: AbortSignal): Promise<void> {
    await this.#inventory.run(aware, signal);
    this.#unreadySince.clear();
  }

  /** Only namespaces that say of which clusterset they are; the server selects. */
  get #namespaceScope() {
    const { namespace } = this.#options;
    return {
      labelSelector: CLUSTERSET_LABEL,
      ...(namespace !== undefined && { fieldSelector: `metadata.name=${namespace}` }),
    };
  }

  async #look(request: Request, context: HubContext): Promise<Result | void> {
    try {
      return await this.#follow(request, context);
    } catch (error) {
      if (context.signal.aborted) throw error;
      this.#inventory.roster.refuse(clusterNameOf(request), error as Error);
      return { requeueAfter: this.#options.requeueWhenNotReady };
    }
  }

  async #follow(request: Request, context: HubContext): Promise<Result | void> {
    const name = clusterNameOf(request);
    const { store } = await context.hub.cache.informer(ClusterProfile, this.#options.scope);
    const profile = store.get(request);
    if (!profile || profile.metadata.deletionTimestamp !== undefined) {
      this.#unreadySince.delete(name);
      this.#inventory.roster.remove(name, `its ClusterProfile ${name} ${profile ? 'is being' : 'was'} deleted`);
      return;
    }
    const status = statusOf(profile);
    if (!this.#options.isReady(profile)) return this.#postpone(name, context);
    this.#unreadySince.delete(name);
    return this.#admit(name, { profile, status }, context);
  }

  /** A cluster that is engaged is given time to become ready again. */
  #postpone(name: ClusterName, { clock }: HubContext): Result {
    const { unhealthyGrace, requeueWhenNotReady } = this.#options;
    const reason = `its ClusterProfile ${name} does not say that it is healthy`;
    const since = this.#unreadySince.get(name) ?? clock.now();
    const left = since + unhealthyGrace - clock.now();
    if (!this.#inventory.roster.has(name) || left <= 0) {
      this.#unreadySince.delete(name);
      this.#inventory.roster.postpone(name, reason);
      return { requeueAfter: requeueWhenNotReady };
    }
    this.#unreadySince.set(name, since);
    this.#inventory.roster.refuse(name, new Error(`${reason}, for up to ${unhealthyGrace} ms`));
    return { requeueAfter: Math.min(left, requeueWhenNotReady) };
  }

  async #admit(
    name: ClusterName,
    { profile, status }: Pick<Candidate, 'profile' | 'status'>,
    { hub, signal }: HubContext,
  ): Promise<Result | void> {
    const access = await this.#access.find({ profile, status, hub, signal });
    if (access.outcome === 'missing') {
      // Access is not taken away by what is not there for a while, as long as the profile is there.
      if (this.#inventory.roster.has(name)) this.#inventory.roster.refuse(name, new Error(access.reason));
      else this.#inventory.roster.postpone(name, access.reason);
      return { requeueAfter: this.#options.requeueWhenNotReady };
    }
    const namespaces = await hub.cache.informer(NamespaceLabels, this.#namespaceScope);
    const namespace = namespaces.store.get({ name: profile.metadata.namespace ?? '' });
    const info = profileInfoOf(profile, status, namespace?.metadata.labels?.[CLUSTERSET_LABEL]);
    const { source, config } = access;
    this.#inventory.roster.admit(name, { digest: createHash('sha256').update(source).digest('hex'), config, info });
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
