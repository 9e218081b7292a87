import type { Clock, Logger, Timer } from '@mcr/client';
import { backoffDelay } from '@mcr/client';
import type { BreakerState } from '../fleet/isolation/breaker-state.ts';
import type { CircuitBreaker } from '../fleet/isolation/circuit-breaker.ts';
import { OVERDUE_AFTER } from '../fleet/isolation/pending-call.ts';
import { ClusterIsolatedError } from '../fleet/isolation/cluster-isolated-error.ts';
import type { ClusterName } from '../fleet/multicluster/cluster-name.ts';
import type { LaneMode } from './workqueue/item.ts';
import type { WorkQueue } from './workqueue/workqueue.ts';
import type { Attempt } from './attempt.ts';

/** Interval between checks of running reconciles while a cluster is slow, in milliseconds. */
const PERIOD = 25;

/** Minimum wait of a call for its response before its reconcile is preempted, in milliseconds. */
const SUSPECT_AFTER = 75;

/**
 * Time after a cluster became slow during which others are suspected, in milliseconds: clusters whose calls have waited
 * for {@link SUSPECT_AFTER} count as slow. So the failure of half of a fleet is detected in less than a second.
 */
const SUSPICION_TIME = 1_500;

/** Time for a preempted reconcile to return, in milliseconds. After that, another worker takes its place. */
const SETTLING_TIME = 500;

/**
 * With one worker: first pause of a slow cluster after its reconcile was preempted, in milliseconds. It doubles each
 * time.
 */
const PAUSE = { base: 1_000, max: 30_000, jitter: 0 };
/** With one worker: pause of a cluster that answers, but late, in milliseconds. */
const ANSWERING_PAUSE = 5_000;
/** With one worker: maximum length of a turn, in milliseconds. In a turn, a slow cluster is served even if others wait. */
const TURN = 1_750;
/** With one worker: minimum time from one turn to the next of any cluster, in milliseconds. */
const TURN_INTERVAL = 5_000;
/** With one worker: time from one turn of a cluster that does not answer to its next one, in milliseconds. */
const SILENT_TURN_INTERVAL = 30_000;

export interface LaneKeeperOptions<R> {
  readonly queue: WorkQueue<R>;
  /** Maximum number of concurrent reconciles. */
  readonly workers: number;
  /** The running reconciles. */
  readonly inFlight: ReadonlySet<Attempt<R>>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Called when a preempted reconcile does not return, so that another worker can take its place. */
  readonly onStuck: (attempt: Attempt<R>) => void;
}

interface Lane {
  readonly breaker: CircuitBreaker;
  readonly ignore: () => void;
  /** Number of consecutive pauses. */
  pauses: number;
  /** Set during a pause. */
  timer: Timer | undefined;
  /** With one worker: set until it is next checked whether a turn is due. */
  turnTimer: Timer | undefined;
  /** When it became slow, or its latest turn began. */
  waitsSince: number;
  /** Whether its next reconcile runs until the end of its turn without being preempted. */
  hasTurn: boolean;
}

/**
 * Keeps slow clusters from holding workers of a controller that others wait for. It sets the mode of each cluster's
 * lane in the queue by the state of its breaker, and preempts reconciles that exceed the share of slow clusters.
 */
export class LaneKeeper<R> {
  readonly #options: LaneKeeperOptions<R>;
  readonly #lanes = new Map<ClusterName, Lane>();
  /** Number of workers that slow clusters may hold while others wait. */
  readonly #allotment: number;
  readonly #settling = new Set<Timer>();
  /** Clusters whose lane is not open. */
  readonly #isolated = new Set<ClusterName>();
  /** `undefined` if no cluster became slow recently. */
  #suspicionEnds: number | undefined;
  #timer: Timer | undefined;
  /** With one worker: earliest time of the next turn of any cluster. */
  #nextTurnAt = -Infinity;
  #isClosed = false;

  constructor(options: LaneKeeperOptions<R>) {
    this.#options = options;
    this.#allotment = Math.floor(options.workers / 2);
  }

