import type { Clock, Kind, KubernetesObject, ObjectKey } from '@mcr/client';
import { EventsV1Event, kindText } from '@mcr/client';
import type { Cluster } from '../fleet/cluster/cluster.ts';
import type { Controller } from '../controller/controller.ts';
import { createController } from '../controller/create-controller.ts';
import { enqueueRequestForObject } from '../controller/handler/enqueue-object.ts';
import type { ControllerOptions } from '../options/controller-options.ts';
import { partText } from '../manager/claims.ts';
import type { Manager } from '../manager/manager.ts';
import type { Aware } from '../fleet/multicluster/aware.ts';
import type { ClusterName } from '../fleet/multicluster/cluster-name.ts';
import { LOCAL_CLUSTER } from '../fleet/multicluster/cluster-name.ts';
import type { ReconcileContext, Result } from '../controller/reconcile/reconciler.ts';
import type { ReconcileRequest } from '../controller/reconcile/request.ts';
import { funcSource } from '../controller/source/func-source.ts';
import type { KindSourceOptions } from '../controller/source/kind-source.ts';
import { kindSource } from '../controller/source/kind-source.ts';
import type { ClusterSource } from '../controller/source/source.ts';
import type { Permission, SourcePermission } from '../permissions/permission.ts';
import { BaseProvider } from './base-provider.ts';
import type { BaseProviderOptions } from './discovered-clusters.ts';

/** Options of a {@link HubProvider}. */
export interface HubProviderOptions extends BaseProviderOptions {
  /** Name of the controller that reconciles the inventory objects. Unique in the manager. */
  readonly controllerName: string;
  /** Concurrency and timeout of that controller. Default: those of the manager's controllers. */
  readonly controller?: Pick<ControllerOptions, 'maxConcurrentReconciles' | 'reconciliationTimeout'>;
}

/**
 * Base class of providers that read their inventory from objects in the hub (the manager's local cluster), one object for
 * each cluster. A subclass calls {@link watchInventory} in its constructor, and implements {@link reconcile}.
 */
export abstract class HubProvider extends BaseProvider {
  readonly #options: HubProviderOptions;
  readonly #sources: ClusterSource[] = [];
  /** Permissions of the watches of inventory objects. */
  readonly #inventory: SourcePermission[] = [];
  /** Keys of the known objects, by cluster name. */
  readonly #keys = new Map<ClusterName, ObjectKey>();
  /** Represents the set-up in the manager's claims. The provider itself is claimed by the manager or a MultiProvider. */
  readonly #setUpClaim = {};
  #setUp: { readonly hub: Cluster; readonly controller: Controller } | undefined;
  #enqueue: (key: ObjectKey) => void = () => undefined;
  #noteIfEmpty: () => void = () => undefined;

  constructor(options: HubProviderOptions) {
    super(options);
    this.#options = options;
  }

  /** Returns the name of an object's cluster. */
  protected abstract nameOf(key: ObjectKey): ClusterName;

  /**
   * Sets, postpones or removes the cluster of an object in {@link clusters}. Called while the provider runs: for every
   * object at first, and then after each change.
   *
   * @throws any error that makes the object unusable. The entry is then refused with the error, and its cluster is kept.
   * The object is reconciled again with backoff; after a `TerminalError`, when it changes.
   */
  protected abstract reconcile(request: ReconcileRequest, context: ReconcileContext): Promise<Result | void>;

  /**
   * The cluster that contains the inventory.
   *
   * @throws {TypeError} before {@link setupWithManager}.
   */
  protected get hub(): Cluster {
    return this.#requiredSetUp().hub;
  }

  /** The clock of the manager, which also runs the delays of requests. */
  protected override get clock(): Clock {
    return this.manager?.clock ?? super.clock;
  }

  /** Reconciles the objects of a kind. Logs a message if the hub has none when the watch has synced. */
  protected watchInventory<T extends KubernetesObject>(kind: Kind<T>, options: KindSourceOptions<T> = {}): void {
    const { namespaces, labelSelector, fieldSelector } = options;
    const source = kindSource(kind, enqueueRequestForObject(), options);
    this.#inventory.push(...(source.permissions ?? []));
    this.watch({
      ...source,
      start: async (context) => {
        const started = await source.start(context);
        const noteIfEmpty = () => {
          if (started.objects?.() === 0)
            this.inventoryRead({ kind: kindText(kind), namespaces, labelSelector, fieldSelector });
        };
        const synced = started.synced.then(() => {
          this.#noteIfEmpty = noteIfEmpty;
          noteIfEmpty();
        });
        synced.catch(() => undefined);
        return started;
      },
    });
  }

