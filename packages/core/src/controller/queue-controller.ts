import { randomUUID } from 'node:crypto';
import type { Logger } from '@mcr/client';
import type { Cluster } from '../cluster/cluster.ts';
import type { Manager } from '../manager/manager.ts';
import type { RunnableGroup } from '../manager/runnable.ts';
import type { ControllerMetrics, FailureKind } from '../metrics/controller-metrics.ts';
import type { ClusterName } from '../multicluster/cluster-name.ts';
import { LOCAL_CLUSTER } from '../multicluster/cluster-name.ts';
import type { ReconcileFunction } from '../reconcile/reconciler.ts';
import type { Request, RequestType } from '../reconcile/request.ts';
import { requestType } from '../reconcile/request.ts';
import type { ClusterSource, ControllerSource, Source } from '../source/source.ts';
import { tracedAttempt } from '../tracing/traced-attempt.ts';
import type { QueueItem } from '../workqueue/item.ts';
import type { RateLimiter } from '../workqueue/rate-limiter.ts';
import { WorkQueue } from '../workqueue/workqueue.ts';
import { Attempt } from './attempt.ts';
import type { Controller } from './controller.ts';
import type { ControllerOptions } from './controller-options.ts';
import { Engagement } from './engagement.ts';
import { LazyLogger } from './lazy-logger.ts';
import { TimeSlice } from './time-slice.ts';
import { judge } from './verdict.ts';

type Defaulted = 'maxConcurrentReconciles' | 'cacheSyncTimeout' | 'recoverPanic';

export interface QueueControllerOptions<R>
  extends Required<Pick<ControllerOptions, Defaulted>>, Omit<ControllerOptions, Defaulted> {
  readonly reconcile: ReconcileFunction<R>;
  readonly requestType: RequestType<R>;
  readonly rateLimiter?: RateLimiter;
  readonly logger: Logger;
}

interface Engaged<R> {
  readonly engagement: Engagement<R>;
  /** Until this aborts. */
  readonly signal: AbortSignal;
  readonly onAbort: () => void;
}

const MESSAGES: Readonly<Record<FailureKind, string>> = {
  error: 'Reconcile failed',
  terminal: 'Reconcile failed for good',
  timeout: 'Reconcile took too long',
  panic: 'Reconcile failed by a mistake in the program',
};

/** The controller that `newController` makes: sources on one side of the queue, workers on the other. */
export class QueueController<R> implements Controller<R> {
  readonly name: string;
  readonly group: RunnableGroup = 'leader-elected';
  readonly #manager: Manager;
  readonly #options: QueueControllerOptions<R>;
  readonly #log: Logger;
  readonly #queue: WorkQueue<R>;
  readonly #metrics: ControllerMetrics | undefined;
  readonly #slice: TimeSlice;
  readonly #sources: Source<R>[] = [];
  readonly #engaged = new Map<ClusterName, Engaged<R>>();
  readonly #inFlight = new Set<Attempt<R>>();
  readonly #stop = new AbortController();
  readonly #failure = Promise.withResolvers<never>();
  #phase: 'new' | 'running' | 'stopped' = 'new';

