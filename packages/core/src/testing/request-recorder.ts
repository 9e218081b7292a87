import type { Clock } from '@mcr/client';
import { systemClock } from '@mcr/client';
import type { ReconcileContext, Reconciler, Result } from '../controller/reconcile/reconciler.ts';
import type { Request } from '../controller/reconcile/request.ts';

export interface RequestRecorderOptions<R> {
  /** What is to be done with each request. Default: nothing. */
  readonly reconciler?: Reconciler<R>;
  /** Of the deadlines of {@link RequestRecorder.waitFor}. Default: the machine's own. */
  readonly clock?: Clock;
}

export interface WaitOptions {
  /** In milliseconds. Default: 5,000. */
  readonly deadline?: number;
}

/**
 * A reconciler for tests, which keeps what it was asked to reconcile.
 *
 * @example
 * const recorder = new RequestRecorder();
 * await controllerManagedBy(manager).for(ConfigMap).complete(recorder);
 * await recorder.waitFor({ clusterName: 'eu-1', name: 'cart' });
 */
export class RequestRecorder<R extends object = Request> {
  /** In the order in which they were finished, whether they succeeded or not. */
  readonly requests: R[] = [];
  readonly #reconciler: Reconciler<R>;
  readonly #clock: Clock;
  /** Each looks at a request, and leaves when it is the one. */
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
   * Resolves with the first request whose fields are those of `expected`: one that was recorded since the beginning or
   * the last {@link clear}, or one that is to come.
   *
   * @throws {Error} after the deadline; it lists what was recorded instead.
   */
  async waitFor(expected: Partial<R>, { deadline = 5_000 }: WaitOptions = {}): Promise<R> {
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

  /** Forgets what was recorded. */
  clear(): void {
    this.requests.length = 0;
  }
}

function matches<R extends object>(request: R, expected: Partial<R>): boolean {
  return (Object.keys(expected) as (keyof R)[]).every((field) => request[field] === expected[field]);
}