  /** Reconciles the requests that a source adds. The source is started only in the hub. */
  protected watch(source: ClusterSource): void {
    const inHub = { ...source, clusterFilter: (name: ClusterName) => name === LOCAL_CLUSTER };
    this.#sources.push(inHub);
    void this.#setUp?.controller.watch(inHub);
  }

  /** Adds the permissions of the watches, and of the Events about the inventory objects. */
  override permissions(): Permission[] {
    const events = { kind: EventsV1Event, verbs: ['create', 'patch'] };
    return [
      ...super.permissions(),
      ...this.#sources.flatMap(({ permissions = [] }) => inLocal(permissions)),
      ...inLocal(this.#inventory.map(({ namespaces }) => ({ ...events, ...(namespaces && { namespaces }) }))),
    ];
  }

  /** Returns the keys of the reconciled objects that have a cluster or a problem. */
  protected keys(): ObjectKey[] {
    return [...this.#keys.values()];
  }

  /** Whether {@link keys} includes the key. */
  protected hasKey(key: ObjectKey): boolean {
    return this.#keys.has(this.nameOf(key));
  }

  /** Reconciles all known objects. An override must call it. */
  protected async discover(_signal: AbortSignal): Promise<void> {
    for (const key of this.keys()) this.#enqueue(key);
    this.#noteIfEmpty();
  }

  protected override rediscover(name: ClusterName): void {
    const key = this.#keys.get(name);
    if (key) this.#enqueue(key);
  }

  /**
   * Adds the controller that reconciles the inventory. The manager calls it when it starts; further calls have no
   * effect. After the manager has stopped, the provider can be set up with another manager.
   *
   * @throws {TypeError} if another manager uses the provider, the manager has no local cluster, or the controller's name
   * is in use.
   */
  override async setupWithManager(manager: Manager): Promise<void> {
    const refused = new AbortController();
    if (!manager.claim(this.#setUpClaim, partText('provider', this), refused)) return;
    try {
      await this.#addController(manager);
      await super.setupWithManager(manager);
    } catch (error) {
      refused.abort();
      throw error;
    }
  }

  /** @throws {TypeError} if the provider was not set up with a manager, whose local cluster contains the inventory. */
  override async run(aware: Aware, signal: AbortSignal): Promise<void> {
    this.#requiredSetUp();
    await super.run(aware, signal);
  }

  async #addController(manager: Manager): Promise<void> {
    if (!manager.hasLocalCluster) {
      throw new TypeError(
        `${partText('provider', this)}: its inventory is in the hub, and the manager has no local cluster: set $KUBECONFIG to a kubeconfig of the hub, or the option config of createManager`,
      );
    }
    this.#noteIfEmpty = () => undefined;
    const { controllerName, controller: options } = this.#options;
    const controller = createController(controllerName, manager, {
      ...options,
      // The controller runs as long as the provider does, which may start before this process leads.
      needLeaderElection: false,
      // It only reads. Every replica knows the whole fleet.
      sharded: false,
      reconciler: (request, context) => this.#reconcile(request, context),
    });
    for (const source of this.#sources) void controller.watch(source);
    void controller.watch(
      funcSource(({ queue }) => {
        this.#enqueue = ({ namespace = '', name }) => queue.add({ clusterName: LOCAL_CLUSTER, namespace, name });
      }),
    );
    await manager.add({
      group: 'provider',
      engageLocal: true,
      engagePrepared: true,
      engage: (...engagement) => controller.engage(...engagement),
      describe: () => controller.describe?.() ?? `controller ${controller.name}`,
      run: (signal) => controller.run(signal),
    });
    this.#setUp = { hub: manager.localManager.cluster, controller };
  }

  #requiredSetUp() {
    if (this.#setUp) return this.#setUp;
    throw new TypeError(`${partText('provider', this)}: pass it to a manager, or call setupWithManager`);
  }

  async #reconcile(request: ReconcileRequest, context: ReconcileContext): Promise<Result | void> {
    const name = this.nameOf(request);
    this.#keys.set(name, request);
    const isOpen = () => this.clusters.isOpen;
    if (!isOpen()) return;
    try {
      return await this.reconcile(request, context);
    } catch (error) {
      const { aborted } = context.signal;
      if (!aborted) this.clusters.refuse(name, error instanceof Error ? error : new Error(String(error)));
      throw error;
    } finally {
      // If the provider stopped during the reconcile, the object is reconciled when it runs again.
      if (isOpen() && !this.clusters.knows(name)) this.#keys.delete(name);
    }
  }
}

function inLocal(permissions: readonly SourcePermission[]): Permission[] {
  return permissions.map((permission) => ({ ...permission, in: 'local' }));
}
