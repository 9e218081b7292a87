import { randomUUID } from 'node:crypto';
import type { Logger } from '@mcr/client';
import { shortened } from '@mcr/client';
import { outsideReconcile } from '../fleet/fence/current-fence.ts';
import type { WorkerScope } from '../fleet/isolation/call-scope.ts';
import { withinWorker } from '../fleet/isolation/call-scope.ts';
import type { Manager } from '../manager/manager.ts';
import type { ControllerMetrics, FailureKind } from '../manager/metrics/controller-metrics.ts';
import type { ClusterName } from '../fleet/multicluster/cluster-name.ts';
import type { ReconcileRequest } from './reconcile/request.ts';
import { requestKey, requestType } from './reconcile/request.ts';
import { tracedAttempt } from './traced-attempt.ts';
import type { QueueItem } from './workqueue/item.ts';
import type { AddOptions } from './workqueue/request-queue.ts';
import type { WorkQueue } from './workqueue/workqueue.ts';
import { Attempt } from './attempt.ts';
import { LaneKeeper } from './lane-keeper.ts';
import { LazyLogger } from './lazy-logger.ts';
import type { Fate, OwnedRequests } from './sharded/owned-requests.ts';
import type { QueueControllerOptions } from './queue-controller-options.ts';
import { TimeSlice } from './time-slice.ts';
import { judge } from './verdict.ts';

const MESSAGES: Readonly<Record<FailureKind, string>> = {
  error: 'reconcile failed',
  terminal: 'reconcile failed, not retrying',
  timeout: 'reconcile timed out',
  panic: 'reconciler panicked',
};

/** Maximum number of requests that a description names. */
const MAX_DESCRIBED = 5;

const MAX_KEY_BYTES = 256;

/** How a request that is not reconciled returns to the queue. */
const AGAIN: Readonly<Record<Exclude<Fate, 'reconcile'>, AddOptions | undefined>> = {
  wait: {},
  retry: { after: 'backoff' },
  drop: undefined,
};

export interface WorkersOptions<R> {
  /** Name of their controller. */
  readonly controller: string;
  readonly manager: Manager;
  readonly queue: WorkQueue<R>;
  readonly options: QueueControllerOptions<R>;
  readonly log: Logger;
  /** Default: nothing is measured. */
  readonly metrics?: ControllerMetrics;
  /** Whether the workers end when this process no longer leads. */
  readonly needLeaderElection: boolean;
  /** Which requests may be reconciled. Absent: all. */
  readonly owned: OwnedRequests<R> | undefined;
  readonly isEngaged: (clusterName: ClusterName) => boolean;
  /** Called with an error that stops the manager. */
  readonly onFailure: (error: unknown) => void;
}

/** The workers of one controller. Each takes requests from the queue and reconciles them, one at a time. */
export class Workers<R> {
  /** Decides which reconciles of slow clusters may hold workers. */
  readonly keeper: LaneKeeper<R>;
  readonly #options: WorkersOptions<R>;
  readonly #count: number;
  readonly #slice: TimeSlice;
  /** Workers that have not ended. */
  readonly #running = new Set<Promise<void>>();
  readonly #inFlight = new Set<Attempt<R>>();
  /** Preempted reconciles that did not return, and whose workers were replaced. */
  readonly #stuck = new Set<Attempt<R>>();
  #isStopped = false;

  constructor(options: WorkersOptions<R>) {
    const { manager, queue, log } = options;
    this.#options = options;
    this.#count = options.options.maxConcurrentReconciles;
    this.#slice = new TimeSlice(manager.clock);
    this.keeper = new LaneKeeper({
      queue,
      workers: this.#count,
      inFlight: this.#inFlight,
      clock: manager.clock,
      log,
      onStuck: (attempt) => this.#replace(attempt),
    });
  }

