import type { Clock, FieldIndexer, Logger } from '@mcr/client';
import type { Cluster } from '../cluster/cluster.ts';
import type { ControllerDefaults } from '../controller/controller-options.ts';
import type { Coordinator } from '../coordinator/coordinator.ts';
import type { Engagement } from '../coordinator/engagements.ts';
import { Engagements } from '../coordinator/engagements.ts';
import { createFleet } from '../fleet/create-fleet.ts';
import type { ClusterStatus, Fleet } from '../fleet/fleet.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { ClusterObservation } from '../multicluster/aware.ts';
import type { ClusterName } from '../multicluster/cluster-name.ts';
import { LOCAL_CLUSTER } from '../multicluster/cluster-name.ts';
import { ClusterNotFoundError } from '../multicluster/cluster-not-found-error.ts';
import type { Provider } from '../multicluster/provider.ts';
import type { Manager, ScopedManager } from './manager.ts';
import type { Runnable, RunnableGroup } from './runnable.ts';
import { RunnableSet } from './runnable-set.ts';
import { stopInOrder } from './stop-in-order.ts';

export interface ManagerParts {
  readonly localCluster: Cluster;
  readonly provider?: Provider;
  readonly coordinator: Coordinator;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly controllerOptions: ControllerDefaults;
  /** Milliseconds; `0`: do not wait; `-1`: wait for as long as it takes. */
  readonly gracefulShutdownTimeout: number;
}

/** The {@link Manager} that `createManager` makes. */
export class MultiClusterManager implements Manager {
  readonly localManager: ScopedManager;
  readonly provider: Provider | undefined;
  readonly fieldIndexer: FieldIndexer;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly controllerOptions: ControllerDefaults;
  readonly fleet: Fleet;
  readonly metrics: Metrics | undefined = undefined;
  readonly #localCluster: Cluster;
  readonly #coordinator: Coordinator;
  readonly #gracefulShutdownTimeout: number;
  readonly #engagements = new Engagements((engagement) => this.#onDisengaged(engagement));
  readonly #controllerNames = new Set<string>();
  /** Settled by what ends `start`: the caller's signal, or the first failure. */
  readonly #end = Promise.withResolvers<void>();
  /** In the order of starting; stopped the other way round. */
  readonly #groups: Readonly<Record<RunnableGroup | 'provider', RunnableSet>>;
  #state: 'new' | 'running' | 'stopping' = 'new';

