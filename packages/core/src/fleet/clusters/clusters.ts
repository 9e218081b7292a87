import type { Clock, FieldIndexer, IndexExtractor, Kind, KubernetesObject } from '@mcr/client';
import { configChange, parseOptions, positiveMilliseconds, systemClock } from '@mcr/client';
import * as z from 'zod';
import type { Cluster, ClusterDescription } from '../cluster/cluster.ts';
import type { Aware, ClusterObservation } from '../multicluster/aware.ts';
import type { ClusterName } from '../multicluster/cluster-name.ts';
import { ClusterNotFoundError } from '../multicluster/cluster-not-found-error.ts';
import { isSameCluster } from './cluster-identity.ts';
import { Connector } from './connector.ts';
import { IndexRegistry } from './index-registry.ts';
import { ClusterInstance } from './cluster-instance.ts';
import type {
  Difference,
  ClusterLifecycle,
  ClusterLifecycleEffect,
  ClusterLifecycleEvent,
} from './cluster-lifecycle.ts';
import { engagedOf, instancesOf, transition } from './cluster-lifecycle.ts';

/** Options of {@link Clusters}. */
export interface ClustersOptions<C extends Cluster> {
  /** Called for failures without a waiting caller, such as a cluster that stopped by itself or a failed rotation. */
  readonly onError?: (error: Error, name: ClusterName) => void;
  /** Compares two clusters with the same name. Default: compares their configurations. */
  readonly compare?: (a: C, b: C) => Difference;
  /** Deadline for a cluster to become ready, in milliseconds. Default: 30,000. */
  readonly syncTimeout?: number;
  /** Maximum number of concurrent connection attempts. Default: 16. */
  readonly concurrency?: number;
  /** Clock, or a function that returns it at each use so that it can be set later. Default: the system clock. */
  readonly clock?: Clock | (() => Clock);
  /** A number in [0, 1), for the jitter of retries. Default: `Math.random`. */
  readonly random?: () => number;
}

const callback = z.custom((value) => typeof value === 'function', 'expected a function').optional();
const optionsSchema = z.strictObject({
  onError: callback,
  compare: callback,
  syncTimeout: positiveMilliseconds.optional(),
  concurrency: z.int().positive().optional(),
  clock: z.custom<Clock>((value) => ['function', 'object'].includes(typeof value), 'expected a clock').optional(),
  random: callback,
} satisfies Record<keyof ClustersOptions<Cluster>, z.ZodType>);

/**
 * Runs, indexes, engages, rotates, replaces and stops the clusters of a provider. (Upstream: `pkg/clusters.Clusters`.)
 */
export class Clusters<C extends Cluster = Cluster> implements FieldIndexer {
  readonly #members = new Map<ClusterName, ClusterLifecycle<ClusterInstance<C>>>();
  readonly #indexes = new IndexRegistry();
  /** The calls of `run` that have not ended. */
  readonly #running = new Set<Promise<void>>();
  readonly #connector: Connector;
  readonly #onError: (error: Error, name: ClusterName) => void;
  readonly #compare: (a: ClusterInstance<C>, b: ClusterInstance<C>) => Difference;

  /** @throws {TypeError} if an option is unknown or invalid; the message names it. */
  constructor(options: ClustersOptions<C> = {}) {
    parseOptions('Clusters', optionsSchema, options);
    const { onError = () => undefined, concurrency = 16, syncTimeout = 30_000 } = options;
    const clock = typeof options.clock === 'function' ? currentClock(options.clock) : (options.clock ?? systemClock);
    const compare = options.compare ?? ((a: C, b: C) => configChange(a.config, b.config));
    this.#onError = onError;
    this.#compare = (a, b) => (a.cluster === b.cluster ? 'none' : compare(a.cluster, b.cluster));
    this.#connector = new Connector({ syncTimeout, concurrency, clock, random: options.random ?? Math.random });
  }

  /**
   * Runs a cluster, waits until it is ready, adds the indexes to it, and engages it.
   *
   * @param signal ends the engagement and the cluster.
   * @throws {TypeError} if a cluster with this name exists.
   * @throws the reason why the cluster did not become ready or was removed. The cluster has then stopped.
   */
  async add(name: ClusterName, cluster: C, aware: Aware, signal: AbortSignal): Promise<void> {
    if (this.#members.has(name)) {
      throw new TypeError(`cluster ${JSON.stringify(name)} exists already: use addOrReplace to change it`);
    }
    await this.addOrReplace(name, cluster, aware, signal);
  }

  /**
   * Like {@link add}, if no cluster has this name. Otherwise, an equal cluster is kept, different credentials are
   * rotated in place, and a different endpoint replaces the cluster as soon as the new one is ready.
   */
  async addOrReplace(name: ClusterName, cluster: C, aware: Aware, signal: AbortSignal): Promise<void> {
    await this.#want(name, new ClusterInstance({ cluster, aware, signal, onFailure: 'give up' }));
  }

