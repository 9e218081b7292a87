import type { Clock, EventRecorder } from '@mcr/client';
import type { Cluster } from '../fleet/cluster/cluster.ts';
import { Lifetime } from '../fleet/clusters/lifetime.ts';
import type { Coordinator, Decision } from '../fleet/coordinator/coordinator.ts';
import type { Engagement } from '../fleet/coordinator/engagements.ts';
import { Engagements } from '../fleet/coordinator/engagements.ts';
import type { FleetRecorder } from '../fleet/status/fleet.ts';
import { HealthMonitor } from '../fleet/status/health-monitor.ts';
import { isolationOf } from '../fleet/isolation/breaker-state.ts';
import type { MeasuredCache } from './metrics/cache-figures.ts';
import type { Metrics } from './metrics/metrics.ts';
import type { ClusterObservation } from '../fleet/multicluster/aware.ts';
import type { ClusterName } from '../fleet/multicluster/cluster-name.ts';

export interface EngagementTrackerOptions {
  readonly coordinator: Coordinator;
  readonly recorder: FleetRecorder;
  readonly clock: Clock;
  /** Default: nothing is measured. */
  readonly metrics: Pick<Metrics, 'clusterParked' | 'clusterUnreachable'> | undefined;
  /** Records events about clusters, if there is a local cluster. */
  readonly eventRecorder: () => EventRecorder | undefined;
}

/**
 * Tracks the clusters that are engaged with a manager. It passes each engagement to the coordinator, follows the
 * coordinator's decision whether this process serves the cluster, and records the result in the fleet status.
 */
export class EngagementTracker {
  /** Checks the clusters that this process serves. */
  readonly health: HealthMonitor;
  readonly #options: EngagementTrackerOptions;
  readonly #engagements = new Engagements((engagement) => this.#onDisengaged(engagement));
  /** Engaged clusters that this process serves, until the coordinator declines them. */
  readonly #served = new Map<ClusterName, Lifetime>();
  /** Reason why this process does not serve an engaged cluster. */
  readonly #declined = new Map<ClusterName, string>();

  constructor(options: EngagementTrackerOptions) {
    const { recorder, clock } = options;
    this.#options = options;
    this.health = new HealthMonitor({
      recorder,
      onUnreachable: (name, cluster, error) => this.#onUnreachable(name, cluster, error),
      clock,
    });
  }

  get(name: ClusterName): Cluster | undefined {
    return this.#engagements.get(name)?.cluster;
  }

  /** Returns the size of the stored objects of a cluster in bytes; `undefined` if it is unknown. */
  cachedBytes(name: ClusterName): number | undefined {
    return this.get(name)
      ?.cache.stats?.()
      .reduce((bytes, { objectBytes }) => bytes + objectBytes, 0);
  }

  /** Yields the caches of the engaged clusters. */
  *caches(): Generator<MeasuredCache, void, undefined> {
    for (const { name, cluster } of this.#engagements) yield { name, cache: cluster.cache };
  }

  /** Returns why this process does not serve an engaged cluster, or `undefined` if it does. */
  declineReason(name: ClusterName): string | undefined {
    return this.#declined.get(name);
  }

  /** @throws the error of the coordinator if a controller refuses the cluster. Callers may retry. */
  async engage(engagement: Engagement): Promise<void> {
    const { name, cluster, signal } = engagement;
    const { coordinator, recorder } = this.#options;
    if (!this.#engagements.add(engagement)) return;
    this.#forgetDecision(name);
    recorder.phase(name, 'Syncing', 'controllers are being notified');
    this.#followLabels(engagement);
    this.#followBreaker(engagement);
    const isCurrent = () => this.get(name) === cluster;
    let isPassedOn = false;
    const decide = (decision: Decision) => {
      if (!isCurrent()) return;
      if (decision !== 'accepted') this.#decline(name, decision.declined);
      else if (this.#declined.delete(name) && isPassedOn) this.#serve(engagement);
    };
    try {
      await coordinator.engage(name, cluster, signal, { decide });
    } catch (error) {
      this.#refused(engagement, error as Error);
      throw error;
    }
    isPassedOn = true;
    if (isCurrent() && !this.#declined.has(name)) this.#serve(engagement);
  }

  /** Records a provider's report. */
  report(name: ClusterName, { phase, reason, error }: ClusterObservation): void {
    const { recorder } = this.#options;
    // A cluster stays engaged until its engagement ends; the provider's report becomes the reason.
    if (this.get(name)) recorder.reported(name, reason, error);
    else recorder.phase(name, phase, reason, error);
  }

  #serve({ name, cluster, signal }: Engagement): void {
    if (this.#served.has(name)) return;
    const lifetime = new Lifetime(signal);
    this.#served.set(name, lifetime);
    this.health.watch(name, cluster, lifetime.signal);
    this.#options.recorder.phase(name, 'Engaged', 'all watches have synced');
  }

  #decline(name: ClusterName, why: string): void {
    const reason = `this process does not serve it: ${why}`;
    this.#forgetDecision(name);
    this.#declined.set(name, reason);
    this.#options.recorder.phase(name, 'Discovered', reason);
  }

  #forgetDecision(name: ClusterName): void {
    this.#served.get(name)?.end('the cluster is no longer served');
    this.#served.delete(name);
    this.#declined.delete(name);
  }

  #refused(engagement: Engagement, error: Error): void {
    const { name, cluster } = engagement;
    if (this.get(name) !== cluster) return;
    this.#engagements.forget(engagement);
    this.#forgetDecision(name);
    this.#options.recorder.phase(name, 'Disengaged', `its engagement was refused: ${error.message}`, error);
  }

  /** Records the labels of a cluster that a provider has discovered. */
  described(name: ClusterName, labels: Readonly<Record<string, string>>): void {
    if (!this.get(name)) this.#options.recorder.labels(name, labels);
  }

  #followLabels({ name, cluster, signal }: Engagement): void {
    const record = () => this.#options.recorder.labels(name, cluster.info.labels);
    signal.addEventListener('abort', cluster.onDescribed(record), { once: true });
    record();
  }

  #followBreaker({ name, cluster: { breaker }, signal }: Engagement): void {
    if (!breaker) return;
    const { recorder, metrics } = this.#options;
    const record = () => recorder.isolated(name, isolationOf(breaker.state));
    const ignore = breaker.onChange((state, before) => {
      if (state.phase === 'parked' && before.phase !== 'half-open') metrics?.clusterParked(name);
      record();
    });
    signal.addEventListener('abort', ignore, { once: true });
    record();
  }

  #onUnreachable(name: ClusterName, { info: { origin } }: Cluster, { message }: Error): void {
    const { metrics, eventRecorder } = this.#options;
    metrics?.clusterUnreachable(name);
    if (!origin) return;
    eventRecorder()?.event(origin, {
      type: 'Warning',
      reason: 'ClusterUnreachable',
      action: 'HealthCheck',
      note: `health checks failed: ${message}`,
    });
  }

  #onDisengaged({ name, signal }: Engagement): void {
    this.#forgetDecision(name);
    // The reason of an abort may be a DOMException, which is not an instance of every realm's `Error`.
    const { message } = signal.reason as { readonly message?: string };
    this.#options.recorder.phase(name, 'Disengaged', message ?? String(signal.reason));
  }
}
