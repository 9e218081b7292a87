import type { Clock, FieldIndexer, Logger, Tracer, Writer } from '@mcr/client';
import { ListSlots } from '@mcr/client';
import type { ClusterClientOptions } from '../fleet/cluster/client-options.ts';
import type { Cluster } from '../fleet/cluster/cluster.ts';
import { clusterFromContext } from '../fleet/multicluster/cluster-context.ts';
import type { ControllerDefaults } from '../options/controller-options.ts';
import type { Coordinator } from '../fleet/coordinator/coordinator.ts';
import { createFleet } from '../fleet/status/create-fleet.ts';
import type { Fleet, OwnershipStatus } from '../fleet/status/fleet.ts';
import { logChanges } from '../fleet/status/log-changes.ts';
import { logIsolation } from '../fleet/status/log-isolation.ts';
import type { HealthCheck } from './health/health-check.ts';
import type { Authorizer } from './http/authorizer.ts';
import type { BindAddress } from './http/bind-address.ts';
import type { ServingCertificateFiles } from './http/serving-certificate.ts';
import type { HttpHandler, MetricsHandlerOptions } from './http/http-handler.ts';
import type { LeaderElectionConfig } from './leader-election/leader-election-options.ts';
import { isLeaderElectionLost } from './leader-election/leader-election-lost-error.ts';
import { LeaderElector } from './leader-election/leader-elector.ts';
import type { Metrics } from './metrics/metrics.ts';
import type { ClusterObservation } from '../fleet/multicluster/aware.ts';
import type { ClusterName } from '../fleet/multicluster/cluster-name.ts';
import { LOCAL_CLUSTER } from '../fleet/multicluster/cluster-name.ts';
import { ClusterNotFoundError } from '../fleet/multicluster/cluster-not-found-error.ts';
import { NotOwnerError } from '../fleet/multicluster/not-owner-error.ts';
import type { WriteFence } from '../fleet/fence/write-fence.ts';
import type { Ownership } from '../fleet/multicluster/ownership.ts';
import type { SlotOwnership } from '../fleet/multicluster/slot-ownership.ts';
import { Permissions } from '../permissions/permissions.ts';
import type { Sharding, ShardingStatus } from '../sharding/sharding.ts';
import type { Provider } from './provider.ts';
import { checkEngagement, checkRunnable, checkSignal } from './check-arguments.ts';
import { Claims, partText } from './claims.ts';
import { Endpoints } from './endpoints.ts';
import { EngagementTracker } from './engagement-tracker.ts';
import { limitedRunnable } from './limited-runnable.ts';
import type { Manager, ScopedManager } from './manager.ts';
import type { Runnable } from './runnable.ts';
import { runnableText } from './runnable-text.ts';
import { RunnableGroups } from './runnable-groups.ts';
import { noLocalCluster, scopedManager } from './scoped-manager.ts';
import { HandoverStorm } from './sharding/handover-storm.ts';
import { checkShardReadiness } from './sharding/shard-readiness.ts';
import { OwnedEngagements } from './sharding/owned-engagements.ts';
import { WarmClusters } from './sharding/warm-clusters.ts';

export interface ManagerParts {
  /** Default: none. */
  readonly localCluster?: Cluster | undefined;
  readonly provider?: Provider;
  readonly coordinator: Coordinator;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Default: none. */
  readonly clientOptions?: ClusterClientOptions;
  readonly controllerOptions: ControllerDefaults;
  /** In milliseconds. `0` means no wait, `-1` no limit. */
  readonly gracefulShutdownTimeout: number;
  /** Default: this process leads. */
  readonly leaderElection?: LeaderElectionConfig;
  /** Divides the fleet among replicas. Default: this process serves all clusters. */
  readonly sharding?: Sharding;
  /** Writes the Lease. Default: the client of the local cluster. */
  readonly leaseWriter?: Pick<Writer, 'create' | 'patch'>;
  /** Default: nothing is measured. */
  readonly metrics?: Metrics;
  readonly tracer?: Tracer;
  /** Default: its own. */
  readonly listSlots?: ListSlots;
  /** Default: metrics and the fleet status are not served. */
  readonly metricsAddress?: BindAddress;
  /** Default: plain HTTP. */
  readonly metricsCertificate?: ServingCertificateFiles;
  /** Authorizes requests for metrics and the fleet status. Default: requests need no authentication. */
  readonly metricsAuthorizer?: Authorizer;
  /** Names in `Host` that requests without authentication on loopback may have, besides `localhost`. Default: none. */
  readonly metricsHosts?: readonly string[];
  /** Default: health is not served. */
  readonly healthAddress?: BindAddress;
}