  /**
   * Declares the cluster for a name, without waiting for it. The cluster is engaged as soon as it answers. Until then,
   * the connection is retried after 1 s to 5 min, and `aware` receives reports. A later call or a removal with the same
   * name supersedes it.
   */
  ensure(name: ClusterName, cluster: C, aware: Aware, signal: AbortSignal): void {
    try {
      // Each failure is reported to `aware` or to `onError` where it happens.
      this.#want(name, new ClusterInstance({ cluster, aware, signal, onFailure: 'try again' })).catch(() => undefined);
    } catch (error) {
      // For example an exception of `compare`. It must not keep other clusters from being declared.
      this.#onError(error as Error, name);
    }
  }

  /** Declares the complete set of clusters, and removes all others. Resolves when the removed ones have stopped. */
  async sync(desired: ReadonlyMap<ClusterName, C>, aware: Aware, signal: AbortSignal): Promise<void> {
    for (const [name, cluster] of desired) this.ensure(name, cluster, aware, signal);
    const superfluous = [...this.#members.keys()].filter((name) => !desired.has(name));
    await Promise.all(superfluous.map((name) => this.remove(name)));
  }

  /**
   * Disengages a cluster, or stops connecting to it. Resolves when it has stopped.
   *
   * @param options.reason shown in the fleet status and logs. Default: `it was removed`.
   */
  async remove(name: ClusterName, { reason = 'it was removed' }: { readonly reason?: string } = {}): Promise<void> {
    const member = this.#member(name);
    const instances = instancesOf(member);
    for (const { lifetime } of instances) lifetime.end(reason);
    if (member.phase === 'connecting') member.next.aware.report?.(name, { phase: 'Disengaged', reason });
    void this.#dispatch(name, { type: 'removed' });
    await Promise.all(instances.map(({ running }) => running));
  }

  /** Removes all clusters. Resolves when all of them have stopped. */
  async removeAll(options: { readonly reason?: string } = {}): Promise<void> {
    for (const name of [...this.#members.keys()]) void this.remove(name, options);
    await Promise.all(this.#running);
  }

  /** Updates the description of a cluster that is engaged or connecting. Has no effect if the name is unknown. */
  describe(name: ClusterName, description: ClusterDescription): void {
    for (const { cluster } of instancesOf(this.#member(name))) cluster.describe(description);
  }

  /**
   * Returns the engaged cluster with this name.
   *
   * @throws {ClusterNotFoundError} if it is not engaged.
   */
  get(name: ClusterName): C {
    const instance = engagedOf(this.#member(name));
    if (!instance) throw new ClusterNotFoundError(name);
    return instance.cluster;
  }

  /** Whether a cluster with this name is engaged or connecting. */
  has(name: ClusterName): boolean {
    return this.#members.has(name);
  }

  /** Returns the names of the engaged clusters, sorted. */
  clusterNames(): ClusterName[] {
    return [...this.#members.keys()].filter((name) => engagedOf(this.#member(name))).sort();
  }

  async indexField<T extends KubernetesObject>(kind: Kind<T>, name: string, extract: IndexExtractor<T>): Promise<void> {
    await this.#indexes.add(kind, name, extract, () =>
      [...this.#members.values()].flatMap((member) => engagedOf(member)?.cluster.fieldIndexer ?? []),
    );
  }

  #member(name: ClusterName): ClusterLifecycle<ClusterInstance<C>> {
    return this.#members.get(name) ?? { phase: 'absent' };
  }

  /** Performs synchronous effects before it returns. The promise settles after the asynchronous ones. */
  #want(name: ClusterName, instance: ClusterInstance<C>): Promise<void> {
    const before = this.#member(name);
    const wasChanging = before.phase === 'replacing' || engagedOf(before)?.rotation !== undefined;
    for (const present of instancesOf(before)) {
      if (present.rotation && this.#compare(present.rotation.to, instance) !== 'none') present.endRotation();
    }
    const dispatched = this.#dispatch(name, { type: 'wanted', instance, compare: this.#compare });
    for (const kept of instancesOf(this.#member(name))) {
      if (this.#compare(kept, instance) !== 'endpoint') kept.cluster.describe(instance.cluster.info);
    }
    const after = this.#member(name);
    if (wasChanging && after.phase === 'engaged' && !after.current.rotation) {
      instance.aware.report?.(name, {
        phase: 'Connecting',
        reason: 'its current configuration is wanted again',
      });
    }
    return dispatched;
  }

  /** Performs one transition synchronously. The promise settles after its effects. */
  #dispatch(name: ClusterName, event: ClusterLifecycleEvent<ClusterInstance<C>>): Promise<void> {
    const { state, effects } = transition(this.#member(name), event);
    if (state.phase === 'absent') this.#members.delete(name);
    else this.#members.set(name, state);
    return Promise.all(effects.map((effect) => this.#perform(name, effect))).then(() => undefined);
  }

  #perform(name: ClusterName, effect: ClusterLifecycleEffect<ClusterInstance<C>>): Promise<void> {
    switch (effect.type) {
      case 'connect':
        this.#start(name, effect.instance);
        return effect.instance.engaged.promise;
      case 'rotate':
        return this.#connector.rotate(effect.instance, effect.to, {
          report: (observation) => effect.instance.aware.report?.(name, observation),
          onFailure: (error) => this.#onError(error, name),
        });
      case 'engage':
        return this.#engage(name, effect.instance);
      case 'stop':
        effect.instance.lifetime.end('another configuration took its place');
        return Promise.resolve();
    }
  }

  #start(name: ClusterName, instance: ClusterInstance<C>): void {
    const running = this.#run(name, instance).finally(() => this.#running.delete(running));
    instance.running = running;
    this.#running.add(running);
    void this.#connect(name, instance);
  }

  async #run(name: ClusterName, instance: ClusterInstance<C>): Promise<void> {
    const { cluster, signal } = instance;
    let failure: unknown;
    try {
      await cluster.run(signal);
    } catch (error) {
      failure = error;
    }
    const stopped = signal.aborted
      ? undefined
      : new Error(`cluster ${JSON.stringify(name)} stopped by itself${because(failure)}`, { cause: failure });
    if (stopped) {
      instance.engaged.reject(stopped);
      instance.lifetime.end(stopped.message);
      // Otherwise, a cluster that is not engaged yet would disappear without a reason.
      instance.aware.report?.(name, { phase: 'Disengaged', reason: stopped.message, error: stopped });
    }
    void this.#dispatch(name, { type: 'ended', instance });
    if (stopped) this.#onError(stopped, name);
  }

  async #connect(name: ClusterName, instance: ClusterInstance<C>): Promise<void> {
    try {
      await this.#connector.connect(instance, {
        report: (observation) => this.#report(name, instance, observation),
        prepare: (signal) => this.#prepare(name, instance, signal),
      });
    } catch (error) {
      const { signal } = instance;
      instance.engaged.reject(signal.aborted ? wasNotEngaged(name, signal) : error);
      if (!signal.aborted) void this.#dispatch(name, { type: 'ended', instance });
    }
  }

  /** Performs all steps between the first answer of the cluster and its engagement. */
  async #prepare(name: ClusterName, instance: ClusterInstance<C>, signal: AbortSignal): Promise<void> {
    const { cluster } = instance;
    const current = engagedOf(this.#member(name));
    const replacesAnother = current && !(await isSameCluster(current.cluster, cluster, signal));
    // If the identity is not known in time, the cluster must not count as another one.
    signal.throwIfAborted();
    // Work on the old cluster has to end before work on the new one begins.
    if (replacesAnother) void this.#dispatch(name, { type: 'ended', instance: current });
    // Includes indexes that are registered during the loop. Nothing is awaited after it, so none is missed.
    for (const makeIndex of this.#indexes) await makeIndex(cluster.fieldIndexer);
    instance.signal.throwIfAborted();
    void this.#dispatch(name, { type: 'ready', instance });
  }

  async #engage(name: ClusterName, instance: ClusterInstance<C>): Promise<void> {
    const { cluster, aware, signal, engaged, lifetime } = instance;
    try {
      await aware.engage(name, cluster, signal);
      if (signal.aborted) engaged.reject(wasNotEngaged(name, signal));
      else engaged.resolve();
    } catch (error) {
      engaged.reject(error);
      if (signal.aborted) return;
      lifetime.end(`its engagement was refused: ${(error as Error).message}`);
      void this.#dispatch(name, { type: 'ended', instance });
      this.#onError(error as Error, name);
    }
  }

  #report(name: ClusterName, { aware }: ClusterInstance<C>, { phase, reason, error }: ClusterObservation): void {
    const serving = engagedOf(this.#member(name)) !== undefined;
    aware.report?.(name, {
      phase,
      reason: serving ? `its new endpoint is not in use yet: ${reason}` : reason,
      ...(error && { error }),
    });
  }
}

function currentClock(current: () => Clock): Clock {
  return {
    now: () => current().now(),
    wallTime: () => current().wallTime(),
    schedule: (delay, callback) => current().schedule(delay, callback),
  };
}

function because(failure: unknown): string {
  return failure instanceof Error ? `: ${failure.message}` : '';
}

function wasNotEngaged(name: ClusterName, signal: AbortSignal): Error {
  return new Error(`cluster ${JSON.stringify(name)} was not engaged: ${(signal.reason as Error).message}`, {
    cause: signal.reason,
  });
}
