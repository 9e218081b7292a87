import type { Clock, ObjectKey } from '@mcr/client';
import type { Cluster } from '../fleet/cluster/cluster.ts';
import type { Controller } from '../controller/controller.ts';
import { createController } from '../controller/controller.ts';
import type { ControllerOptions } from '../options/controller-options.ts';
import type { Manager } from '../manager/manager.ts';
import type { Aware } from '../fleet/multicluster/aware.ts';
import type { ClusterName } from '../fleet/multicluster/cluster-name.ts';
import { LOCAL_CLUSTER } from '../fleet/multicluster/cluster-name.ts';
import type { ReconcileContext, Result } from '../controller/reconcile/reconciler.ts';
import type { Request } from '../controller/reconcile/request.ts';
import { funcSource } from '../controller/source/func-source.ts';
import type { ClusterSource } from '../controller/source/source.ts';
import type { RosterOptions } from './roster.ts';
import { Roster } from './roster.ts';

export interface HubInventoryOptions extends Omit<RosterOptions, 'onLost'> {
  /** What errors call the provider, for example `CapiProvider`. */
  readonly provider: string;
  /** Name of the controller that looks at the objects, one of a kind in its manager. */
  readonly controllerName: string;
  /** How many objects are looked at at once, and for how long each. Default: as for every controller of the manager. */
  readonly looks?: Pick<ControllerOptions, 'maxConcurrentReconciles' | 'reconciliationTimeout'>;
  /** What the cluster of an object is called in the fleet. */
  readonly nameOf: (key: ObjectKey) => ClusterName;
  /**
   * Looks at an object: admits, refuses, postpones or removes its cluster in {@link HubInventory.roster}. Called while
   * the provider runs: at each change, and for all objects at the beginning. If it throws, the entry is refused with that
   * error, its cluster is kept, and the object is looked at again: with backoff, or after a `TerminalError` when it changes.
   */
  readonly look: (key: Request, context: HubContext) => Promise<Result | void>;
}

/** What an object is looked at with. */
export interface HubContext {
  /** The cluster that the object is in. */
  readonly hub: Cluster;
  readonly clock: Clock;
  /** Aborts when the answer is of no more use. */
  readonly signal: AbortSignal;
}

/** A cluster that stopped by itself, or that somebody refused, is made again after this long, in milliseconds. */
const UNTIL_MADE_AGAIN = 5_000;

/**
 * The inventory of a provider that has an object for each cluster in the hub, the manager's local cluster: a
 * {@link Roster}, and the controller that looks at the objects.
 */
export class HubInventory {
  readonly roster: Roster;
  readonly #options: HubInventoryOptions;
  readonly #sources: ClusterSource[] = [];
  /** The objects that there may be, by the names of their clusters. */
  readonly #keys = new Map<ClusterName, ObjectKey>();
  #setUp: { readonly manager: Manager; readonly controller: Controller } | undefined;
  #enqueue: (key: ObjectKey, after: number) => void = () => undefined;

  constructor(options: HubInventoryOptions) {
    this.#options = options;
    this.roster = new Roster({
      ...options,
      onLost: (name) => {
        const key = this.#keys.get(name);
        if (key) this.#enqueue(key, UNTIL_MADE_AGAIN);
      },
    });
  }

  /** Has objects looked at when `source` asks for it; it is started in the hub alone. Before the set-up or later. */
  watch(source: ClusterSource): void {
    const inHub = { ...source, clusterFilter: (name: ClusterName) => name === LOCAL_CLUSTER };
    this.#sources.push(inHub);
    void this.#setUp?.controller.watch(inHub);
  }

  /**
   * Adds the controller. A second call with the same manager has no effect. After the manager has stopped, another
   * manager can be set up.
   *
   * @throws {TypeError} if another manager uses the provider, or the controller's name is taken.
   */
  async setupWithManager(manager: Manager): Promise<void> {
    const refused = new AbortController();
    if (!manager.claim(this, `provider ${this.#options.provider}`, refused)) return;
    try {
      await this.#addController(manager);
    } catch (error) {
      refused.abort();
      throw error;
    }
  }

  async #addController(manager: Manager): Promise<void> {
    const { provider, controllerName, looks } = this.#options;
    if (!manager.hasLocalCluster) {
      throw new TypeError(
        `${provider}: its inventory is in the local cluster, and the manager has none: set "config" of createManager to it`,
      );
    }
    const controller = createController(controllerName, manager, {
      ...looks,
      // It runs as long as the provider does, which may be before this process leads.
      needLeaderElection: false,
      reconciler: (request, context) => this.#look(request, context, manager),
    });
    for (const source of this.#sources) void controller.watch(source);
    void controller.watch(
      funcSource(({ queue }) => {
        this.#enqueue = ({ namespace = '', name }, after) =>
          queue.add({ clusterName: LOCAL_CLUSTER, namespace, name }, { after });
      }),
    );
    await manager.add({
      group: 'provider',
      engageLocal: true,
      engage: (...engagement) => controller.engage(...engagement),
      describe: () => controller.describe?.() ?? `controller ${controller.name}`,
      run: (signal) => controller.run(signal),
    });
    this.#setUp = { manager, controller };
  }

  /**
   * The provider's `run`.
   *
   * @param discover what else is to be done for clusters to be found. Default: nothing.
   * @throws {TypeError} without a manager: the objects are in its local cluster.
   */
  async run(
    aware: Aware,
    signal: AbortSignal,
    discover: (manager: Manager) => Promise<void> = async () => undefined,
  ): Promise<void> {
    const manager = this.#setUp?.manager;
    if (!manager) throw new TypeError(`${this.#options.provider}: give it to a manager, or call setupWithManager`);
    await this.roster.serve({ aware, signal, manager }, async () => {
      // There was nobody to engage their clusters with before.
      for (const key of this.#keys.values()) this.#enqueue(key, 0);
      await discover(manager);
    });
  }

  /** The objects that there are, as far as they have been looked at. */
  keys(): ObjectKey[] {
    return [...this.#keys.values()];
  }

  /** Whether {@link keys} has it. */
  has(key: ObjectKey): boolean {
    return this.#keys.has(this.#options.nameOf(key));
  }

  async #look(
    request: Request,
    { signal }: ReconcileContext,
    { localManager, clock }: Manager,
  ): Promise<Result | void> {
    const { nameOf, look } = this.#options;
    const name = nameOf(request);
    this.#keys.set(name, request);
    const isOpen = () => this.roster.isOpen;
    if (!isOpen()) return;
    try {
      return await look(request, { hub: localManager.cluster, clock, signal });
    } catch (error) {
      if (!signal.aborted) this.roster.refuse(name, error instanceof Error ? error : new Error(String(error)));
      throw error;
    } finally {
      // It may have been closed meanwhile: then the object is looked at when it is opened again.
      if (isOpen() && !this.roster.knows(name)) this.#keys.delete(name);
    }
  }
}
