import type { Clock, PingResult, Recovery, Timer } from '@mcr/client';
import { backoffDelay, sleep } from '@mcr/client';
import type { ClusterName } from '../multicluster/cluster-name.ts';
import type { BreakerInput, BreakerState } from './breaker-state.ts';
import { CLOSED, transition } from './breaker-state.ts';
import type { CallScope } from './pending-call.ts';
import { ClusterIsolatedError } from './cluster-isolated-error.ts';
import type { CallEnd, CallObserver, PendingCallOptions } from './pending-call.ts';
import { OVERDUE_AFTER, PendingCall } from './pending-call.ts';

/** Deadline of a ping, in milliseconds. */
const PING_DEADLINE = 1_000;

/** Milliseconds without a complete response after which a call counts as lost. */
const LOST_AFTER = 5_000;

/** Milliseconds after which a list is overdue even if it makes progress, because it holds a worker. */
const LONGEST_LIST = 10_000;

/**
 * Time from parking to the first trial, and patience during the first trial, in milliseconds. Both double with each
 * trial.
 */
const WAIT = { base: 1_000, max: 30_000, jitter: -0.25 };
const PATIENCE = { base: 1_000, max: 8_000, jitter: 0 };

/**
 * Time without a late call after which a cluster is no longer slow or on trial, in milliseconds. It is needed because
 * reconciles may never again send a call of the type that was late. It is longer than every pause before a retry.
 */
export const QUIET_AFTER = 60_000;

export interface CircuitBreakerOptions {
  readonly clusterName: ClusterName;
  readonly clock: Clock;
  /** Checks the connection. Never rejects. Default: the result is unknown. */
  readonly ping?: (timeout: number) => Promise<PingResult>;
  /** Detects that the cluster answers again. */
  readonly recovery: Recovery;
  /** A number in [0, 1), for jitter. Default: `Math.random`. */
  readonly random?: () => number;
}

/** Listener of {@link CircuitBreaker.onChange}. */
export type BreakerListener = (state: BreakerState, before: BreakerState) => void;

/**
 * Observes the calls that reconciles send to one cluster, and limits the workers that the cluster may hold. All
 * controllers of the process share it. It ignores requests of caches, health checks and everything else outside of
 * reconciles.
 */
export class CircuitBreaker {
  readonly #options: CircuitBreakerOptions;
  readonly #calls = new Set<PendingCall>();
  readonly #listeners = new Set<BreakerListener>();
  readonly #end = new AbortController();
  #state: BreakerState = CLOSED;
  /** Time of the next check of the calls. */
  #timer: { readonly at: number; readonly timer: Timer } | undefined;
  #pinging = false;
  /** The reconcile that runs as the trial. */
  #trial: CallScope | undefined;
  /** Time of the latest sign that the cluster does not answer in time. */
  #lateAt = -Infinity;
  /** Whether a call of any type was answered in time since then. */
  #answersInTime = false;
  /** Functions that return whether requests of the cluster wait to be reconciled. */
  readonly #demands = new Set<() => boolean>();
  readonly #observer: CallObserver;