  /** @param begin the workers take their first request after it has resolved. */
  start(begin: Promise<void>): void {
    for (let count = 0; count < this.#count; count += 1) this.#startOne(begin);
  }

  /** Aborts the reconciles of the requests that match. */
  abort(matches: (item: QueueItem<R>) => boolean, reason: Error): void {
    for (const attempt of this.#inFlight) if (matches(attempt.item)) attempt.abort(reason);
  }

  /** Aborts all reconciles. The workers end when these do, if the queue has been shut down. */
  stop(): void {
    this.#isStopped = true;
    this.keeper.close();
    const reason = new Error(`controller ${this.#options.controller} stops`);
    for (const attempt of this.#inFlight) attempt.abort(reason);
  }

  /**
   * Returns the keys of at most five requests in progress, and the number of the others. Returns `''` if there are
   * none.
   */
  describe(): string {
    const items = [...this.#inFlight].map(({ item }) => item);
    const keys = items
      .slice(0, MAX_DESCRIBED)
      .map(({ clusterName, key }) => shortened(requestKey({ clusterName, namespace: '', name: key }), MAX_KEY_BYTES));
    const others = items.length - keys.length;
    return keys.join(', ') + (others > 0 ? ` and ${others} more` : '');
  }

  /** Resolves when all workers have ended. */
  async ended(): Promise<void> {
    await Promise.all(this.#running);
  }

  #startOne(begin: Promise<void>): void {
    const scope: WorkerScope = { current: undefined };
    // A reconcile that does not return may be what starts the worker that replaces its own.
    const worker = outsideReconcile(() => withinWorker(scope, () => begin.then(() => this.#work(scope))))
      .catch((error: unknown) => this.#options.onFailure(error))
      .finally(() => this.#running.delete(worker));
    this.#running.add(worker);
  }

  /**
   * Replaces the worker of a preempted reconcile that ignores its signal. The reconcile keeps its key until it returns.
   * There are at most as many replacements as workers.
   */
  #replace(attempt: Attempt<R>): void {
    if (this.#isStopped || this.#stuck.size >= this.#count) return;
    const { queue, log } = this.#options;
    this.#stuck.add(attempt);
    log.warn('reconcile did not return after its signal aborted, starting another worker', {
      cluster: attempt.item.clusterName,
      request: attempt.item.key,
    });
    queue.abandon(attempt.item);
    this.#startOne(Promise.resolve());
  }

  /** Runs one worker. */
  async #work(scope: WorkerScope): Promise<void> {
    const { queue, manager, needLeaderElection, owned } = this.#options;
    for (;;) {
      const item = queue.tryGet() ?? (await queue.get());
      if (!item) return;
      // After a blocked event loop, this code may run before the timer of the renew deadline.
      if (needLeaderElection && !manager.isLeader()) return;
      // Its cluster may have been disengaged, or given to another replica, since the request was handed out.
      const fate = queue.isDropped(item) ? 'drop' : (owned?.dispose(item) ?? 'reconcile');
      if (fate !== 'reconcile') queue.done(item, AGAIN[fate]);
      else if (await (owned ? this.#reconcileOwned(owned, item, scope) : this.#reconcile(item, scope))) return;
      if (this.#slice.spent) await this.#slice.next();
    }
  }

  /** Like {@link #reconcile}. The cluster is not given away before the reconcile has ended, or its time is over. */
  async #reconcileOwned(owned: OwnedRequests<R>, item: QueueItem<R>, scope: WorkerScope): Promise<boolean> {
    const end = owned.begin(item);
    try {
      return await this.#reconcile(item, scope);
    } finally {
      end();
    }
  }

  /** Returns whether the worker must end, because it was replaced. */
  async #reconcile(item: QueueItem<R>, scope: WorkerScope): Promise<boolean> {
    const { clusterName } = item;
    const { controller, manager, queue, metrics, owned, isEngaged, onFailure } = this.#options;
    const { reconciliationTimeout, reconcile, recoverPanic } = this.#options.options;
    const reconcileId = randomUUID();
    const log = new LazyLogger(() => this.#logOf(item, reconcileId));
    const attemptNumber = queue.attempts(item) + 1;
    const attempt = new Attempt({
      item,
      attempt: attemptNumber,
      reconcile,
      log,
      reconcileId,
      cluster: () => manager.getCluster(clusterName),
      clock: manager.clock,
      ...(owned && { fence: owned.fenceOf(item) }),
      ...(reconciliationTimeout !== undefined && { timeout: reconciliationTimeout }),
    });
    const startedAt = metrics ? manager.clock.now() : 0;
    metrics?.reconcileStarted();
    this.#inFlight.add(attempt);
    scope.current = attempt;
    this.keeper.begins(attempt);
    const { tracer } = manager;
    const isIsolated = () => this.keeper.isIsolated(clusterName);
    const conclusion = await (tracer
      ? tracedAttempt(tracer, attempt, { controller, number: attemptNumber, isIsolated })
      : attempt.run());
    this.#inFlight.delete(attempt);
    scope.current = undefined;
    const isSurplus = this.#stuck.size > 0 && this.#stuck.delete(attempt);
    const { outcome, error, failure, again, forget } = judge(conclusion, {
      clusterName,
      isIsolated: isIsolated(),
      isSharded: attempt.isSharded,
    });
    if (outcome === undefined) {
      if (conclusion.type === 'error') log.debug('reconcile refused, waiting', { error: conclusion.error });
      metrics?.reconcileEnded(undefined);
      queue.done(item, again);
      return isSurplus;
    }
    if (failure) {
      log.error(MESSAGES[failure], { error });
      if (failure === 'panic' && !recoverPanic) onFailure(error);
    }
    metrics?.reconcileEnded({
      cluster: clusterName,
      result: outcome,
      ...(failure && { failure }),
      duration: manager.clock.now() - startedAt,
    });
    if (forget) queue.forget(item);
    queue.done(item, again);
    // A mapped request may name a cluster that is not in the fleet.
    if (isEngaged(clusterName)) {
      manager.fleet.recorder.reconcile(clusterName, {
        controller,
        result: outcome,
        ...(error && { error }),
      });
    }
    return isSurplus;
  }

  #logOf({ request, key, clusterName }: QueueItem<R>, reconcileID: string): Logger {
    const type: unknown = this.#options.options.requestType;
    const { namespace, name } = request as ReconcileRequest;
    const object = type === requestType ? { namespace, name } : { request: key };
    return this.#options.log.child({ cluster: clusterName, ...object, reconcileID });
  }
}
