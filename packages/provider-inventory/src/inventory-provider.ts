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
  ObjectKey,
  Provider,
  ReconcileContext,
  Request,
  Result,
} from '@mcr/core';
import {
  enqueueMapped,
  enqueueRequestForObject,
  funcSource,
  kindSource,
  LOCAL_CLUSTER,
  Namespace,
  newController,
  partialMetadata,
  Roster,
  untilAborted,
} from '@mcr/core';
import type { AccessStrategy } from './access.ts';
import { ClusterProfile } from './cluster-profile.ts';
import { ExecAccess } from './exec-access.ts';
import type { InventoryProviderOptions } from './options.ts';
import { withDefaults } from './options.ts';
import { CLUSTERSET_LABEL, infoOf } from './profile-info.ts';
import { statusOf } from './profile-status.ts';
import { SecretAccess } from './secret-access.ts';

/** A cluster that stopped by itself, or that somebody refused, is made again after this long, in milliseconds. */
const UNTIL_MADE_AGAIN = 5_000;

const NamespaceLabels = partialMetadata(Namespace);

const inHub = (name: ClusterName) => name === LOCAL_CLUSTER;

/** `<namespace>/<name>`: what the cluster of a profile is called in the fleet. */
const clusterNameOf = ({ namespace, name }: ObjectKey): ClusterName => `${namespace}/${name}`;

function profileKeyOf(clusterName: ClusterName): Required<ObjectKey> {
  const slash = clusterName.indexOf('/');
  return { namespace: clusterName.slice(0, slash), name: clusterName.slice(slash + 1) };
}

/**
 * Makes a cluster of every ClusterProfile in the hub that says that its cluster is healthy. It is called
 * `<namespace>/<name>`. (Upstream: `providers/cluster-inventory-api`.)
 */
export class InventoryProvider implements Provider {
  readonly #options: ReturnType<typeof withDefaults>;
  readonly #access: AccessStrategy;
  readonly #roster: Roster;
  /** Since when clusters are engaged that are not ready any more: readings of the manager's clock. */
  readonly #unreadySince = new Map<ClusterName, number>();
  /** What nobody has looked at since {@link run} ended, or before it began. */
  readonly #unseen = new Set<ClusterName>();
  #manager: Manager | undefined;
  /** Has the profile of a cluster looked at, in `after` milliseconds. */
  #look: (name: ClusterName, after?: number) => void = () => undefined;

