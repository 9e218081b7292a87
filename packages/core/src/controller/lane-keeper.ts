import type { Clock, Logger, Timer } from '@mcr/client';
import type { BreakerState } from '../isolation/breaker-state.ts';
import type { CircuitBreaker } from '../isolation/circuit-breaker.ts';
import { OVERDUE_AFTER } from '../isolation/pending-call.ts';
import { ClusterIsolatedError } from '../isolation/cluster-isolated-error.ts';
import type { ClusterName } from '../multicluster/cluster-name.ts';
import type { LaneMode } from '../workqueue/item.ts';
import type { WorkQueue } from '../workqueue/workqueue.ts';
import type { Attempt } from './attempt.ts';

/** How often reconciles are looked at while a cluster is slow, in milliseconds. */
const PERIOD = 25;

/** A call that waits for its response for less than this, in milliseconds, is no reason to preempt its reconcile. */
const SUSPECT_AFTER = 75;

/**
 * For so long after a cluster became slow, in milliseconds, others may be about to: reconciles that wait for
 * {@link SUSPECT_AFTER} count as slow, so that half of a fleet is found out in less than a second.
 */
const TROUBLE = 1_500;

/** How long a preempted reconcile may take to notice, in milliseconds; then another worker takes its place. */
const SETTLING_TIME = 500;

/** With one worker: how long a slow cluster rests after its reconcile was preempted, in milliseconds; it doubles. */
const FIRST_REST = 1_000;
const LONGEST_REST = 30_000;
/** With one worker: the rest of a cluster that answers, though late. */
const ANSWERING_REST = 5_000;
/** With one worker: after so many rests, a slow cluster has its turn even if others wait. */
const RESTS_BEFORE_TURN = 5;
/** With one worker: how long others wait for such a turn, in milliseconds. */
const TURN = 1_750;

export interface LaneKeeperOptions<R> {
  readonly queue: WorkQueue<R>;
  /** How many requests are reconciled at once. */
  readonly workers: number;
  /** The reconciles that run. */
  readonly inFlight: ReadonlySet<Attempt<R>>;
  readonly clock: Clock;
  readonly log: Logger;
  /** A preempted reconcile does not end: another worker is to take its place. */
  readonly onStuck: (attempt: Attempt<R>) => void;
}

interface Lane {
  readonly breaker: CircuitBreaker;
  readonly ignore: () => void;
  /** Rests in a row. */
  rests: number;
  /** While it rests. */
  timer: Timer | undefined;
  /** Its next reconcile is not preempted before its turn is over. */
  hasTurn: boolean;
}

/**
 * Keeps slow clusters from holding the workers of one controller that others wait for: chooses the lane of each cluster
 * in the queue by the state of its breaker, and preempts reconciles beyond what slow clusters may hold.
 */
export class LaneKeeper<R> {
  readonly #options: LaneKeeperOptions<R>;
  readonly #lanes = new Map<ClusterName, Lane>();
  /** How many workers slow clusters may hold while others wait. */
  readonly #allotment: number;
  readonly #settling = new Set<Timer>();
  /** Clusters whose lane is not open. */
  readonly #isolated = new Set<ClusterName>();
  /** `undefined`: no cluster became slow lately. */
  #troubleEnds: number | undefined;
  #timer: Timer | undefined;
  #isClosed = false;

  constructor(options: LaneKeeperOptions<R>) {
    this.#options = options;
    this.#allotment = Math.floor(options.workers / 2);
  }

