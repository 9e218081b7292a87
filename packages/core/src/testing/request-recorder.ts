import type { Clock } from '@mcr/client';
import { systemClock } from '@mcr/client';
import type { ReconcileContext, Reconciler, Result } from '../controller/reconcile/reconciler.ts';
import type { ReconcileRequest } from '../controller/reconcile/request.ts';
import { DEFAULT_DEADLINE } from './default-deadline.ts';

/** Options of a {@link RequestRecorder}. */
export interface RequestRecorderOptions<R> {
  /** Reconciles each request. Default: nothing is done. */
  readonly reconciler?: Reconciler<R>;
  /** Clock of the deadlines of {@link RequestRecorder.waitFor}. Default: the system clock. */
  readonly clock?: Clock;
}

/** Options of {@link RequestRecorder.waitFor}. */
export interface WaitOptions {
  /** Deadline in milliseconds. Default: 30,000. */
  readonly deadline?: number;
}

/**
 * A reconciler for tests that records its requests.
 *
 * @example
 * const recorder = new RequestRecorder();
 * await controllerManagedBy(manager).for(ConfigMap).complete(recorder);
 * await recorder.waitFor({ clusterName: 'eu-1', name: 'cart' });
 */
export class RequestRecorder<R extends object = ReconcileRequest> {
  /** Requests in the order in which they ended, including failed ones. */
  readonly requests: R[] = [];
  readonly #reconciler: Reconciler<R>;
  readonly #clock: Clock;
  /** Callbacks of pending waits, which remove themselves when they match. */
  readonly #waiting = new Set<(request: R) => void>();

  constructor({ reconciler = async () => undefined, clock = systemClock }: RequestRecorderOptions<R> = {}) {
    this.#reconciler = reconciler;
    this.#clock = clock;
  }

  async reconcile(request: R, context: ReconcileContext): Promise<Result | void> {
    try {
      return await (typeof this.#reconciler === 'function'
        ? this.#reconciler(request, context)
        : this.#reconciler.reconcile(request, context));
    } finally {
      this.requests.push(request);
      for (const look of this.#waiting) look(request);
    }
  }

  /**
   * Resolves with the first request that has the fields of `expected`. It may have been recorded already, since the
   * start or the latest {@link clear}.
   *
   * @throws {Error} after the deadline; the message lists the recorded requests.
   */
  async waitFor(expected: Partial<R>, { deadline = DEFAULT_DEADLINE }: WaitOptions = {}): Promise<R> {
    const present = this.requests.find((request) => matches(request, expected));
    if (present) return present;
    const { promise, resolve, reject } = Promise.withResolvers<R>();
    const look = (request: R) => {
      if (matches(request, expected)) resolve(request);
    };
    this.#waiting.add(look);
    const timer = this.#clock.schedule(deadline, () => {
      const recorded = this.requests.map((request) => JSON.stringify(request)).join(', ') || 'none';
      reject(new Error(`no request ${JSON.stringify(expected)} within ${deadline} ms; recorded: ${recorded}`));
    });
    try {
      return await promise;
    } finally {
      timer.cancel();
      this.#waiting.delete(look);
    }
  }

  /** Removes all recorded requests. */
  clear(): void {
    this.requests.length = 0;
  }
}

function matches<R extends object>(request: R, expected: Partial<R>): boolean {
  return (Object.keys(expected) as (keyof R)[]).every((field) => request[field] === expected[field]);
}
