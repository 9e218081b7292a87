import type { Clock, FieldIndexer, IndexExtractor, Kind, KubernetesObject } from '@mcr/client';
import { configChange, parseOptions, positiveMilliseconds, systemClock } from '@mcr/client';
import * as z from 'zod';
import type { Cluster, ClusterDescription } from '../cluster/cluster.ts';
import type { Aware, ClusterObservation } from '../multicluster/aware.ts';
import type { ClusterName } from '../multicluster/cluster-name.ts';
import { ClusterNotFoundError } from '../multicluster/cluster-not-found-error.ts';
import { NotOwnerError } from '../multicluster/not-owner-error.ts';
import type { ClusterDeclaration, ComparedCluster } from './cluster-declaration.ts';
import { declarationOf } from './cluster-declaration.ts';
import { isSameCluster } from './cluster-identity.ts';
import { Connector } from './connector.ts';
import { Declarations } from './declarations.ts';
import { IndexRegistry } from './index-registry.ts';
import type { ClusterInstanceOptions } from './cluster-instance.ts';
import { ClusterInstance } from './cluster-instance.ts';
import type {
  Difference,
  ClusterLifecycle,
  ClusterLifecycleEffect,
  ClusterLifecycleEvent,
} from './cluster-lifecycle.ts';
import { engagedOf, instancesOf, transition } from './cluster-lifecycle.ts';

/** Options of {@link Clusters}. */
export interface ClustersOptions {
  /** Called for failures without a waiting caller, such as a cluster that stopped by itself or a failed rotation. */
  readonly onError?: (error: Error, name: ClusterName) => void;
  /**
   * Called if the declaration of a cluster cannot be used and no caller of `ensure` receives the error. Default: the error
   * is reported to `aware` and passed to `onError`.
   */
  readonly onUnusable?: (error: Error, name: ClusterName) => void;
  /** Compares two clusters with the same name. Default: compares their configurations. */
  readonly compare?: (present: ComparedCluster, wanted: ComparedCluster) => Difference;
  /** Deadline for a cluster to become ready, in milliseconds. Default: 30,000. */
  readonly syncTimeout?: number;
  /** Maximum number of concurrent connection attempts. Default: 16. */
  readonly concurrency?: number;
  /** Clock, or a function that returns it at each use so that it can be set later. Default: the system clock. */
  readonly clock?: Clock | (() => Clock);
  /** A number in [0, 1), for the jitter of retries. Default: `Math.random`. */
  readonly random?: () => number;
}

/** Report about a cluster that another process serves. Its owner may change without a report. */
const ELSEWHERE = { phase: 'Discovered', reason: 'another replica owns it' } as const;

const callback = z.custom((value) => typeof value === 'function', 'expected a function').optional();
const optionsSchema = z.strictObject({
  onError: callback,
  onUnusable: callback,
  compare: callback,
  syncTimeout: positiveMilliseconds.optional(),
  concurrency: z.int().positive().optional(),
  clock: z.custom<Clock>((value) => ['function', 'object'].includes(typeof value), 'expected a clock').optional(),
  random: callback,
} satisfies Record<keyof ClustersOptions, z.ZodType>);

/**
 * Runs, indexes, engages, rotates, replaces and stops the clusters of a provider. If `aware` has an ownership, clusters
 * that another process serves are only remembered: they are made and engaged when this process becomes their next owner,
 * and stopped when they move away. (Upstream: `pkg/clusters.Clusters`.)
 */
export class Clusters<C extends Cluster = Cluster> implements FieldIndexer {
  readonly #members = new Map<ClusterName, ClusterLifecycle<ClusterInstance<C>>>();
  /** The clusters of a sharded fleet. Empty if `aware` has no ownership. */
  readonly #declarations = new Declarations<C>({ onChange: (name) => this.#followOwnership(name) });
  readonly #indexes = new IndexRegistry();
  /** The calls of `run` that have not ended. */
  readonly #running = new Set<Promise<void>>();
  readonly #connector: Connector;
  readonly #onError: (error: Error, name: ClusterName) => void;
  readonly #onUnusable: ClustersOptions['onUnusable'];
  readonly #compare: (present: ComparedCluster, wanted: ComparedCluster) => Difference;

  /** @throws {TypeError} if an option is unknown or invalid; the message names it. */
  constructor(options: ClustersOptions = {}) {
    parseOptions('Clusters', optionsSchema, options);
    const { onError = () => undefined, concurrency = 16, syncTimeout = 30_000 } = options;
    const clock = typeof options.clock === 'function' ? currentClock(options.clock) : (options.clock ?? systemClock);
    this.#onError = onError;
    this.#onUnusable = options.onUnusable;
    this.#compare = options.compare ?? ((present, wanted) => configChange(present.config, wanted.config));
    this.#connector = new Connector({ syncTimeout, concurrency, clock, random: options.random ?? Math.random });
  }

