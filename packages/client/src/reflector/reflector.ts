import { isApiError, isUnauthorized } from '../response/api-error.ts';
import { isRefusal } from '../response/refusal.ts';
import { jitterFactor } from '../clock/backoff.ts';
import type { Clock, Timer } from '../clock/clock.ts';
import type { Logger } from '../log/logger.ts';
import type { WatchItem } from '../packed/watch-scanner.ts';
import type { ListTotal } from '../transport/response-limits.ts';
import { CredentialChanges } from './credential-changes.ts';
import { failureOf, SilentWatchError } from './failure.ts';
import type { ListSlots, ListTurn } from './list-slots.ts';
import type { ListerWatcher } from './lister-watcher.ts';
import { explained, isAccessRefused } from './refused-access.ts';
import type { Activity, Emission, Listing, ReflectorInput, ReflectorState, Waiting } from './reflector-state.ts';
import { initialState, PAGE_SIZE } from './reflector-state.ts';
import type { ShardSelection } from '../shards/shard-selection.ts';
import { RequestedPage } from './requested-page.ts';
import { transition } from './transition.ts';
import { waitOrWake } from './wait-or-wake.ts';

/** Receives the output of a reflector, in order. The reflector continues when the promise resolves. */
export type ReflectorSink = (emission: Emission) => Promise<void>;

export interface ReflectorOptions {
  readonly listerWatcher: ListerWatcher;
  readonly sink: ReflectorSink;
  /** Limits concurrent lists. A slot is held from the request for the initial objects until they are stored. */
  readonly listSlots: ListSlots;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The part of the objects to select. Default: all objects. */
  readonly shard?: ShardSelection | undefined;
  /** Called when {@link Reflector.refusal} is set. */
  readonly onRefusal?: () => void;
  /** Returns numbers in [0, 1), for jitter. */
  readonly random: () => number;
}

/** Requested duration of a watch in seconds, chosen at random within these limits. (Upstream: client-go.) */
const WATCH_SECONDS = { least: 300, most: 600 };
/** Time that the server may exceed the requested duration, in milliseconds. */
const WATCH_GRACE = 30_000;
/** Maximum silence of a WatchList before it is complete, in milliseconds. */
const WATCH_LIST_SILENCE = 30_000;
/** Maximum duration of a WatchList, in milliseconds: with many changes, the bookmark that ends it may never come. */
const WATCH_LIST_TIME = 300_000;
/** Silence after which a cache is stale, in milliseconds. Servers send about one bookmark per minute. */
const STALE_AFTER = 90_000;
/**
 * Wait requested by the server, in milliseconds, from which it is part of the error. Longer than any wait of the client
 * itself.
 */
const LONG_WAIT = 30_000;
/** Maximum silence of a watch with bookmarks, in milliseconds: several bookmarks must have been lost. */
const BOOKMARK_SILENCE = 180_000;

/**
 * Follows the objects of one kind and scope on one API server. Passes all objects and then each change to a sink, and
 * recovers from failures of the server and the connection. Executes the decisions of {@link transition}. (Upstream:
 * client-go's `Reflector`, kube-rs' `watcher`.)
 */
export class Reflector {
  readonly #listerWatcher: ListerWatcher;
  readonly #sink: ReflectorSink;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #onRefusal: (() => void) | undefined;
  readonly #random: () => number;
  readonly #turn: ListTurn;
  /** Observed from the first failure to the next success. */
  readonly #credentialChanges: CredentialChanges;
  #state: ReflectorState;
  /** The next page of a list, requested while the current page arrives. */
  #prefetched: RequestedPage | undefined;
  /** Size of the current list and of what watches have added to it. */
  #total: ListTotal = { bytes: 0 };
  /** Verbs whose refusal has been logged, since they last succeeded. */
  readonly #refused = new Set<'list' | 'watch'>();
  /** Version of the kind's CustomResourceDefinition that ended the last wait. */
  #definition: string | undefined;
  /** The part of the objects that the requests select; `undefined`: all objects. */
  #shard: ShardSelection | undefined;
  /** Replaces {@link #shard} before the next request. */
  #nextShard: ShardSelection | undefined;
  /** Aborts the requests with {@link #shard}. */
  #resharded = new AbortController();
  /** Time since which the reflector waits for the server; `undefined` while it handles data. */
  #waitingSince: number | undefined;