  constructor(name: string, manager: Manager, options: QueueControllerOptions<R>) {
    this.name = name;
    this.#manager = manager;
    this.#options = options;
    this.#log = options.logger.child({ controller: name });
    this.#metrics = manager.metrics?.controller(name);
    this.#metrics?.maxConcurrentReconciles(options.maxConcurrentReconciles);
    this.#queue = new WorkQueue({
      ...options,
      clock: manager.clock,
      ...(this.#metrics && { metrics: this.#metrics.queue }),
    });
    this.#slice = new TimeSlice(manager.clock);
    this.#failure.promise.catch(() => undefined);
  }

  watch(source: Source<R>): void {
    const named = { ...source, name: this.#uniqueName(source.name) };
    this.#sources.push(named);
    if (this.#phase !== 'running') return;
    if (named.per === 'controller') void this.#startSource(named);
    else for (const [name, { engagement }] of this.#engaged) this.#startIn(name, engagement, named);
  }

  async engage(name: ClusterName, cluster: Cluster, signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.#phase === 'stopped') return;
    const present = this.#engaged.get(name);
    if (present?.engagement.cluster === cluster) return;
    if (present) this.#disengage(name, present);

    const { clock, fleet } = this.#manager;
    const engagement = new Engagement<R>({
      controller: this.name,
      clusterName: name,
      cluster,
      queue: this.#queue,
      recorder: fleet.recorder,
      clock,
      log: this.#log.child({ cluster: name }),
      cacheSyncTimeout: this.#options.cacheSyncTimeout,
    });
    const onAbort = () => this.#disengage(name, engaged);
    const engaged: Engaged<R> = { engagement, signal, onAbort };
    signal.addEventListener('abort', onAbort, { once: true });
    this.#engaged.set(name, engaged);
    if (this.#phase === 'running') this.#startAllIn(name, engagement);
  }

  async run(signal: AbortSignal): Promise<void> {
    if (this.#phase !== 'new') throw new Error(`controller ${this.name} was run before; a controller runs once`);
    this.#phase = 'running';
    const stopped = Promise.withResolvers<void>();
    const onAbort = () => stopped.resolve();
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();

    for (const [name, { engagement }] of this.#engaged) this.#startAllIn(name, engagement);
    for (const source of this.#sources) if (source.per === 'controller') void this.#startSource(source);
    const workers = Array.from({ length: this.#options.maxConcurrentReconciles }, () =>
      this.#work().catch((error: unknown) => this.#fail(error)),
    );
    try {
      await Promise.race([stopped.promise, this.#failure.promise]);
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.#shutDown();
    }
    await Promise.all(workers);
  }

  /** Ends {@link run} with what is to stop the manager. Nothing more is handed out from now on. */
  #fail(error: unknown): void {
    this.#failure.reject(error);
    this.#shutDown();
  }

  #shutDown(): void {
    if (this.#phase === 'stopped') return;
    this.#phase = 'stopped';
    this.#queue.shutDown();
    this.#stop.abort();
    for (const [name, engaged] of this.#engaged) this.#disengage(name, engaged);
    this.#abortInFlight(() => true, new Error(`controller ${this.name} stops`));
  }

  #disengage(name: ClusterName, engaged: Engaged<R>): void {
    engaged.signal.removeEventListener('abort', engaged.onAbort);
    engaged.engagement.end();
    this.#engaged.delete(name);
    this.#queue.dropCluster(name);
    this.#abortInFlight((clusterName) => clusterName === name, new Error(`cluster ${JSON.stringify(name)} left`));
  }

  #abortInFlight(matches: (clusterName: ClusterName) => boolean, reason: Error): void {
    for (const attempt of this.#inFlight) if (matches(attempt.item.clusterName)) attempt.abort(reason);
  }

  #startAllIn(name: ClusterName, engagement: Engagement<R>): void {
    for (const source of this.#sources) if (source.per === 'cluster') this.#startIn(name, engagement, source);
  }

  #startIn(name: ClusterName, engagement: Engagement<R>, source: ClusterSource<R>): void {
    const isDefault = (name === LOCAL_CLUSTER) === (this.#manager.provider === undefined);
    try {
      if (source.clusterFilter?.(name, engagement.cluster) ?? isDefault) engagement.start(source);
    } catch (error) {
      this.#log.error('The cluster filter of a source failed: the source leaves the cluster out', {
        cluster: name,
        source: source.name,
        error,
      });
    }
  }

  async #startSource(source: ControllerSource<R>): Promise<void> {
    const { signal } = this.#stop;
    try {
      const log = this.#log.child({ source: source.name });
      const started = await source.start({ queue: this.#queue, signal, log });
      if (signal.aborted) started.stop();
      else signal.addEventListener('abort', () => started.stop(), { once: true });
      await started.synced;
    } catch (error) {
      if (!signal.aborted) this.#fail(error);
    }
  }

  /** The life of one worker. */
  async #work(): Promise<void> {
    for (;;) {
      const item = this.#queue.tryGet() ?? (await this.#queue.get());
      if (!item) return;
      // An event loop that was blocked for long may be here before the timer that ends the leader's time.
      if (this.group === 'leader-elected' && !this.#manager.isLeader()) return;
      await this.#reconcile(item);
      if (this.#slice.spent) await this.#slice.next();
    }
  }

  async #reconcile(item: QueueItem<R>): Promise<void> {
    const { clusterName } = item;
    const { reconciliationTimeout, reconcile } = this.#options;
    const reconcileId = randomUUID();
    const log = new LazyLogger(() => this.#logOf(item, reconcileId));
    const attemptNumber = this.#queue.attempts(item) + 1;
    const attempt = new Attempt({
      item,
      attempt: attemptNumber,
      reconcile,
      log,
      reconcileId,
      cluster: () => this.#manager.getCluster(clusterName),
      clock: this.#manager.clock,
      ...(reconciliationTimeout !== undefined && { timeout: reconciliationTimeout }),
    });
    const metrics = this.#metrics;
    const startedAt = metrics ? this.#manager.clock.now() : 0;
    metrics?.reconcileStarted();
    this.#inFlight.add(attempt);
    const { tracer } = this.#manager;
    const conclusion = await (tracer
      ? tracedAttempt(tracer, attempt, { controller: this.name, number: attemptNumber })
      : attempt.run());
    this.#inFlight.delete(attempt);
    if (conclusion.type === 'aborted') {
      metrics?.reconcileEnded(undefined);
      this.#queue.done(item);
      return;
    }

    const { outcome, error, failure, again, forget } = judge(conclusion);
    if (failure) {
      log.error(MESSAGES[failure], { error });
      if (failure === 'panic' && !this.#options.recoverPanic) this.#fail(error);
    }
    metrics?.reconcileEnded({
      cluster: clusterName,
      result: outcome,
      ...(failure && { failure }),
      duration: this.#manager.clock.now() - startedAt,
    });
    if (forget) this.#queue.forget(item);
    this.#queue.done(item, again);
    // A mapped request may name a cluster that was never in the fleet.
    if (this.#engaged.has(clusterName)) {
      this.#manager.fleet.recorder.reconcile(clusterName, {
        controller: this.name,
        result: outcome,
        ...(error instanceof Error && { error }),
      });
    }
  }

  #logOf({ request, key, clusterName }: QueueItem<R>, reconcileID: string): Logger {
    const type: unknown = this.#options.requestType;
    const { namespace, name } = request as Request;
    const object = type === requestType ? { namespace, name } : { request: key };
    return this.#log.child({ cluster: clusterName, ...object, reconcileID });
  }

  /** The fleet's status tells sources apart by their names. */
  #uniqueName(name: string): string {
    const taken = (candidate: string) => this.#sources.some((source) => source.name === candidate);
    if (!taken(name)) return name;
    for (let number = 2; ; number++) if (!taken(`${name} (${number})`)) return `${name} (${number})`;
  }
}
