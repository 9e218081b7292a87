import type { Clock, Timer } from '@mcr/client';
import type { ClusterSource, ClusterSourceContext, StartedSource } from './source/source.ts';
import type { RequestQueue } from './workqueue/request-queue.ts';
import { replay } from './sharded/replay.ts';
import { CacheSyncTimeoutError } from './cache-sync-timeout-error.ts';
import type { WatchInput, WatchState } from './watch-state.ts';
import { INITIAL, transition } from './watch-state.ts';

export interface ClusterWatchOptions<R> extends Omit<ClusterSourceContext<R>, 'signal' | 'onUnhandled'> {
  readonly source: ClusterSource<R>;
  readonly clock: Clock;
  /** Deadline for the source to sync after a start, in milliseconds. */
  readonly cacheSyncTimeout: number;
  /** Called with every state. */
  readonly onState: (state: WatchState, started: StartedSource | undefined) => void;
}

/** One source of a controller in one cluster. It is started, retried and stopped independently of others. */
export class ClusterWatch<R> {
  readonly #options: ClusterWatchOptions<R>;
  #state: WatchState = INITIAL;
  /** Aborts when the current start ends, and stops the source that it started. */
  #current = new AbortController();
  #started: StartedSource | undefined;
  #unhandled: Error | undefined;
  /** Timer of the deadline of a start, or of the wait for the next start. */
  #timer: Timer | undefined;

  constructor(options: ClusterWatchOptions<R>) {
    this.#options = options;
  }

  /** Why it has not synced or receives no changes, if known. */
  get lastError(): Error | undefined {
    return this.#started?.lastError?.();
  }

  /** Why its events could not be handled. `undefined` if none are being retried. */
  get unhandled(): Error | undefined {
    return this.#unhandled;
  }

  start(): void {
    this.#enter(this.#state);
  }

  /** Stops the source. It adds no further requests for this cluster. */
  stop(): void {
    this.#step({ type: 'stop' });
  }

  /**
   * Delivers all objects once more, to `queue` instead of the queue of the controller. Ends early if the source stops or
   * restarts, because a restart delivers all objects anyway.
   *
   * @throws if not all objects were handled within `cacheSyncTimeout`.
   */
  async replay(queue: RequestQueue<R>): Promise<void> {
    const { source, clusterName, cluster, localCluster, clock, cacheSyncTimeout: timeout } = this.#options;
    const { signal } = this.#current;
    const local = localCluster && { localCluster };
    await replay({ source, clusterName, cluster, ...local, clock, signal, queue, timeout });
  }

  #step(input: WatchInput): void {
    const next = transition(this.#state, input);
    if (next !== this.#state) this.#enter(next);
  }

  #enter(state: WatchState): void {
    const { clock, cacheSyncTimeout, onState } = this.#options;
    this.#state = state;
    this.#timer?.cancel();
    this.#timer = undefined;
    switch (state.phase) {
      case 'starting':
        this.#halt();
        this.#current = new AbortController();
        this.#timer = clock.schedule(cacheSyncTimeout, () =>
          this.#step({ type: 'failed', error: this.#timeoutError() }),
        );
        break;
      case 'synced':
        break;
      case 'failed':
        // A late source keeps running until it is restarted, because it may still sync at any time.
        if (!this.#started) this.#halt();
        this.#timer = clock.schedule(state.retryAfter, () => this.#step({ type: 'retry' }));
        break;
      case 'stopped':
        this.#halt();
        break;
    }
    onState(state, this.#started);
    if (state.phase === 'starting') void this.#start(this.#current.signal);
  }

  async #start(signal: AbortSignal): Promise<void> {
    const { source, clusterName, cluster, localCluster, queue, log, clock } = this.#options;
    const isOver = () => signal.aborted;
    try {
      const started = await source.start({
        clusterName,
        cluster,
        ...(localCluster && { localCluster }),
        log,
        clock,
        signal,
        onUnhandled: (error) => {
          if (!isOver()) this.#onUnhandled(error);
        },
        queue: untilOver(queue, isOver),
      });
      if (isOver()) {
        started.stop();
        return;
      }
      this.#started = started;
      await started.synced;
      if (!isOver()) this.#step({ type: 'synced' });
    } catch (error) {
      if (isOver()) return;
      this.#halt();
      this.#step({ type: 'failed', error: asError(error) });
    }
  }

  #onUnhandled(error: Error | undefined): void {
    this.#unhandled = error;
    // A failed source is shown with its own reason.
    if (this.#state.phase !== 'failed') this.#options.onState(this.#state, this.#started);
  }

  #halt(): void {
    this.#unhandled = undefined;
    this.#current.abort();
    this.#started?.stop();
    this.#started = undefined;
  }

  #timeoutError(): Error {
    const { source, cacheSyncTimeout } = this.#options;
    const cause = this.lastError;
    const why = cause ? `: ${cause.message}` : '';
    return new CacheSyncTimeoutError(
      `${source.name} has not synced within ${cacheSyncTimeout} ms${why}`,
      cause && { cause },
    );
  }
}

/** Returns a queue that ignores requests once `isOver` returns true. */
function untilOver<R>(queue: RequestQueue<R>, isOver: () => boolean): RequestQueue<R> {
  const { deletions } = queue;
  return {
    add: (request, options) => {
      if (!isOver()) queue.add(request, options);
    },
    ...(deletions && { deletions: untilOver(deletions, isOver) }),
  };
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