/** Part of the shutdown timeout that remains for the groups after this replica has left, in milliseconds. */
const STOP_TIME = 5_000;

/** Recorded as the reporter of events about clusters. */
const EVENT_COMPONENT = 'mcr.dev/fleet';
/** Recorded as the reporter of events about the Lease. */
const ELECTION_COMPONENT = 'mcr.dev/leader-election';

/** The {@link Manager} that `createManager` returns. */
export class MultiClusterManager implements Manager {
  readonly localManager: ScopedManager;
  readonly hasLocalCluster: boolean;
  readonly provider: Provider | undefined;
  readonly fieldIndexer: FieldIndexer;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly clientOptions: ClusterClientOptions;
  readonly controllerOptions: ControllerDefaults;
  readonly fleet: Fleet;
  readonly gracefulShutdownTimeout: number;
  readonly metricsAddress: string | undefined;
  readonly permissions = new Permissions();
  readonly metrics: Metrics | undefined;
  readonly tracer: Tracer | undefined;
  readonly listSlots: ListSlots;
  readonly elected: Promise<void>;
  readonly ownership: Ownership | undefined;
  readonly slots: SlotOwnership | undefined;
  readonly shardingStatus: (() => ShardingStatus) | undefined;
  readonly #sharding: Sharding | undefined;
  readonly #localCluster: Cluster | undefined;
  readonly #coordinator: Coordinator;
  readonly #elector: LeaderElector | undefined;
  readonly #engaged: EngagementTracker;
  readonly #endpoints: Endpoints;
  readonly #groups: RunnableGroups;
  readonly #controllerNames = new Set<string>();
  readonly #claims = new Claims({ user: 'another manager', remedy: 'stop that manager' });
  /** Settles at the caller's abort or the first failure, which end `start`. */
  readonly #end = Promise.withResolvers<void>();
  /** Resolves when this process leads, if leader election is off. */
  readonly #leads = Promise.withResolvers<void>();
  /** Time from the loss of leadership until another process may take the lease, in milliseconds. */
  #leaseGrace = 0;
  #state: 'new' | 'running' | 'stopping' = 'new';

  constructor(parts: ManagerParts) {
    const { localCluster, provider, coordinator, logger, clock, controllerOptions, gracefulShutdownTimeout } = parts;
    this.#claimParts(parts);
    this.#localCluster = localCluster;
    this.hasLocalCluster = localCluster !== undefined;
    this.provider = provider;
    if (provider) this.permissions.require(partText('provider', provider), () => provider.permissions?.() ?? []);
    this.#coordinator = coordinator;
    this.logger = logger;
    this.clock = clock;
    this.clientOptions = parts.clientOptions ?? {};
    this.controllerOptions = controllerOptions;
    this.gracefulShutdownTimeout = gracefulShutdownTimeout;
    this.metricsAddress = parts.metricsAddress?.text;
    this.metrics = parts.metrics;
    this.tracer = parts.tracer;
    this.listSlots = parts.listSlots ?? new ListSlots({ clock });
    this.#sharding = parts.sharding;
    this.ownership = parts.sharding?.ownership;
    this.slots = parts.sharding?.slots;
    const { sharding } = parts;
    this.shardingStatus = sharding && (() => sharding.status());
    const { ownership } = this;
    const warm = ownership && new WarmClusters(ownership);
    const logChange = logChanges(logger);
    this.fleet = createFleet({
      clock,
      onChange: (change, error) => {
        logChange(change, error);
        warm?.phaseChanged(change);
      },
      ownership: ownership && ((name) => ownershipStatus(ownership, name)),
      onIsolation: logIsolation(logger, clock),
      cachedBytes: (name) => this.#engaged.cachedBytes(name),
    });
    warm?.follow(this.fleet);
    ownership?.onChange((changes) => {
      for (const name of changes.keys()) this.fleet.recorder.ownership(name);
    });
    if (localCluster) ownership?.declare(LOCAL_CLUSTER);
    this.metrics?.fleet(this.fleet);
    this.metrics?.caches(() => this.#engaged.caches());
    this.fieldIndexer = {
      // An index costs nothing in a cluster whose objects of the kind are not watched.
      indexField: async (...index) => {
        await Promise.all([localCluster?.fieldIndexer.indexField(...index), provider?.indexField(...index)]);
      },
    };
    this.localManager = this.#scopedTo(LOCAL_CLUSTER, () => this.#requiredLocalCluster());

    this.#groups = new RunnableGroups({ onFailure: (error) => this.#onFailure(error), clock });
    this.#engaged = new EngagementTracker({
      coordinator,
      recorder: this.fleet.recorder,
      clock,
      metrics: this.metrics,
      eventRecorder: () => localCluster?.eventRecorder(EVENT_COMPONENT),
    });
    this.#endpoints = new Endpoints({ ...parts, fleet: this.fleet });
    this.#elector = parts.leaderElection && this.#newElector(parts.leaderElection, parts.leaseWriter);
    this.elected = this.#elector?.elected ?? this.#leads.promise;

