import { isTransportError } from '@mcr/client';
import type { CallScope } from './call-scope.ts';
import type { CallType } from './breaker-state.ts';

/**
 * - `answered`: the response headers have come.
 * - `lost`: they have not, until the deadline of the request.
 * - `failed`: the connection failed.
 * - `gone`: nobody waits for them any more.
 */
export type CallEnd = 'answered' | 'lost' | 'failed' | 'gone';

/** What a call reports to. */
export interface CallObserver {
  /** Whether the cluster has not answered other calls in time. */
  readonly isSlow: boolean;
  /** Called once. */
  ended(call: PendingCall, end: CallEnd): void;
  /** A controller does not wait for the response. @param elsewhere what else is the matter. */
  suspected(call: PendingCall, elsewhere: string): void;
}

export interface PendingCallOptions {
  readonly scope: CallScope;
  readonly method: string;
  readonly startedAt: number;
  /** Milliseconds without response headers after which it counts as lost, and each time again. */
  readonly patience: number;
  readonly observer: CallObserver;
}

/** A call of a reconcile to a cluster, until its response headers have come. */
export class PendingCall {
  readonly method: string;
  readonly type: CallType;
  readonly startedAt: number;
  readonly patience: number;
  /** Milliseconds after its start: what has been done about it. */
  handledUntil = 0;
  readonly #scope: CallScope;
  readonly #observer: CallObserver;
  readonly #controller = new AbortController();
  #ended = false;

  constructor({ scope, method, startedAt, patience, observer }: PendingCallOptions) {
    this.method = method;
    this.type = method === 'GET' ? 'read' : 'write';
    this.startedAt = startedAt;
    this.patience = patience;
    this.#scope = scope;
    this.#observer = observer;
    scope.calls.add(this);
  }

  /** Aborts with {@link abort}. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Aborts with {@link abort}, or with the caller's own signal. */
  abortedWith(signal: AbortSignal | undefined): AbortSignal {
    return signal ? AbortSignal.any([signal, this.#controller.signal]) : this.#controller.signal;
  }

  /** Whether the cluster that it was sent to has not answered others in time. */
  get isOfSlowCluster(): boolean {
    return this.#observer.isSlow;
  }

  /** A controller does not wait for the response, because `elsewhere` is the matter, too. */
  suspect(elsewhere: string): void {
    this.#observer.suspected(this, elsewhere);
  }

  abort(reason: Error): void {
    this.#controller.abort(reason);
  }

  answered(): void {
    this.#end('answered');
  }

  /** It needed no response of its own. */
  settled(): void {
    this.#end('gone');
  }

  /** What its caller is to be told. */
  failed(error: unknown): unknown {
    if (this.signal.aborted || !isTransportError(error)) this.#end('gone');
    else this.#end(error.code === 'deadline' ? 'lost' : 'failed');
    return error;
  }

  #end(end: CallEnd): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#scope.calls.delete(this);
    this.#observer.ended(this, end);
  }
}