  constructor({ listerWatcher, sink, listSlots, clock, logger, shard, onRefusal, random }: ReflectorOptions) {
    this.#shard = shard;
    this.#listerWatcher = listerWatcher;
    this.#sink = sink;
    this.#turn = listSlots.turn();
    this.#credentialChanges = new CredentialChanges(listerWatcher);
    this.#clock = clock;
    this.#logger = logger;
    this.#onRefusal = onRefusal;
    this.#random = random;
    this.#state = initialState(clock.now());
  }

  /** Why the latest request failed; `undefined` after a success. */
  get lastError(): Error | undefined {
    return this.#state.error;
  }

  /** Why the server does not serve the objects to this client, while the reflector waits before it tries again. */
  get refusal(): Error | undefined {
    const { activity, error } = this.#state;
    // Without a delay, another kind of request follows, which may be permitted. Credentials that are being rotated may get a 401.
    const isFinal = activity.phase === 'waiting' && activity.delay > 0 && !isUnauthorized(error);
    return isFinal && isRefusal(error) ? error : undefined;
  }

  /** The selection of the current requests, and of the objects of the latest `init-done`. */
  get shard(): ShardSelection | undefined {
    return this.#shard;
  }

  /** Time since the last data from the server, in milliseconds; 0 if the watch is healthy. */
  staleFor(): number {
    const silence = this.#clock.now() - this.#state.heardAt;
    return this.#state.error === undefined && silence < STALE_AFTER ? 0 : silence;
  }

  /**
   * Runs until `signal` aborts, and resolves after that.
   *
   * @throws errors of the sink, if it also throws on the `init` that follows. Failures of the server are handled.
   */
  async run(signal: AbortSignal): Promise<void> {
    try {
      while (!signal.aborted) await this.#runUntilResharded(signal);
    } finally {
      this.#prefetched?.close();
      this.#turn.end();
      this.#credentialChanges.stop();
    }
  }

  /** Selects another part of the objects. Cancels the current request, and lists everything again. */
  reshard(shard: ShardSelection): void {
    this.#nextShard = shard;
    this.#resharded.abort();
  }