  constructor(options: CircuitBreakerOptions) {
    this.#options = options;
    const isSlow = () => this.#state.phase !== 'closed';
    this.#observer = {
      get isSlow() {
        return isSlow();
      },
      ended: (call, end) => this.#onEnd(call, end),
      postponed: (call, delay) => this.#onPostponed(call, delay),
      progressed: (call) => this.#onProgress(call),
      suspected: (call, elsewhere) => this.#onSuspected(call, elsewhere),
    };
  }

  get state(): BreakerState {
    return this.#state;
  }

  /**
   * Calls `listener` after each change of the phase.
   *
   * @returns a function that removes the listener.
   */
  onChange(listener: BreakerListener): () => void {
    const own: BreakerListener = (...change) => listener(...change);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  /**
   * Adds a queue that holds requests of the cluster back while the cluster is slow. As long as `isWaiting` returns true,
   * the absence of late calls proves nothing, because the requests that would send them wait.
   *
   * @returns a function that removes the queue.
   */
  addDemand(isWaiting: () => boolean): () => void {
    const own = () => isWaiting();
    this.#demands.add(own);
    return () => void this.#demands.delete(own);
  }

  /**
   * Records a health check that succeeded after `elapsed` milliseconds. If it was in time, and no call was late for
   * {@link QUIET_AFTER}, the cluster is no longer slow or on trial.
   */
  healthChecked(elapsed: number): void {
    const now = this.#options.clock.now();
    if (elapsed >= OVERDUE_AFTER || now - this.#lateAt < QUIET_AFTER) return;
    for (const { waitsSince, signal } of this.#calls) if (!signal.aborted && now - waitsSince >= OVERDUE_AFTER) return;
    if (!this.#answersInTime && [...this.#demands].some((isWaiting) => isWaiting())) return;
    this.#take({ type: 'quiet' });
  }

  /**
   * Starts to observe a call.
   *
   * @throws {ClusterIsolatedError} if the cluster is parked, or another reconcile is its trial.
   * @throws the reason why the reconcile was preempted.
   */
  begin(scope: CallScope, method: string): PendingCall {
    return this.#begin({
      scope,
      type: method === 'GET' ? 'read' : 'write',
      awaits: `response to ${method}`,
      expires: true,
    });
  }

  /**
   * Starts to observe a reconcile that waits for a cache of the cluster. A list may take long, so the wait never counts
   * as lost.
   *
   * @throws the same errors as {@link begin}.
   */
  beginWait(scope: CallScope): PendingCall {
    return this.#begin({ scope, type: 'read', awaits: 'synced cache', expires: false });
  }

  #begin(options: Pick<PendingCallOptions, 'scope' | 'type' | 'awaits' | 'expires'>): PendingCall {
    const { scope } = options;
    if (scope.preempted) throw scope.preempted;
    const state = this.#state;
    if (state.phase === 'parked') throw this.#error(state.reason);
    if (state.phase === 'half-open') {
      if (this.#trial && this.#trial !== scope && !this.#trial.ended) throw this.#error(state.reason);
      this.#trial = scope;
    }
    const call = new PendingCall({
      ...options,
      startedAt: this.#options.clock.now(),
      patience: state.phase === 'half-open' ? patienceOf(state.parks) : LOST_AFTER,
      observer: this.#observer,
    });
    this.#calls.add(call);
    this.#arm(call.dueAt);
    return call;
  }

  /** Stops all timers, probes and notifications. */
  close(): void {
    this.#end.abort();
    this.#disarm();
    this.#listeners.clear();
    this.#demands.clear();
  }

  #take(input: BreakerInput): void {
    this.#note(input);
    const before = this.#state;
    const after = transition(before, input);
    if (after === before) return;
    this.#state = after;
    if (after.phase === before.phase) return;
    this.#trial = undefined;
    for (const listener of [...this.#listeners]) listener(after, before);
    if (after.phase !== 'parked') return;
    const error = this.#error(after.reason);
    for (const call of [...this.#calls]) call.abort(error);
    void this.#recover(after);
  }

  #note(input: BreakerInput): void {
    if (input.type === 'answered' && !input.late) {
      this.#answersInTime = true;
    } else if (input.type === 'answered' || input.type === 'overdue' || input.type === 'expired') {
      this.#lateAt = this.#options.clock.now();
      this.#answersInTime = false;
    }
  }

  #onSuspected(call: PendingCall, elsewhere: string): void {
    const elapsed = this.#options.clock.now() - call.waitsSince;
    const reason = `${overdueReason(call, elapsed)}, while ${elsewhere}`;
    this.#take({ type: 'overdue', call: call.type, reason, suspected: true });
  }

  #onEnd(call: PendingCall, end: CallEnd): void {
    this.#calls.delete(call);
    if (this.#calls.size === 0) this.#disarm();
    if (this.#end.signal.aborted) return;
    const { type } = call;
    const now = this.#options.clock.now();
    const elapsed = now - call.waitsSince;
    const late = elapsed >= OVERDUE_AFTER || isLongList(call, now);
    if (end === 'answered') this.#take({ type: 'answered', call: type, late });
    // The end of a wait does not show whether the cluster answers in time, unless this wait was overdue.
    if (end === 'settled' && elapsed >= OVERDUE_AFTER) this.#take({ type: 'answered', call: type, late: false });
    // A deadline of less than a second does not show that the cluster is slow.
    const isLost = end === 'lost' && elapsed >= OVERDUE_AFTER;
    // A failed connection makes a trial fail.
    const hasFailed = (end === 'lost' || end === 'failed') && this.#state.phase === 'half-open';
    if (!isLost && !hasFailed) return;
    const reason = end === 'failed' ? overdueReason(call, elapsed) : lostReason(call, elapsed);
    this.#take({ type: 'expired', call: type, reason });
  }

  #onPostponed(call: PendingCall, delay: number): void {
    const now = this.#options.clock.now();
    const late = now - call.waitsSince >= OVERDUE_AFTER;
    call.sendAgain(now + delay);
    this.#take({ type: 'answered', call: call.type, late });
    this.#arm(call.dueAt);
  }

  /** Gives a list more time. It never counts as lost while it makes progress. */
  #onProgress(call: PendingCall): void {
    const now = this.#options.clock.now();
    call.waitAgain(now);
    if (isLongList(call, now)) {
      this.#take({ type: 'overdue', call: call.type, reason: overdueReason(call, now - call.sentAt) });
    }
    this.#arm(call.dueAt);
  }

  #onTimer(): void {
    this.#timer = undefined;
    const now = this.#options.clock.now();
    for (const call of [...this.#calls]) {
      // A late timer handles all due checks once.
      while (!call.signal.aborted && call.dueAt <= now) {
        call.handledUntil = call.next;
        this.#handle(call);
      }
    }
    for (const call of this.#calls) if (!call.signal.aborted) this.#arm(call.dueAt);
  }

  /** Schedules a check of the calls no later than at that time. */
  #arm(at: number): void {
    if (this.#end.signal.aborted || (this.#timer && this.#timer.at <= at)) return;
    const { clock } = this.#options;
    this.#timer?.timer.cancel();
    this.#timer = { at, timer: clock.schedule(at - clock.now(), () => this.#onTimer()) };
  }

  #disarm(): void {
    this.#timer?.timer.cancel();
    this.#timer = undefined;
  }

  /** Handles a call that has waited until its next check. */
  #handle(call: PendingCall): void {
    const { handledUntil, patience, expires, type } = call;
    void this.#ping();
    if (handledUntil === OVERDUE_AFTER) {
      this.#take({ type: 'overdue', call: type, reason: overdueReason(call, OVERDUE_AFTER) });
    }
    if (expires && handledUntil >= patience) {
      this.#take({ type: 'expired', call: type, reason: lostReason(call, handledUntil) });
    }
  }

  async #ping(): Promise<void> {
    const { ping } = this.#options;
    if (!ping || this.#pinging) return;
    this.#pinging = true;
    const result = await ping(PING_DEADLINE);
    this.#pinging = false;
    if (result !== 'silent' || this.#end.signal.aborted) return;
    this.#take({ type: 'silent', reason: `no answer to a ping within ${PING_DEADLINE} ms` });
  }

  /** Waits until a parked cluster may be tried again. */
  async #recover({ cause, parks }: BreakerState & { readonly phase: 'parked' }): Promise<void> {
    const { clock, recovery, random = Math.random } = this.#options;
    const { signal } = this.#end;
    // After silence, the health check decides. It is delayed if its last result was wrong.
    const waits = cause === 'ping' ? parks - 1 : parks;
    const wait = backoffDelay({ ...WAIT, random }, waits);
    try {
      if (wait > 0) await sleep(clock, wait, signal);
      if (cause === 'ping') await recovery.recovered(signal);
    } catch {
      return;
    }
    this.#take({ type: cause === 'ping' ? 'recovered' : 'retry' });
  }

  #error(reason: string): ClusterIsolatedError {
    return new ClusterIsolatedError(this.#options.clusterName, 'parked', reason);
  }
}

function patienceOf(parks: number): number {
  return backoffDelay(PATIENCE, parks);
}

/** Whether a response takes so long that it can only be a list in parts. */
function isLongList({ sentAt, waitsSince }: PendingCall, now: number): boolean {
  return waitsSince > sentAt && now - sentAt >= LONGEST_LIST;
}

function overdueReason({ awaits, lastFailure }: PendingCall, elapsed: number): string {
  return lastFailure === undefined ? `no ${awaits} within ${Math.round(elapsed)} ms` : `no ${awaits}: ${lastFailure}`;
}

function lostReason({ awaits }: PendingCall, elapsed: number): string {
  return elapsed < 1_000
    ? `no ${awaits} within ${Math.round(elapsed)} ms`
    : `no ${awaits} within ${Math.round(elapsed / 1_000)} s`;
}