  constructor(parts: ManagerParts) {
    const { localCluster, provider, coordinator, logger, clock, controllerOptions, gracefulShutdownTimeout } = parts;
    this.#localCluster = localCluster;
    this.provider = provider;
    this.#coordinator = coordinator;
    this.logger = logger;
    this.clock = clock;
    this.controllerOptions = controllerOptions;
    this.#gracefulShutdownTimeout = gracefulShutdownTimeout;
    this.fleet = createFleet({ clock, onChange: (status, error) => this.#logChange(status, error) });
    this.fieldIndexer = {
      // An index costs nothing in a cluster where nobody watches the kind.
      indexField: async (...index) => {
        await Promise.all([localCluster.fieldIndexer.indexField(...index), provider?.indexField(...index)]);
      },
    };
    this.localManager = this.#scopedTo(LOCAL_CLUSTER, localCluster);

    const group = () => new RunnableSet((error) => this.#onFailure(error));
    this.#groups = {
      server: group(),
      cache: group(),
      other: group(),
      'leader-elected': group(),
      provider: group(),
    };
    this.#groups.cache.add(localCluster);
    this.#groups.cache.add({ run: (signal) => this.#engageLocalCluster(signal) });
    if (coordinator.run) this.#groups.other.add({ run: (signal) => coordinator.run?.(signal) ?? Promise.resolve() });
    if (provider?.run)
      this.#groups.provider.add({ run: (signal) => provider.run?.(this, signal) ?? Promise.resolve() });
  }

  async add(runnable: Runnable): Promise<void> {
    if (this.#state === 'stopping') throw new Error('the manager is stopping: nothing can be added to it any more');
    if (runnable.engage) {
      const engage = runnable.engage.bind(runnable);
      await this.#coordinator.addAware({ engage });
    }
    this.#groups[runnable.group ?? 'other'].add(runnable);
  }

  async start(signal: AbortSignal): Promise<void> {
    if (this.#state !== 'new') throw new Error('the manager was started before: make another one with createManager');
    this.#state = signal.aborted ? 'stopping' : 'running';
    if (signal.aborted) return;
    const onAbort = () => this.#end.resolve();
    signal.addEventListener('abort', onAbort, { once: true });
    const groups = Object.values(this.#groups);
    try {
      // An inventory in the hub adds its controller, which then is started with the others.
      await Promise.race([this.provider?.setupWithManager?.(this), this.#end.promise]);
      for (const group of groups) group.start();
      await this.#end.promise;
    } finally {
      this.#state = 'stopping';
      signal.removeEventListener('abort', onAbort);
      await stopInOrder(groups.reverse(), { timeout: this.#gracefulShutdownTimeout, clock: this.clock });
    }
  }

  async engage(name: ClusterName, cluster: Cluster, signal: AbortSignal): Promise<void> {
    if (!this.#engagements.add({ name, cluster, signal })) return;
    this.fleet.recorder.phase(name, 'Syncing', 'controllers are being told of it');
    await this.#coordinator.engage(name, cluster, signal);
    if (this.#engagements.get(name)?.cluster === cluster) {
      this.fleet.recorder.phase(name, 'Engaged', 'everything watched in it has synced');
    }
  }

  report(name: ClusterName, { phase, reason, error }: ClusterObservation): void {
    // An engaged cluster stays so until its engagement ends; what its provider has to say of it is told beside that.
    this.fleet.recorder.phase(name, this.#engagements.get(name) ? 'Engaged' : phase, reason, error);
  }

  async getCluster(name: ClusterName): Promise<Cluster> {
    if (name === LOCAL_CLUSTER) return this.#localCluster;
    if (this.provider) return this.provider.get(name);
    const engagement = this.#engagements.get(name);
    if (!engagement) {
      throw new ClusterNotFoundError(name, {
        hint: 'the manager has no provider, so it knows only the local cluster ""; give createManager a provider',
      });
    }
    return engagement.cluster;
  }

  async getManager(name: ClusterName): Promise<ScopedManager> {
    return name === LOCAL_CLUSTER ? this.localManager : this.#scopedTo(name, await this.getCluster(name));
  }

  claimControllerName(name: string): void {
    if (this.#controllerNames.has(name)) {
      throw new TypeError(
        `there is a controller ${JSON.stringify(name)} already: give one of the two another name with named()`,
      );
    }
    this.#controllerNames.add(name);
  }

  #scopedTo(clusterName: ClusterName, cluster: Cluster): ScopedManager {
    const { logger, clock, controllerOptions } = this;
    return { clusterName, cluster, logger, clock, controllerOptions, add: (runnable) => this.add(runnable) };
  }

  /** Engages the local cluster once it answers. A hub that is down for now is no reason to stop. */
  async #engageLocalCluster(signal: AbortSignal): Promise<void> {
    this.report(LOCAL_CLUSTER, { phase: 'Connecting', reason: 'waiting for its API server to answer' });
    const onFailure = (error: Error) =>
      this.report(LOCAL_CLUSTER, { phase: 'Unreachable', reason: error.message, error });
    try {
      await this.#localCluster.ready(signal, { onFailure });
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
    await this.engage(LOCAL_CLUSTER, this.#localCluster, signal);
  }

  #onFailure(error: unknown): void {
    if (this.#state === 'running') this.#end.reject(error);
    else this.logger.error('failed while stopping', { error });
  }

  #onDisengaged({ name, signal }: Engagement): void {
    // An abort's reason is a DOMException, which is no `Error` of every realm.
    const { message } = signal.reason as { readonly message?: string };
    this.fleet.recorder.phase(name, 'Disengaged', message ?? String(signal.reason));
  }

  #logChange({ name, phase, reason }: ClusterStatus, error: Error | undefined): void {
    const fields = { cluster: name, phase, reason, ...(error && { error }) };
    if (error) this.logger.warn('cluster has a problem', fields);
    else if (phase === 'Engaged') this.logger.info('cluster is engaged', fields);
    else if (phase === 'Disengaged') this.logger.info('cluster is disengaged', fields);
    else this.logger.debug('cluster changes', fields);
  }
}