  /** Makes the lane of `name` follow `breaker`. */
  engage(name: ClusterName, breaker: CircuitBreaker): void {
    const ends = [breaker.onChange((state, before) => this.#onChange(name, state, before))];
    // A single worker may never get to a slow cluster while others have requests, so its requests must not keep it slow.
    if (this.#allotment > 0) ends.push(breaker.addDemand(() => this.#options.queue.isHeldBack(name)));
    const ignore = () => ends.forEach((end) => end());
    const waitsSince = this.#options.clock.now();
    const lane: Lane = {
      breaker,
      ignore,
      pauses: 0,
      timer: undefined,
      turnTimer: undefined,
      waitsSince,
      hasTurn: false,
    };
    this.#lanes.set(name, lane);
    if (modeOf(breaker.state) === 'open') return;
    this.#isolated.add(name);
    this.#setLane(name);
    this.#awaitTurn(name, lane, TURN_INTERVAL);
  }

  disengage(name: ClusterName): void {
    const lane = this.#lanes.get(name);
    if (!lane) return;
    lane.ignore();
    lane.timer?.cancel();
    lane.turnTimer?.cancel();
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

  /** Whether the lane of the cluster is restricted. */
  isIsolated(name: ClusterName): boolean {
    return this.#isolated.has(name);
  }

  /** Called before a reconcile starts. */
  begins(attempt: Attempt<R>): void {
    if (this.#isolated.size === 0 && this.#suspicionEnds === undefined) return;
    const { clusterName } = attempt.item;
    const lane = this.#lanes.get(clusterName);
    if (lane?.hasTurn) {
      lane.hasTurn = false;
      lane.waitsSince = this.#options.clock.now();
      attempt.protectedUntil = lane.waitsSince + TURN;
      this.#setLane(clusterName);
      this.#awaitTurn(clusterName, lane, TURN_INTERVAL);
    }
    this.#arm();
  }

  #onChange(name: ClusterName, state: BreakerState, before: BreakerState): void {
    const lane = this.#lanes.get(name);
    if (!lane) return;
    if (state.phase === 'closed') {
      this.#isolated.delete(name);
      lane.pauses = 0;
      lane.hasTurn = false;
      lane.turnTimer?.cancel();
      lane.turnTimer = undefined;
    } else if (before.phase === 'closed') {
      this.#isolated.add(name);
      lane.waitsSince = this.#options.clock.now();
      this.#awaitTurn(name, lane, TURN_INTERVAL);
    }
    if (state.phase !== 'slow') {
      lane.timer?.cancel();
      lane.timer = undefined;
    }
    // A suspected cluster must not cause further suspicion.
    const isSuspected = state.phase === 'slow' && state.suspected;
    if (before.phase === 'closed' && !isSuspected) this.#suspicionEnds = this.#options.clock.now() + SUSPICION_TIME;
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

  /** Schedules the next check, while a reconcile may have to be preempted. */
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
    if (this.#suspicionEnds !== undefined && this.#options.clock.now() < this.#suspicionEnds) return true;
    this.#suspicionEnds = undefined;
    return this.#isolated.size > 0;
  }

  /** Preempts the newest reconciles if slow clusters hold more workers than their share. */
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
    for (const { waitsSince, isOfSlowCluster } of attempt.pendingCalls) {
      const isExpected = this.#suspicionEnds !== undefined || isOfSlowCluster;
      if (now - waitsSince >= (isExpected ? SUSPECT_AFTER : OVERDUE_AFTER)) return true;
    }
    return false;
  }

  #preemptForOthers(attempt: Attempt<R>, now: number): void {
    const { clusterName } = attempt.item;
    for (const call of attempt.pendingCalls) {
      if (now - call.waitsSince >= SUSPECT_AFTER)
        call.suspect('another cluster became slow and others wait for workers');
    }
    const error = new ClusterIsolatedError(
      clusterName,
      'slow',
      'its reconcile was preempted because other clusters wait for the worker',
    );
    // The lane delays a slow cluster's request. A request that waits for another cluster needs a backoff, or it would
    // run again immediately.
    this.#preempt(attempt, error, this.isIsolated(clusterName) ? {} : { after: 'backoff' });
    if (this.#allotment === 0) this.#pause(clusterName);
  }

  /** Preempts all reconciles of a parked cluster. */
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

  /** With one worker: pauses a slow cluster, so that it is not started and preempted all the time. */
  #pause(name: ClusterName): void {
    const lane = this.#lanes.get(name);
    if (!lane || lane.timer || modeOf(lane.breaker.state) === 'open') return;
    lane.pauses += 1;
    const rest = answersLate(lane) ? ANSWERING_PAUSE : backoffDelay(PAUSE, lane.pauses);
    lane.timer = this.#options.clock.schedule(rest, () => {
      lane.timer = undefined;
      this.#setLane(name);
    });
    this.#setLane(name);
  }

  /** With one worker: checks after `delay` whether a turn is due, because others may always have requests. */
  #awaitTurn(name: ClusterName, lane: Lane, delay: number): void {
    if (this.#allotment > 0) return;
    lane.turnTimer = this.#options.clock.schedule(delay, () => this.#offerTurn(name, lane));
  }

  #offerTurn(name: ClusterName, lane: Lane): void {
    const now = this.#options.clock.now();
    const interval = answersLate(lane) ? TURN_INTERVAL : SILENT_TURN_INTERVAL;
    const wait = Math.max(lane.waitsSince + interval, this.#nextTurnAt) - now;
    if (wait > 0 || modeOf(lane.breaker.state) === 'parked') {
      this.#awaitTurn(name, lane, wait > 0 ? Math.min(wait, TURN_INTERVAL) : TURN_INTERVAL);
      return;
    }
    lane.turnTimer = undefined;
    lane.hasTurn = true;
    this.#nextTurnAt = now + TURN_INTERVAL;
    this.#setLane(name);
  }
}

function answersLate({ breaker: { state } }: Lane): boolean {
  return state.phase === 'slow' && state.answers;
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

/** Returns how long the oldest call of a reconcile has waited for its response, in milliseconds. */
function waitOf({ pendingCalls }: Pick<Attempt<never>, 'pendingCalls'>, now: number): number {
  let oldest = now;
  for (const { startedAt } of pendingCalls) oldest = Math.min(oldest, startedAt);
  return now - oldest;
}
