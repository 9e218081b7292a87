import { isTransportError } from '@mcr/client';
import type { CallType } from './breaker-state.ts';

/** Milliseconds without a complete response after which the connection is pinged. */
const PING_AFTER = 100;

/** Milliseconds without a complete response after which a call is overdue, and its cluster slow. */
export const OVERDUE_AFTER = 1_000;

/** Bytes of a list after which its wait starts again, because a long list takes long on a healthy cluster, too. */
const LIST_PROGRESS = 256 * 1024;

/** A running reconcile, as the sender of calls. */
export interface CallScope {
  /** Calls without a complete response yet, to any cluster. */
  readonly calls: Set<PendingCall>;
  /** Set if the reconcile was preempted because other clusters need its worker. Further calls are refused with it. */
  readonly preempted: Error | undefined;
  /** Aborts when the reconcile times out, its cluster is disengaged or its controller stops. */
  readonly signal: AbortSignal;
  /** Whether the reconcile has ended. Calls that it left behind no longer count as calls of a reconcile. */
  readonly ended: boolean;
}

/**
 * - `answered`: the response was read completely, or as far as the caller needs it.
 * - `lost`: it was not complete before the deadline of the request.
 * - `failed`: the connection failed.
 * - `gone`: no caller waits for it any longer.
 * - `settled`: the result that the caller waits for is available, from any request.
 */
export type CallEnd = 'answered' | 'lost' | 'failed' | 'gone' | 'settled';

/** Receives the progress of a call. */
export interface CallObserver {
  /** Whether the cluster has not answered other calls in time. */
  readonly isSlow: boolean;
  /** Called once. */
  ended(call: PendingCall, end: CallEnd): void;
  /** The server has answered, and the request is sent again `delay` milliseconds from now. */
  postponed(call: PendingCall, delay: number): void;
  /** A part of a long list has arrived. */
  progressed(call: PendingCall): void;
  /** A controller stops waiting for the response. @param elsewhere the problem of other clusters. */
  suspected(call: PendingCall, elsewhere: string): void;
}

export interface PendingCallOptions {
  readonly scope: CallScope;
  readonly type: CallType;
  /** The awaited result, for example `response to PATCH`. */
  readonly awaits: string;
  readonly startedAt: number;
  /** Interval of the checks while there is no complete response, in milliseconds. */
  readonly patience: number;
  /** Whether it then counts as lost. */
  readonly expires: boolean;
  readonly observer: CallObserver;
}

/** A call of a reconcile to a cluster, until its response was read. */
export class PendingCall {
  readonly type: CallType;
  readonly startedAt: number;
  readonly patience: number;
  readonly expires: boolean;
  #sentAt: number;
  #waitsSince: number;
  /** Time of its latest check that was handled, in milliseconds after {@link waitsSince}. */
  handledUntil = 0;
  #awaits: string;
  #isList = false;
  /** Bytes of a list since {@link waitsSince}. */
  #bytes = 0;
  readonly #scope: CallScope;
  readonly #observer: CallObserver;
  readonly #controller = new AbortController();
  #ended = false;
  #lastFailure: string | undefined;

  constructor({ scope, type, awaits, startedAt, patience, expires, observer }: PendingCallOptions) {
    this.type = type;
    this.#awaits = awaits;
    this.expires = expires;
    this.startedAt = startedAt;
    this.#sentAt = startedAt;
    this.#waitsSince = startedAt;
    this.patience = patience;
    this.#scope = scope;
    this.#observer = observer;
    scope.calls.add(this);
  }

  /** The awaited result, for example `response to PATCH`. */
  get awaits(): string {
    return this.#awaits;
  }

  /** Time at which the request was last sent, or will be sent again. */
  get sentAt(): number {
    return this.#sentAt;
  }

  /** Start of the current wait: {@link sentAt}, or the arrival of the latest part of a long list. */
  get waitsSince(): number {
    return this.#waitsSince;
  }

  /** Time of its next check. */
  get dueAt(): number {
    return this.#waitsSince + this.next;
  }

  /** Time of its next check, in milliseconds after {@link waitsSince}. */
  get next(): number {
    if (this.handledUntil < PING_AFTER) return PING_AFTER;
    if (this.handledUntil < OVERDUE_AFTER) return OVERDUE_AFTER;
    return (Math.floor(this.handledUntil / this.patience) + 1) * this.patience;
  }

  /** Why the latest attempt failed, if it had no response. */
  get lastFailure(): string | undefined {
    return this.#lastFailure;
  }

  /** Aborts with {@link abort}. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Returns a signal that aborts with {@link abort} or with the caller's own signal. */
  abortedWith(signal: AbortSignal | undefined): AbortSignal {
    return signal ? AbortSignal.any([signal, this.#controller.signal]) : this.#controller.signal;
  }

  /** Whether the cluster that it was sent to has not answered other calls in time. */
  get isOfSlowCluster(): boolean {
    return this.#observer.isSlow;
  }

  /** Stops waiting for the response early, because of the problem `elsewhere`. */
  suspect(elsewhere: string): void {
    this.#observer.suspected(this, elsewhere);
  }

  abort(reason: Error): void {
    this.#controller.abort(reason);
  }

  answered(): void {
    this.#end('answered');
  }

  /** The body of a list may take longer than that of one object, as long as it makes progress. */
  headersArrived({ isList }: { readonly isList: boolean }): void {
    this.#awaits = `complete ${this.#awaits}`;
    this.#lastFailure = undefined;
    this.#isList = isList;
  }

  /** A part of the body has arrived. */
  received(bytes: number): void {
    if (!this.#isList) return;
    this.#bytes += bytes;
    if (this.#bytes >= LIST_PROGRESS && !this.#ended) this.#observer.progressed(this);
  }

  /** Begins to wait again at `at`, for the next part of a list. */
  waitAgain(at: number): void {
    this.#waitsSince = at;
    this.#bytes = 0;
    this.handledUntil = 0;
  }

  /** The request is sent again at `at`. */
  sendAgain(at: number): void {
    this.#sentAt = at;
    this.waitAgain(at);
  }

  /** The server has answered, and the request is sent again `delay` milliseconds from now. */
  postponed(delay: number): void {
    if (!this.#ended) this.#observer.postponed(this, delay);
  }

  /** An attempt failed without a response, and the request is sent again. */
  failedTry(error: unknown): void {
    this.#lastFailure = isTransportError(error) ? error.message : undefined;
  }

  /** The awaited result is available without a response of its own. */
  settled(): void {
    this.#end('settled');
  }

  /** Ends the call with an error, and returns the error for the caller. */
  failed(error: unknown): unknown {
    if (this.signal.aborted || !isTransportError(error)) {
      this.#end('gone');
    } else if (error.code === 'deadline') {
      this.#end('lost');
    } else if (error.code === 'oversized') {
      // The client refuses it, not the server.
      this.#end('answered');
    } else {
      this.failedTry(error);
      this.#end('failed');
    }
    return error;
  }

  #end(end: CallEnd): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#scope.calls.delete(this);
    this.#observer.ended(this, end);
  }
}