  /** From now on the lane of `name` follows `breaker`. */
  engage(name: ClusterName, breaker: CircuitBreaker): void {
    const ignore = breaker.onChange((state, before) => this.#onChange(name, state, before));
    this.#lanes.set(name, { breaker, ignore, rests: 0, timer: undefined, hasTurn: false });
    if (modeOf(breaker.state) === 'open') return;
    this.#isolated.add(name);
    this.#setLane(name);
  }

  disengage(name: ClusterName): void {
    const lane = this.#lanes.get(name);
    if (!lane) return;
    lane.ignore();
    lane.timer?.cancel();
    this.#lanes.delete(name);
    this.#isolated.delete(name);
    this.#options.queue.setLane(name, 'open');
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
    for (const timer of this.#settling) timer.cancel();
    for (const name of [...this.#lanes.keys()]) this.disengage(name);
  }

  /** Whether requests of the cluster are not handed out as those of others. */
  isIsolated(name: ClusterName): boolean {
    return this.#isolated.has(name);
  }

  /** A reconcile is about to begin. */
  begins(attempt: Attempt<R>): void {
    if (this.#isolated.size === 0 && this.#troubleEnds === undefined) return;
    const { clusterName } = attempt.item;
    const lane = this.#lanes.get(clusterName);
    if (lane?.hasTurn) {
      lane.hasTurn = false;
      attempt.protectedUntil = this.#options.clock.now() + TURN;
      this.#setLane(clusterName);
    }
    this.#arm();
  }

  #onChange(name: ClusterName, state: BreakerState, before: BreakerState): void {
    const lane = this.#lanes.get(name);
    if (!lane) return;
    if (state.phase !== 'closed') this.#isolated.add(name);
    if (state.phase === 'closed') {
      this.#isolated.delete(name);
      lane.rests = 0;
      lane.hasTurn = false;
    }
    if (state.phase !== 'slow') {
      lane.timer?.cancel();
      lane.timer = undefined;
    }
    // Suspicion is no reason for more of it.
    const isSuspected = state.phase === 'slow' && state.suspected;
    if (before.phase === 'closed' && !isSuspected) this.#troubleEnds = this.#options.clock.now() + TROUBLE;
    this.#setLane(name);
    if (state.phase === 'parked') this.#preemptAll(name, state.reason);
    this.#check();
    this.#arm();
  }

  #setLane(name: ClusterName): void {
    const lane = this.#lanes.get(name);
    if (!lane) return;
    const mode = modeOf(lane.breaker.state);
    this.#options.queue.setLane(name, lane.timer ? 'parked' : lane.hasTurn && mode !== 'parked' ? 'open' : mode);
  }

  /** Looks again soon, while a reconcile may have to be preempted. */
  #arm(): void {
    const { clock, inFlight } = this.#options;
    if (this.#timer || this.#isClosed || inFlight.size === 0 || !this.#isTroubled()) return;
    this.#timer = clock.schedule(PERIOD, () => {
      this.#timer = undefined;
      this.#check();
      this.#arm();
    });
  }

  #isTroubled(): boolean {
    if (this.#troubleEnds !== undefined && this.#options.clock.now() < this.#troubleEnds) return true;
    this.#troubleEnds = undefined;
    return this.#isolated.size > 0;
  }

  /** Preempts the newest of the reconciles that hold more workers for slow clusters than these may have. */
  #check(): void {
    const { queue, inFlight, clock } = this.#options;
    if (!this.#isTroubled() || !queue.isStarved) return;
    const now = clock.now();
    const held = [...inFlight].filter((attempt) => !attempt.preempted && this.#holdsForSlow(attempt, now));
    const preemptible = held.filter(
      (attempt) => waitOf(attempt, now) >= SUSPECT_AFTER && now >= attempt.protectedUntil,
    );
    const excess = held.length - this.#allotment;
    if (excess <= 0) return;
    for (const attempt of preemptible.slice(-excess)) this.#preemptForOthers(attempt, now);
  }

  #holdsForSlow(attempt: Attempt<R>, now: number): boolean {
    if (this.isIsolated(attempt.item.clusterName)) return true;
    for (const { sentAt, isOfSlowCluster } of attempt.pendingCalls) {
      const isExpected = this.#troubleEnds !== undefined || isOfSlowCluster;
      if (now - sentAt >= (isExpected ? SUSPECT_AFTER : OVERDUE_AFTER)) return true;
    }
    return false;
  }

  #preemptForOthers(attempt: Attempt<R>, now: number): void {
    const { clusterName } = attempt.item;
    for (const call of attempt.pendingCalls) {
      if (now - call.sentAt >= SUSPECT_AFTER) call.suspect('another cluster became slow and others wait for workers');
    }
    const error = new ClusterIsolatedError(
      clusterName,
      'slow',
      'its reconcile was stopped: others wait for the worker',
    );
    // The lane keeps a slow cluster's request back; one that waits for another cluster would be back at once.
    this.#preempt(attempt, error, this.isIsolated(clusterName) ? {} : { after: 'backoff' });
    if (this.#allotment === 0) this.#rest(clusterName);
  }

  /** The cluster is parked: its lane has no business with workers. */
  #preemptAll(name: ClusterName, reason: string): void {
    const error = new ClusterIsolatedError(name, 'parked', reason);
    for (const attempt of this.#options.inFlight) {
      if (attempt.item.clusterName === name && attempt.pendingCalls.size > 0) this.#preempt(attempt, error, {});
    }
  }

  #preempt(attempt: Attempt<R>, error: Error, again: { readonly after?: 'backoff' }): void {
    const { clock, inFlight, log, onStuck } = this.#options;
    attempt.preempt(error, again);
    log.debug('preempted a reconcile of a slow cluster', { cluster: attempt.item.clusterName, error });
    const timer = clock.schedule(SETTLING_TIME, () => {
      this.#settling.delete(timer);
      if (inFlight.has(attempt)) onStuck(attempt);
    });
    this.#settling.add(timer);
  }

  /** With one worker: keeps a slow cluster out for a while, so that it is not begun and preempted all the time. */
  #rest(name: ClusterName): void {
    const lane = this.#lanes.get(name);
    if (!lane || lane.timer || modeOf(lane.breaker.state) === 'open') return;
    const { state } = lane.breaker;
    const answers = state.phase === 'slow' && state.answers;
    lane.rests += 1;
    const rest = answers ? ANSWERING_REST : Math.min(FIRST_REST * 2 ** (lane.rests - 1), LONGEST_REST);
    lane.timer = this.#options.clock.schedule(rest, () => {
      lane.timer = undefined;
      lane.hasTurn = answers || lane.rests >= RESTS_BEFORE_TURN;
      this.#setLane(name);
    });
    this.#setLane(name);
  }
}

function modeOf(state: BreakerState | undefined): LaneMode {
  switch (state?.phase) {
    case 'slow':
      return 'slow';
    case 'parked':
      return 'parked';
    case 'half-open':
      return 'trial';
    default:
      return 'open';
  }
}

/** For how long the oldest call of a reconcile has waited for its response, in milliseconds. */
function waitOf({ pendingCalls }: Pick<Attempt<never>, 'pendingCalls'>, now: number): number {
  let oldest = now;
  for (const { startedAt } of pendingCalls) oldest = Math.min(oldest, startedAt);
  return now - oldest;
}