  /**
   * Runs a cluster, waits until it is ready, adds the indexes to it, and engages it. If another process serves it, resolves
   * at once, and keeps the cluster until this process becomes its next owner. A cluster runs once: to get it back after
   * it has moved to another process, declare it with {@link ensure}.
   *
   * @param signal ends the engagement and the cluster.
   * @throws {TypeError} if a cluster with this name exists.
   * @throws the reason why the cluster did not become ready or was removed. The cluster has then stopped.
   */
  async add(name: ClusterName, cluster: C, aware: Aware, signal: AbortSignal): Promise<void> {
    if (this.has(name)) {
      throw new TypeError(`cluster ${JSON.stringify(name)} exists already: use addOrReplace to change it`);
    }
    await this.addOrReplace(name, cluster, aware, signal);
  }

  /**
   * Like {@link add}, if no cluster has this name. Otherwise, an equal cluster is kept, different credentials are
   * rotated in place, and a different endpoint replaces the cluster as soon as the new one is ready.
   */
  async addOrReplace(name: ClusterName, cluster: C, aware: Aware, signal: AbortSignal): Promise<void> {
    await this.#declare({ name, declaration: declarationOf(cluster), aware, signal, onFailure: 'give up' });
  }

  /**
   * Declares the cluster for a name, without waiting for it. The cluster is made only if none with an equal configuration
   * is present, and this process serves it. It is engaged as soon as it answers. Until then, the connection is retried
   * after 1 s to 5 min, and `aware` receives reports. A later call or a removal with the same name supersedes it.
   *
   * @throws the error of `declaration.config` or `declaration.make`. The previous declaration then stays.
   */
  ensure(name: ClusterName, declaration: ClusterDeclaration<C>, aware: Aware, signal: AbortSignal): void {
    // Each failure to connect is reported to `aware` or to `onError` where it happens.
    this.#declare({ name, declaration, aware, signal, onFailure: 'try again' }).catch(() => undefined);
  }

  /**
   * Declares the complete set of clusters, and removes all others. Resolves when the removed ones have stopped. A
   * declaration that cannot be used is reported to `aware` and `onError`; it does not affect other clusters.
   */
  async sync(
    desired: ReadonlyMap<ClusterName, ClusterDeclaration<C>>,
    aware: Aware,
    signal: AbortSignal,
  ): Promise<void> {
    for (const [name, declaration] of desired) {
      try {
        this.ensure(name, declaration, aware, signal);
      } catch (error) {
        this.#unusable(name, aware, error as Error);
      }
    }
    const superfluous = this.#names().filter((name) => !desired.has(name));
    await Promise.all(superfluous.map((name) => this.remove(name)));
  }

  /**
   * Disengages a cluster, or stops connecting to it, or forgets it if another process serves it. Resolves when it has
   * stopped.
   *
   * @param options.reason shown in the fleet status and logs. Default: `it was removed`.
   */
  async remove(name: ClusterName, { reason = 'it was removed' }: { readonly reason?: string } = {}): Promise<void> {
    const member = this.#member(name);
    const instances = instancesOf(member);
    const declared = this.#declarations.get(name);
    this.#declarations.delete(name);
    for (const { lifetime } of instances) lifetime.end(reason);
    const notEngaged = member.phase === 'connecting' ? member.next : member.phase === 'absent' ? declared : undefined;
    notEngaged?.aware.report?.(name, { phase: 'Disengaged', reason });
    void this.#dispatch(name, { type: 'removed' });
    await Promise.all(instances.map(({ running }) => running));
  }