  /** @throws {TypeError} that names the option, when one is missing, unknown or wrong. */
  constructor(options: InventoryProviderOptions) {
    this.#options = withDefaults(options);
    const { accessProviders, secret, clusterOptions, configure, newCluster } = options;
    this.#access = secret
      ? new SecretAccess({ ...secret, scope: this.#options.scope })
      : new ExecAccess(accessProviders);
    this.#roster = new Roster({
      ...(clusterOptions && { clusterOptions }),
      ...(configure && { configure }),
      ...(newCluster && { newCluster }),
      onLost: (name) => this.#look(name, UNTIL_MADE_AGAIN),
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
   * Adds the controller that reads the profiles. The manager does this by itself when it starts; a second time changes
   * nothing.
   *
   * @throws {TypeError} when the provider serves another manager, or the controller's name is taken.
   */
  async setupWithManager(manager: Manager): Promise<void> {
    if (this.#manager === manager) return;
    if (this.#manager) throw new TypeError('this InventoryProvider serves another manager: make one for each');
    const controller = newController(this.#options.controllerName, manager, {
      // It runs as long as the provider does, which may be before this process leads.
      needLeaderElection: false,
      reconciler: (request, context) => this.#reconcile(request, context, manager),
    });
    const { scope } = this.#options;
    controller.watch(kindSource(ClusterProfile, enqueueRequestForObject(), { ...scope, clusterFilter: inHub }));
    const profilesOf = enqueueMapped<KubernetesObject>(({ metadata: { name } }) =>
      this.#roster
        .names()
        .map(profileKeyOf)
        .filter(({ namespace }) => namespace === name),
    );
    controller.watch(kindSource(NamespaceLabels, profilesOf, { ...this.#namespaceScope, clusterFilter: inHub }));
    for (const source of this.#access.sources(inHub)) controller.watch(source);
    controller.watch(
      funcSource(({ queue }) => {
        this.#look = (name, after = 0) => queue.add({ clusterName: LOCAL_CLUSTER, ...profileKeyOf(name) }, { after });
      }),
    );
    await manager.add({
      group: 'provider',
      engage: (...engagement) => controller.engage(...engagement),
      run: (signal) => controller.run(signal),
    });
    this.#manager = manager;
  }

  /** @throws {TypeError} without a manager: the profiles are in its local cluster. */
  async run(aware: Aware, signal: AbortSignal): Promise<void> {
    if (!this.#manager) throw new TypeError('InventoryProvider: give it to a manager, or call setupWithManager');
    this.#roster.open(aware, signal, this.#manager);
    for (const name of this.#unseen) this.#look(name);
    this.#unseen.clear();
    await untilAborted(signal);
    for (const name of this.#roster.names()) this.#unseen.add(name);
    this.#unreadySince.clear();
    await this.#roster.close();
  }

  /** Only namespaces that say of which clusterset they are; the server selects. */
  get #namespaceScope() {
    const { namespace } = this.#options;
    return {
      labelSelector: CLUSTERSET_LABEL,
      ...(namespace !== undefined && { fieldSelector: `metadata.name=${namespace}` }),
    };
  }

  async #reconcile(request: Request, { signal }: ReconcileContext, manager: Manager): Promise<Result | void> {
    const name = clusterNameOf(request);
    try {
      return this.#roster.isOpen ? await this.#lookAt(request, manager, signal) : undefined;
    } catch (error) {
      if (signal.aborted) throw error;
      this.#roster.refuse(name, error as Error);
      return { requeueAfter: this.#options.requeueWhenNotReady };
    } finally {
      // It may have been closed meanwhile: then there was nobody to engage the cluster with.
      if (!this.#roster.isOpen) this.#unseen.add(name);
    }
  }

  async #lookAt(request: Request, manager: Manager, signal: AbortSignal): Promise<Result | void> {
    const name = clusterNameOf(request);
    const { cluster: hub } = manager.localManager;
    const { store } = await hub.cache.informer(ClusterProfile, this.#options.scope);
    const profile = store.get(request);
    if (!profile || profile.metadata.deletionTimestamp !== undefined) {
      this.#unreadySince.delete(name);
      this.#roster.remove(name, `its ClusterProfile ${name} ${profile ? 'is being' : 'was'} deleted`);
      return;
    }
    if (!this.#options.isReady(profile)) return this.#postpone(name, manager);
    this.#unreadySince.delete(name);
    return this.#admit(name, profile, hub, signal);
  }

  /** A cluster that is engaged is given time to become ready again. */
  #postpone(name: ClusterName, { clock }: Manager): Result {
    const { unhealthyGrace, requeueWhenNotReady } = this.#options;
    const reason = `its ClusterProfile ${name} does not say that it is healthy`;
    const since = this.#unreadySince.get(name) ?? clock.now();
    const left = since + unhealthyGrace - clock.now();
    if (!this.#roster.has(name) || left <= 0) {
      this.#unreadySince.delete(name);
      this.#roster.postpone(name, reason);
      return { requeueAfter: requeueWhenNotReady };
    }
    this.#unreadySince.set(name, since);
    this.#roster.refuse(name, new Error(`${reason}, for up to ${unhealthyGrace} ms`));
    return { requeueAfter: Math.min(left, requeueWhenNotReady) };
  }

  async #admit(
    name: ClusterName,
    profile: DeepReadonly<ClusterProfile>,
    hub: Cluster,
    signal: AbortSignal,
  ): Promise<Result | void> {
    const status = statusOf(profile);
    const access = await this.#access.find({ profile, status, hub, signal });
    if (access.outcome === 'missing') {
      // Access is not taken away by what is not there for a while, as long as the profile is there.
      if (this.#roster.has(name)) this.#roster.refuse(name, new Error(access.reason));
      else this.#roster.postpone(name, access.reason);
      return { requeueAfter: this.#options.requeueWhenNotReady };
    }
    const namespaces = await hub.cache.informer(NamespaceLabels, this.#namespaceScope);
    const namespace = namespaces.store.get({ name: profile.metadata.namespace ?? '' });
    const info = infoOf(profile, status, namespace?.metadata.labels?.[CLUSTERSET_LABEL]);
    const { source, config } = access;
    const { labels, properties } = info;
    this.#roster.admit(name, {
      digest: createHash('sha256')
        .update(JSON.stringify([source, labels, properties]))
        .digest('hex'),
      config,
      info,
    });
    return undefined;
  }
}