  async #runUntilResharded(stopped: AbortSignal): Promise<void> {
    this.#resharded = new AbortController();
    // An informer of all objects is never resharded.
    const signal = this.#shard ? AbortSignal.any([stopped, this.#resharded.signal]) : stopped;
    if (this.#nextShard) {
      this.#shard = this.#nextShard;
      this.#nextShard = undefined;
      await this.#handle({ type: 'resharded', at: this.#clock.now() }, signal);
    }
    while (!signal.aborted) await this.#proceed(this.#state.activity, signal);
  }

  async #proceed(activity: Activity, signal: AbortSignal): Promise<void> {
    if (activity.phase === 'waiting') return this.#wait(activity, signal);
    if (activity.phase === 'watching') return this.#watch(signal);
    if (!(await this.#acquireSlot(signal))) return;
    await (activity.phase === 'listing' ? this.#list(activity, signal) : this.#watch(signal));
  }

  async #list(activity: Listing, signal: AbortSignal): Promise<void> {
    const prefetched = this.#prefetched;
    this.#prefetched = undefined;
    const isNext = prefetched !== undefined && prefetched.continue === activity.continue;
    if (!isNext) prefetched?.close();
    const page = isNext ? prefetched : this.#request(activity, signal);
    page.onContinue((next) => this.#prefetch(next, signal));
    try {
      while (this.#state.activity.phase === 'listing') {
        const input = await this.#answer(page.next(), signal);
        await this.#handle(input, signal);
        if (input.type !== 'objects') return;
      }
    } finally {
      page.close();
    }
  }

  #request({ paging, continue: token }: Pick<Listing, 'paging' | 'continue'>, signal: AbortSignal): RequestedPage {
    if (token === undefined) this.#total = { bytes: 0 };
    return new RequestedPage(this.#listerWatcher, {
      request: {
        signal,
        ...(this.#shard && { shard: this.#shard }),
        ...(paging === 'pages' && { limit: PAGE_SIZE }),
        ...(token !== undefined && { continue: token }),
        total: this.#total,
      },
      clock: this.#clock,
    });
  }

  /** Requests the next page, unless it is already requested. */
  #prefetch(token: string, signal: AbortSignal): void {
    this.#prefetched ??= this.#request({ paging: 'pages', continue: token }, signal);
  }

  /** Cancels the request for the next page if another request comes first. */
  #dropUnneededPage(activity: Activity): void {
    if (!this.#prefetched || activity.phase === 'listing') return;
    const next = activity.phase === 'waiting' ? activity.next : activity;
    if (next.phase === 'listing' && next.continue === this.#prefetched.continue) return;
    this.#prefetched.close();
    this.#prefetched = undefined;
  }

  /**
   * Waits for the server's response. Gets a slot again before initial objects are handled, because it may have been
   * released.
   */
  async #answer(input: Promise<ReflectorInput>, signal: AbortSignal): Promise<ReflectorInput> {
    this.#waitingSince = this.#clock.now();
    const isInitial = isFetchingInitialObjects(this.#state);
    if (isInitial) this.#turn.waitForServer();
    const answer = await input;
    this.#waitingSince = undefined;
    if (isInitial && answer.type !== 'failure') await this.#acquireSlot(signal);
    return answer;
  }

  /** Resolves to `false` if the signal aborts. */
  #acquireSlot(signal: AbortSignal): Promise<boolean> {
    return this.#turn.take(signal).then(
      () => !signal.aborted,
      () => false,
    );
  }

  /** Opens one stream and handles it until it ends, fails, or requires another request. */
  async #watch(signal: AbortSignal): Promise<void> {
    const { least, most } = WATCH_SECONDS;
    const timeoutSeconds = Math.round(least + this.#random() * (most - least));
    const watchdog = this.#watchForSilence(timeoutSeconds * 1000 + WATCH_GRACE, signal);
    const position =
      this.#state.activity.phase === 'watching'
        ? { resourceVersion: this.#state.version }
        : { sendInitialEvents: true };
    if ('sendInitialEvents' in position) this.#total = { bytes: 0 };
    const total = this.#total;
    const shard = this.#shard && { shard: this.#shard };
    const batches = this.#listerWatcher.watch({
      signal: watchdog.signal,
      timeoutSeconds,
      total,
      ...position,
      ...shard,
    });
    const stream = batches[Symbol.asyncIterator]();
    try {
      while (isStreaming(this.#state)) {
        const input = await this.#answer(this.#next(stream, watchdog.signal), signal);
        await this.#handle(input, signal);
        if (input.type !== 'events') return;
      }
    } finally {
      watchdog.stop();
      await closeStream(stream);
    }
  }

  async #next(stream: AsyncIterator<readonly WatchItem[]>, signal: AbortSignal): Promise<ReflectorInput> {
    try {
      const result = await stream.next();
      signal.throwIfAborted();
      const at = this.#clock.now();
      return result.done ? { type: 'end', at } : { type: 'events', items: result.value, at };
    } catch (error) {
      return this.#failure(signal.aborted ? signal.reason : error);
    }
  }

  async #wait({ delay, notBefore, wake }: Waiting, signal: AbortSignal): Promise<void> {
    const jitter = jitterFactor(0.5, this.#random);
    let woken = false;
    if (delay > 0) {
      const wait = { wake, delay: delay * jitter, notBefore: notBefore * jitter, definition: this.#definition };
      const sources = { listerWatcher: this.#listerWatcher, credentialChanges: this.#credentialChanges };
      try {
        const end = await waitOrWake({ ...wait, ...sources, clock: this.#clock }, signal);
        woken = end.woken;
        this.#definition = end.definition ?? this.#definition;
        this.#credentialChanges.observe();
      } catch (error) {
        if (signal.aborted) return;
        throw error;
      }
    }
    await this.#handle({ type: 'waited', woken, at: this.#clock.now() }, signal);
  }

  /**
   * Handles an input. Treats an exception of this code or of the sink as a failure of the request: the data may be
   * partly applied, so everything is listed again, with backoff.
   */
  async #handle(input: ReflectorInput, signal: AbortSignal): Promise<void> {
    const before = this.#state;
    try {
      await this.#step(input, signal);
    } catch (thrown) {
      this.#state = before;
      const error = thrown instanceof Error ? thrown : new Error(String(thrown));
      await this.#step({ type: 'failure', failure: { error, reason: 'unusable' }, at: this.#clock.now() }, signal);
    }
  }

  async #step(input: ReflectorInput, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const before = this.#state;
    const { state: next, emissions, notice } = transition(before, input);
    const state = this.#withLongWait(next);
    this.#state = state;
    if (notice) this.#logger.warn(notice.message, notice.fields);
    const { activity } = state;
    if (input.type === 'page' && activity.phase === 'listing' && activity.continue !== undefined) {
      this.#prefetch(activity.continue, signal);
    }
    this.#dropUnneededPage(activity);
    for (const emission of emissions) await this.#sink(emission);
    this.#logHealth(input, before, state);
    if (this.refusal) this.#onRefusal?.();
    if (state.error === undefined) this.#credentialChanges.stop();
    if (!isFetchingInitialObjects(state)) this.#turn.end();
  }

  /** Adds the end of a long wait that the server requested to the error. */
  #withLongWait(state: ReflectorState): ReflectorState {
    const { error, activity } = state;
    if (!isApiError(error) || activity.phase !== 'waiting' || activity.notBefore < LONG_WAIT) return state;
    const until = new Date(this.#clock.wallTime() + activity.notBefore).toISOString();
    // First, because long messages are truncated.
    const message = `the server asked to wait, no request before ${until}: ${error.message}`;
    return { ...state, error: explained(error, message) };
  }

  /**
   * Logs an outage once when it begins and once when it ends, regardless of its duration. Logs each refused verb once:
   * if a list succeeds, a watch may still be refused.
   */
  #logHealth({ type }: ReflectorInput, before: ReflectorState, { error, activity }: ReflectorState): void {
    if (type === 'waited' || type === 'resharded') return;
    const verb = before.activity.phase === 'listing' ? 'list' : 'watch';
    const wasWell = before.error === undefined && this.#refused.size === 0;
    if (error === undefined) {
      // The server does not support WatchList, so nothing has succeeded yet.
      if (type === 'failure') return;
      if (verb === 'list') this.#refused.delete(verb);
      else this.#refused.clear();
      if (!wasWell && this.#refused.size === 0) this.#logger.info('list and watch recovered');
      return;
    }
    if (error === before.error) return;
    const isRefused = isAccessRefused(error);
    const isNews = isRefused ? !this.#refused.has(verb) : wasWell;
    if (isRefused) this.#refused.add(verb);
    const fields = {
      error,
      phase: before.activity.phase,
      ...(activity.phase === 'waiting' && { retryIn: activity.delay }),
    };
    if (isNews) this.#logger.warn('list or watch failed', fields);
    else this.#logger.debug('list or watch failed again', fields);
  }

  /**
   * Returns a signal that also aborts if the stream is silent for too long. `stop` removes the timer and the listener.
   */
  #watchForSilence(longest: number, signal: AbortSignal): { readonly signal: AbortSignal; stop(): void } {
    const controller = new AbortController();
    const openedAt = this.#clock.now();
    let timer: Timer;
    const check = (): void => {
      const { activity, sendsBookmarks } = this.#state;
      const isWatching = activity.phase === 'watching';
      const longestSilence = sendsBookmarks ? Math.min(longest, BOOKMARK_SILENCE) : longest;
      const limit = isWatching ? longestSilence : WATCH_LIST_SILENCE;
      const now = this.#clock.now();
      const left = limit - (now - (this.#waitingSince ?? now));
      const leftOfList = isWatching ? Infinity : openedAt + WATCH_LIST_TIME - now;
      if (left <= 0) controller.abort(new SilentWatchError(`the watch received no data for ${limit} ms`));
      else if (leftOfList <= 0)
        controller.abort(new SilentWatchError(`the initial events did not end within ${WATCH_LIST_TIME} ms`));
      // Rounded up to whole milliseconds, because a fraction would be scheduled again and again.
      else timer = this.#clock.schedule(Math.ceil(Math.min(left, leftOfList, BOOKMARK_SILENCE)), check);
    };
    check();
    const onAbort = (): void => controller.abort(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    return {
      signal: controller.signal,
      stop: () => {
        timer.cancel();
        signal.removeEventListener('abort', onAbort);
      },
    };
  }

  #failure(error: unknown): ReflectorInput {
    return { type: 'failure', failure: failureOf(error), at: this.#clock.now() };
  }
}

function isStreaming({ activity }: ReflectorState): boolean {
  return activity.phase === 'watch-listing' || activity.phase === 'watching';
}

function isFetchingInitialObjects({ activity }: ReflectorState): boolean {
  return activity.phase === 'listing' || activity.phase === 'watch-listing';
}

/** Closes a stream. Errors do not matter, because nothing more is read from it. */
async function closeStream(stream: AsyncIterator<unknown>): Promise<void> {
  try {
    await stream.return?.();
  } catch {
    // See above.
  }
}