  /** Removes all clusters. Resolves when all of them have stopped. */
  async removeAll(options: { readonly reason?: string } = {}): Promise<void> {
    for (const name of this.#names()) void this.remove(name, options);
    await Promise.all(this.#running);
  }

  /** Updates the description of a cluster. Has no effect if the name is unknown. */
  describe(name: ClusterName, description: ClusterDescription): void {
    this.#declarations.describe(name, description);
    const instances = instancesOf(this.#member(name));
    for (const { cluster } of instances) cluster.describe(description);
    const { aware } = instances[0] ?? this.#declarations.get(name) ?? {};
    aware?.described?.(name, description.labels);
  }

  /**
   * Returns the engaged cluster with this name.
   *
   * @throws {NotOwnerError} if another process serves it.
   * @throws {ClusterNotFoundError} if it is not engaged for any other reason.
   */
  get(name: ClusterName): C {
    const instance = engagedOf(this.#member(name));
    if (instance) return instance.cluster;
    if (!this.#declarations.isElsewhere(name)) throw new ClusterNotFoundError(name);
    throw new NotOwnerError(name, { owner: this.#declarations.get(name)?.ownership.ownerOf(name) });
  }

  /** Whether a cluster with this name is engaged or connecting, or is served by another process. */
  has(name: ClusterName): boolean {
    return this.#members.has(name) || this.#declarations.has(name);
  }

  /** Whether a cluster with this name is engaged or connecting in this process. */
  serves(name: ClusterName): boolean {
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

  #names(): ClusterName[] {
    return [...new Set([...this.#members.keys(), ...this.#declarations.names()])];
  }

  /**
   * Resolves when the cluster is engaged, or is declared and another process serves it.
   *
   * @throws the error of the declaration, before anything has changed.
   */
  #declare(options: ClusterInstanceOptions<C>): Promise<void> {
    const { name, declaration, aware, signal } = options;
    const { ownership } = aware;
    // Without an ownership, nothing is kept of the declaration. After an abort, the instance ends at once.
    if (!ownership || signal.aborted) {
      const wanted = this.#want(name, new ClusterInstance(options));
      if (!signal.aborted && declaration.labels) aware.described?.(name, declaration.labels);
      return wanted;
    }
    const declared = { declaration, aware, ownership, signal };
    if (ownership.stateOf(name) !== 'elsewhere') {
      const wanted = this.#want(name, new ClusterInstance(options));
      this.#declarations.set(name, declared);
      if (declaration.labels) aware.described?.(name, declaration.labels);
      return wanted;
    }
    const isNew = !this.has(name);
    this.#declarations.set(name, declared);
    if (isNew) aware.report?.(name, ELSEWHERE);
    else this.#release(name);
    if (declaration.labels) aware.described?.(name, declaration.labels);
    return Promise.resolve();
  }

  /** Makes and connects a declared cluster that this process is to serve, and stops one that it no longer serves. */
  #followOwnership(name: ClusterName): void {
    const declared = this.#declarations.get(name);
    if (!declared) return;
    if (this.#declarations.isElsewhere(name)) {
      this.#release(name);
    } else if (this.#member(name).phase === 'absent') {
      const instance = new ClusterInstance({ ...declared, name, onFailure: 'try again' });
      try {
        this.#want(name, instance).catch(() => undefined);
      } catch (error) {
        this.#unusable(name, declared.aware, error as Error);
      }
    }
  }

  /** Stops a cluster that another process serves, and keeps its declaration. */
  #release(name: ClusterName): void {
    const instances = instancesOf(this.#member(name));
    for (const { engaged, lifetime } of instances) {
      // A caller of `add` waits until the cluster is declared, if another process serves it.
      engaged.resolve();
      lifetime.end(ELSEWHERE.reason);
    }
    void this.#dispatch(name, { type: 'removed' });
    instances[0]?.aware.report?.(name, ELSEWHERE);
  }

  #unusable(name: ClusterName, aware: Aware, error: Error): void {
    warm(name, aware);
    if (this.#onUnusable) {
      this.#onUnusable(error, name);
      return;
    }
    aware.report?.(name, { phase: 'Unreachable', reason: error.message, error });
    this.#onError(error, name);
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
      if (kept !== instance && this.#compare(kept, instance) !== 'endpoint') kept.cluster.describe(instance.info);
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
    // A cluster that cannot be made leaves the state as is.
    for (const { type, instance } of effects) if (type === 'connect') instance.make();
    if (state.phase === 'absent') this.#members.delete(name);
    else this.#members.set(name, state);
    // The provider discovers it again.
    if (state.phase === 'absent' && event.type === 'ended' && effects.length > 0) this.#declarations.delete(name);
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
      const reason = `its engagement was refused: ${(error as Error).message}`;
      lifetime.end(reason);
      aware.report?.(name, { phase: 'Disengaged', reason, error: error as Error });
      void this.#dispatch(name, { type: 'ended', instance });
      this.#onError(error as Error, name);
    }
  }

  #report(name: ClusterName, { aware }: ClusterInstance<C>, { phase, reason, error }: ClusterObservation): void {
    const serving = engagedOf(this.#member(name)) !== undefined;
    if (phase === 'Unreachable') warm(name, aware);
    aware.report?.(name, {
      phase,
      reason: serving ? `its new endpoint is not in use yet: ${reason}` : reason,
      ...(error && { error }),
    });
  }
}

/** Records that a cluster cannot be reached, so that its handover does not wait for it. */
function warm(name: ClusterName, { ownership }: Aware): void {
  if (ownership?.stateOf(name) === 'warming') ownership.warmed(name);
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
