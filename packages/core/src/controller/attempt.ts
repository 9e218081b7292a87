import type { Clock, Logger, Timer } from '@mcr/client';
import type { Cluster } from '../fleet/cluster/cluster.ts';
import type { ReconcileContext, ReconcileFunction, Result } from './reconcile/reconciler.ts';
import type { CallScope } from '../fleet/isolation/pending-call.ts';
import type { PendingCall } from '../fleet/isolation/pending-call.ts';
import { withinReconcile } from '../fleet/fence/current-fence.ts';
import type { WriteFence } from '../fleet/fence/write-fence.ts';
import type { QueueItem } from './workqueue/item.ts';
import type { AddOptions } from './workqueue/request-queue.ts';
import { ReconcileTimeoutError } from './reconcile-timeout-error.ts';

/** Time for a reconcile to return after its deadline, in milliseconds. After that, its worker abandons it. */
const SETTLING_TIME = 1_000;

export interface AttemptOptions<R> {
  readonly item: QueueItem<R>;
  /** Number of the attempt, starting at 1. */
  readonly attempt: number;
  readonly reconcile: ReconcileFunction<R>;
  readonly log: Logger;
  readonly reconcileId: string;
  readonly cluster: () => Promise<Cluster>;
  readonly clock: Clock;
  /** In milliseconds. Default: none. */
  readonly timeout?: number;
  /**
   * The fence of the request's cluster or slot. The reconcile's writes to this cluster and to the local cluster pass it.
   * Default: the controller is not sharded.
   */
  readonly fence?: WriteFence;
}

/** Result of an attempt. */
export type Conclusion =
  | { readonly type: 'result'; readonly result: Result | undefined }
  | { readonly type: 'error'; readonly error: unknown }
  /** It was aborted: its cluster was disengaged, its controller stopped, or its worker was needed (`again`). */
  | { readonly type: 'aborted'; readonly again?: AddOptions };

const NO_CALLS: ReadonlySet<PendingCall> = new Set();

/** One call of a reconciler. */
export class Attempt<R> implements CallScope {
  readonly #options: AttemptOptions<R>;
  readonly #controller = new AbortController();
  #reason: Error | undefined;
  /** Created at the first call, because most reconciles only read from caches. */
  #calls: Set<PendingCall> | undefined;
  #preempted: Error | undefined;
  #again: AddOptions | undefined;
  #ended = false;
  /** Time before which it must not be preempted. */
  protectedUntil = 0;

  constructor(options: AttemptOptions<R>) {
    this.#options = options;
  }

  get item(): QueueItem<R> {
    return this.#options.item;
  }

  get calls(): Set<PendingCall> {
    return (this.#calls ??= new Set());
  }

  /** Read-only view of {@link calls}, which does not create the set if there are no calls. */
  get pendingCalls(): ReadonlySet<PendingCall> {
    return this.#calls ?? NO_CALLS;
  }

  /** Whether its controller is sharded. */
  get isSharded(): boolean {
    return this.#options.fence !== undefined;
  }

  get preempted(): Error | undefined {
    return this.#preempted;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /**
   * Aborts the context's signal and its calls to clusters, and refuses further ones, so that it frees its worker.
   *
   * @param again how its request returns to the queue.
   */
  preempt(reason: Error, again: AddOptions): void {
    if (this.#reason) return;
    this.#preempted = reason;
    this.#again = again;
    this.abort(reason);
    for (const call of [...this.pendingCalls]) call.abort(reason);
  }

  /** Aborts the context's signal. What the reconciler then returns or throws no longer counts. */
  abort(reason: Error): void {
    if (this.#reason) return;
    this.#reason = reason;
    this.#controller.abort(reason);
  }

  /** Runs the reconciler. Resolves when it has settled, or soon after its deadline. Never rejects. */
  async run(): Promise<Conclusion> {
    const { item, reconcile, timeout, fence } = this.#options;
    try {
      const call = () => reconcile(item.request, this.#context());
      const reconciled = fence ? withinReconcile(fence, call) : call();
      const result = await (timeout === undefined ? reconciled : this.#within(timeout, reconciled));
      return this.#reason ? this.#aborted() : { type: 'result', result: result ?? undefined };
    } catch (error) {
      if (error instanceof ReconcileTimeoutError && error === this.#reason) return { type: 'error', error };
      return this.#reason ? this.#aborted() : { type: 'error', error };
    } finally {
      this.#ended = true;
    }
  }

  #aborted(): Conclusion {
    return { type: 'aborted', ...(this.#again && { again: this.#again }) };
  }

  /**
   * @throws {ReconcileTimeoutError} after the deadline, when `reconciled` has settled or {@link SETTLING_TIME} has
   * passed.
   */
  #within(timeout: number, reconciled: Promise<Result | void>): Promise<Result | void> {
    const { clock, log } = this.#options;
    return new Promise((resolve, reject) => {
      let expired: ReconcileTimeoutError | undefined;
      const onGone = () => {
        log.error('reconcile did not return after its timeout, abandoning it');
        reject(expired);
      };
      const onDeadline = () => {
        expired = new ReconcileTimeoutError(`the reconcile took longer than ${timeout} ms`);
        this.abort(expired);
        timer = clock.schedule(SETTLING_TIME, onGone);
      };
      let timer: Timer = clock.schedule(timeout, onDeadline);
      Promise.resolve(reconciled).then(
        (result) => {
          timer.cancel();
          if (expired) reject(expired);
          else resolve(result);
        },
        (error: unknown) => {
          timer.cancel();
          reject(expired ?? (error as Error));
        },
      );
    });
  }

  /** Returns an object with plain properties, because creating accessors takes longer than a reconcile without work. */
  #context(): ReconcileContext {
    const { item, attempt, cluster, log, reconcileId } = this.#options;
    const { clusterName, priority } = item;
    return { signal: this.signal, log, reconcileId, clusterName, cluster, attempt, priority };
  }
}