    for (const server of this.#endpoints.servers()) this.#groups.add(server);
    if (localCluster) {
      const describe = () => 'the local cluster';
      this.#groups.add({ run: (signal) => localCluster.run(signal), describe }, 'cache');
      this.#groups.add({ run: (signal) => this.#engageLocalCluster(localCluster, signal), describe }, 'cache');
    }
    this.#groups.add(this.#engaged.health);
    if (parts.sharding) this.#addSharding(parts.sharding, localCluster);
    if (coordinator.run) {
      const describe = () => partText('coordinator', coordinator);
      this.#groups.add({ run: (signal) => coordinator.run?.(signal) ?? Promise.resolve(), describe });
    }
    if (this.#elector) this.#groups.add(this.#elector, 'election');
    if (provider?.run) {
      const describe = () => partText('provider', provider);
      this.#groups.add({ run: (signal) => provider.run?.(this, signal) ?? Promise.resolve(), describe }, 'provider');
    }
  }

  async add(runnable: Runnable, options: { readonly signal?: AbortSignal } = {}): Promise<void> {
    checkRunnable('manager.add', runnable);
    if (this.#state === 'stopping') throw new Error('the manager is stopping: add runnables before it stops');
    if (runnable.group === 'leader-elected' && this.#sharding && !this.#elector) {
      throw new TypeError(
        `${runnableText(runnable)} needs leader election (needLeaderElection: true, or group "leader-elected"), and the manager has the option "sharding" without "leaderElection", so that every replica would run it: set "leaderElection" of createManager, or leave out needLeaderElection`,
      );
    }
    if (!this.claim(runnable, partText('runnable', runnable), options)) {
      throw new TypeError(
        `${partText('runnable', runnable)} was added to this manager already: add each runnable once`,
      );
    }
    if (runnable.engage) {
      const { engageLocal = false, engagePrepared = false } = runnable;
      const { ownership, clock, logger } = this;
      const engageAny = runnable.engage.bind(runnable);
      const engage: typeof engageAny = async (name, ...engagement) => {
        if (name !== LOCAL_CLUSTER || engageLocal) await engageAny(name, ...engagement);
      };
      const aware =
        ownership && !engagePrepared
          ? new OwnedEngagements({ ownership, engage, clock, logger }, options.signal)
          : { engage };
      await this.#coordinator.addAware(aware, options);
    }
    this.#groups.add(options.signal ? limitedRunnable(runnable, options.signal) : runnable);
  }

  async start(signal: AbortSignal): Promise<void> {
    checkSignal('manager.start', signal);
    if (this.#state !== 'new')
      throw new Error('the manager was started already, and starts once: create another one with createManager');
    this.#state = signal.aborted ? 'stopping' : 'running';
    if (signal.aborted) {
      this.#claims.releaseAll();
      return;
    }
    const onAbort = () => this.#end.resolve();
    signal.addEventListener('abort', onAbort, { once: true });
    let failure: { readonly error: unknown } | undefined;
    try {
      await this.#run();
    } catch (error) {
      failure = { error };
    }
    this.#state = 'stopping';
    signal.removeEventListener('abort', onAbort);
    await this.#stop(failure);
    if (failure) throw failure.error;
  }

  async engage(name: ClusterName, cluster: Cluster, signal: AbortSignal): Promise<void> {
    checkEngagement('manager.engage', name, cluster, signal);
    const { ownership } = this;
    if (ownership && name !== LOCAL_CLUSTER) setFence(name, cluster, () => ownership.fenceOf(name));
    await this.#engaged.engage({ name, cluster, signal });
  }

  report(name: ClusterName, observation: ClusterObservation): void {
    this.#engaged.report(name, observation);
  }

  described(name: ClusterName, labels: Readonly<Record<string, string>>): void {
    this.#engaged.described(name, labels);
  }

  async getCluster(name: ClusterName): Promise<Cluster> {
    if (name === LOCAL_CLUSTER) return this.#requiredLocalCluster();
    const declined = this.#engaged.declineReason(name);
    if (declined !== undefined) throw new ClusterNotFoundError(name, { hint: declined, declined });
    if (this.provider) return this.provider.get(name);
    const cluster = this.#engaged.get(name);
    if (!cluster) {
      if (this.ownership?.stateOf(name) === 'elsewhere') {
        throw new NotOwnerError(name, { owner: this.ownership.ownerOf(name) });
      }
      throw new ClusterNotFoundError(name, {
        hint: 'the manager has no provider, so it knows only the local cluster ""; give createManager a provider',
      });
    }
    return cluster;
  }

  async clusterFromContext(): Promise<Cluster> {
    return this.getCluster(clusterFromContext());
  }

  async getManager(name: ClusterName): Promise<ScopedManager> {
    const cluster = await this.getCluster(name);
    return name === LOCAL_CLUSTER ? this.localManager : this.#scopedTo(name, () => cluster);
  }

  claimControllerName(name: string, { signal }: { readonly signal?: AbortSignal } = {}): void {
    if (this.#controllerNames.has(name)) {
      throw new TypeError(
        `controller ${JSON.stringify(name)} exists already: give one of the two another name with named()`,
      );
    }
    this.#controllerNames.add(name);
    signal?.addEventListener('abort', () => this.#controllerNames.delete(name), { once: true });
  }

  claim(part: object, what: string, { signal }: { readonly signal?: AbortSignal } = {}): boolean {
    const taken = this.#claims.take(part, what);
    if (taken) signal?.addEventListener('abort', () => this.#claims.release(part), { once: true });
    return taken;
  }

  addHealthzCheck(name: string, check: HealthCheck): void {
    this.#endpoints.addHealthzCheck(name, check);
  }

  addReadyzCheck(name: string, check: HealthCheck): void {
    this.#endpoints.addReadyzCheck(name, check);
  }

  addMetricsHandler(path: string, handler: HttpHandler, options: MetricsHandlerOptions = {}): void {
    this.#endpoints.addMetricsHandler(path, handler, options);
  }

  isLeader(): boolean {
    return this.#elector?.isLeader() ?? true;
  }

  /** Runs the groups until {@link start} has to end. */
  async #run(): Promise<void> {
    const ended = this.#end.promise;
    // A provider with an inventory in the hub adds its controller here, so that it starts with the others.
    await Promise.race([this.provider?.setupWithManager?.(this), ended]);
    this.#groups.start();
    if (!this.#elector) this.#leads.resolve();
    await Promise.race([this.elected, ended]);
    if (this.#state === 'running' && this.isLeader()) this.#groups.startLeaderElected();
    await ended;
  }

  async #stop(failure: { readonly error: unknown } | undefined): Promise<void> {
    let timeout = this.gracefulShutdownTimeout;
    let gracePeriod = timeout;
    // Other replicas take the clusters over while this one still works on them. After a failure, it does not.
    if (!failure && this.#sharding) timeout = await this.#leave(this.#sharding, timeout);
    if (failure && isLeaderElectionLost(failure.error)) {
      // Another process may lead soon, so there is no time to stop the groups one after the other.
      this.#groups.abortLeaderElected();
      timeout = timeout < 0 ? this.#leaseGrace : Math.min(timeout, this.#leaseGrace);
      gracePeriod = timeout;
    }
    try {
      await this.#groups.stop(timeout, gracePeriod);
    } catch (error) {
      if (!failure) throw error;
      this.logger.error('the manager did not stop in time', { error });
    } finally {
      const released = this.#groups.ended().then(() => this.#claims.releaseAll());
      // Parts stay claimed until they have stopped, even if `start` no longer waits for them.
      if (this.#groups.size === 0) await released;
    }
  }

  #addSharding(sharding: Sharding, localCluster: Cluster | undefined): void {
    const describe = () => 'the membership of this replica';
    this.#groups.add({ run: (signal) => sharding.run(signal), describe }, 'sharding');
    this.addReadyzCheck('sharding', () => checkShardReadiness(sharding.status()));
    this.metrics?.sharding(() => sharding.status());
    if (localCluster) this.#watchHandovers(sharding, localCluster);
  }

  #watchHandovers(sharding: Sharding, localCluster: Cluster): void {
    const { clock, logger } = this;
    const { slots, plan } = sharding;
    const replicas = () => sharding.status().replicas.length;
    const recorder = localCluster.eventRecorder(EVENT_COMPONENT);
    new HandoverStorm({ slots, replicas, clock, logger, recorder, plan }).watch();
  }

  /** Gives all clusters away, and returns the time that is left to stop the groups, in milliseconds. */
  async #leave(sharding: Sharding, timeout: number): Promise<number> {
    if (timeout < 0) {
      await sharding.leave();
      return timeout;
    }
    const began = this.clock.now();
    const deadline = Promise.withResolvers<void>();
    const timer = this.clock.schedule(Math.max(timeout / 2, timeout - STOP_TIME), deadline.resolve);
    await Promise.race([sharding.leave(), deadline.promise]);
    timer.cancel();
    return Math.max(0, timeout - (this.clock.now() - began));
  }

  #claimParts({ provider, coordinator }: ManagerParts): void {
    try {
      if (provider) this.claim(provider, partText('provider', provider));
      this.claim(coordinator, partText('coordinator', coordinator));
    } catch (error) {
      this.#claims.releaseAll();
      throw error;
    }
  }

  #newElector(config: LeaderElectionConfig, leaseWriter: ManagerParts['leaseWriter']): LeaderElector {
    const localCluster = this.#requiredLocalCluster();
    const { apiReader, client } = localCluster;
    const writer = leaseWriter ?? client;
    const events = localCluster.eventRecorder(ELECTION_COMPONENT);
    const { clock, logger } = this;
    this.#leaseGrace = config.leaseDuration - config.renewDeadline;
    const isWorkOver = () => this.#groups.isLeaderElectedWorkOver;
    const elector = new LeaderElector({ config, reader: apiReader, writer, events, clock, logger, isWorkOver });
    this.metrics?.leaderElection(config.id, () => elector.isLeader());
    return elector;
  }

  #requiredLocalCluster(): Cluster {
    if (!this.#localCluster) throw noLocalCluster();
    return this.#localCluster;
  }

  #scopedTo(clusterName: ClusterName, clusterOf: () => Cluster): ScopedManager {
    const { logger, clock, controllerOptions } = this;
    const add: Manager['add'] = (...runnable) => this.add(...runnable);
    return scopedManager({ clusterName, clusterOf, logger, clock, controllerOptions, add });
  }

  /** Engages the local cluster once it answers. The manager keeps running while the hub is down. */
  async #engageLocalCluster(cluster: Cluster, signal: AbortSignal): Promise<void> {
    this.report(LOCAL_CLUSTER, { phase: 'Connecting', reason: 'waiting for its API server to answer' });
    const onFailure = (error: Error) =>
      this.report(LOCAL_CLUSTER, { phase: 'Unreachable', reason: error.message, error });
    try {
      await cluster.ready(signal, { onFailure });
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
    await this.engage(LOCAL_CLUSTER, cluster, signal);
  }

  #onFailure(error: unknown): void {
    if (this.#state === 'running') this.#end.reject(error);
    else this.logger.error('failed while stopping', { error });
  }
}

/** @throws {TypeError} if the cluster would write although another replica owns it. */
function setFence(name: ClusterName, cluster: Cluster, fenceOf: () => WriteFence): void {
  if (!cluster.setFence) {
    throw new TypeError(
      `cluster ${JSON.stringify(name)} has no method setFence, so that its writes cannot be limited to its owner: implement setFence of Cluster, or use createCluster`,
    );
  }
  cluster.setFence(fenceOf);
}

function ownershipStatus(ownership: Ownership, name: ClusterName): OwnershipStatus {
  const owner = ownership.ownerOf(name);
  const state = ownership.stateOf(name);
  return {
    state: state === 'elsewhere' && owner === undefined ? 'unknown' : state,
    ...(owner !== undefined && { owner }),
  };
}
