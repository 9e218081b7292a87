import { isTransportError } from '@mcr/client';
import type { CallType } from './breaker-state.ts';

/** Milliseconds without a complete response after which the connection is pinged. */
const PING_AFTER = 100;

/** Milliseconds without a complete response after which a call is overdue, and its cluster slow. */
export const OVERDUE_AFTER = 1_000;

/** Bytes of a list after which its time begins again, because a long list takes long on a healthy cluster, too. */
const LIST_PROGRESS = 256 * 1024;

/** The reconcile that sends calls. */
export interface CallScope {
  /** Calls without a complete response yet, to any cluster. */
  readonly calls: Set<PendingCall>;
  /** Why further calls are refused: its worker serves other clusters now. */
  readonly preempted: Error | undefined;
  /** Aborts when the result of the reconcile no longer counts: its controller stops, its cluster left or its time is up. */
  readonly signal: AbortSignal;
  /** Whether the reconcile has ended. Calls that it left behind belong to no reconcile. */
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
  /** Milliseconds after {@link waitsSince}: what has been done about it. */
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

  /** When the request was last sent, or will be sent again. */
  get sentAt(): number {
    return this.#sentAt;
  }

  /** {@link sentAt}, or when a part of a long list arrived since then. */
  get waitsSince(): number {
    return this.#waitsSince;
  }

  /** When it is looked at next. */
  get dueAt(): number {
    return this.#waitsSince + this.next;
  }

  /** Milliseconds after {@link waitsSince} at which it is looked at next. */
  get next(): number {
    if (this.handledUntil < PING_AFTER) return PING_AFTER;
    if (this.handledUntil < OVERDUE_AFTER) return OVERDUE_AFTER;
    return (Math.floor(this.handledUntil / this.patience) + 1) * this.patience;
  }

  /** Why the latest try failed, if no response came. */
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

  /** No response came, and the request is sent again. */
  failedTry(error: unknown): void {
    this.#lastFailure = isTransportError(error) ? error.message : undefined;
  }

  /** It needed no response of its own. */
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
