import { isApiError } from '../response/api-error.ts';
import { jitterFactor } from '../clock/backoff.ts';
import type { Clock, Timer } from '../clock/clock.ts';
import type { KubernetesObject } from '../kinds/object.ts';
import type { Logger } from '../log/logger.ts';
import type { ListTotal } from '../transport/response-limits.ts';
import type { WatchEvent } from '../watch/watch-event.ts';
import { CredentialChanges } from './credential-changes.ts';
import { failureOf, SilentWatchError } from './failure.ts';
import type { ListSlots, ListTurn } from './list-slots.ts';
import type { ListerWatcher } from './lister-watcher.ts';
import { explained, isAccessRefused } from './refused-access.ts';
import type { Activity, Emission, Listing, ReflectorInput, ReflectorState, Waiting } from './reflector-state.ts';
import { initialState, PAGE_SIZE } from './reflector-state.ts';
import { transition } from './transition.ts';
import { waitOrWake } from './wait-or-wake.ts';

/** Takes what a reflector tells, in order. The reflector reads on when the promise has resolved. */
export type ReflectorSink<T extends KubernetesObject> = (emission: Emission<T>) => Promise<void>;

export interface ReflectorOptions<T extends KubernetesObject> {
  readonly listerWatcher: ListerWatcher<T>;
  readonly sink: ReflectorSink<T>;
  /** One is held from the first request for the initial objects until they are in place. */
  readonly listSlots: ListSlots;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Numbers in [0, 1), for jitter. */
  readonly random: () => number;
}

/** How long the server is asked to keep a watch open, in seconds; what is between is chance. (Upstream: client-go.) */
const WATCH_SECONDS = { least: 300, most: 600 };
/** How much later than asked the server may end a watch. */
const WATCH_GRACE = 30_000;
/** How long a WatchList may be silent before it is complete. */
const WATCH_LIST_SILENCE = 30_000;
/** How long a WatchList may take, whatever is heard: the bookmark that ends it may never come where there is much to tell. */
const WATCH_LIST_TIME = 300_000;
/** A watch sends a bookmark about once a minute. */
const BOOKMARK_INTERVAL = 90_000;
/** A wait that the server asks for is part of the reason from this length on: longer than each of the client's own. */
const LONG_WAIT = 30_000;
/** How long a watch may be silent where bookmarks are sent: several of them have been lost on the way then. */
const BOOKMARK_SILENCE = 180_000;

/**
 * Follows the objects of one kind and scope on one API server, and tells a sink of all of them and then of each
 * change, whatever befalls the server or the connection. Does what {@link transition} decides. (Upstream: client-go's
 * `Reflector`, kube-rs' `watcher`.)
 */
export class Reflector<T extends KubernetesObject> {
  readonly #listerWatcher: ListerWatcher<T>;
  readonly #sink: ReflectorSink<T>;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #random: () => number;
  readonly #turn: ListTurn;
  /** Observed from the first failure to the next success. */
  readonly #credentialChanges: CredentialChanges;
  #state: ReflectorState;
  /** The next page of a list, asked for while the one before it is being parsed and stored. */
  #ahead: { readonly continue: string; readonly page: Promise<ReflectorInput<T>> } | undefined;
  /** Size of the current list and of what watches have added to it. */
  #total: ListTotal = { bytes: 0 };
  /** What the server refused, and was complained of, since it last took it. */
  readonly #refused = new Set<'list' | 'watch'>();
  /** The version of the kind's CustomResourceDefinition that ended the last wait. */
  #definition: string | undefined;
  /** Since when the server has been waited for; `undefined` while what it sent is being dealt with. */
  #waitingSince: number | undefined;

  constructor({ listerWatcher, sink, listSlots, clock, logger, random }: ReflectorOptions<T>) {
    this.#listerWatcher = listerWatcher;
    this.#sink = sink;
    this.#turn = listSlots.turn();
    this.#credentialChanges = new CredentialChanges(listerWatcher);
    this.#clock = clock;
    this.#logger = logger;
    this.#random = random;
    this.#state = initialState(clock.now());
  }

  /** Why the latest request failed; `undefined` since one went well. */
  get lastError(): Error | undefined {
    return this.#state.error;
  }

  /** For how many milliseconds the server has not been heard; 0 while all is well. */
  staleFor(): number {
    const silence = this.#clock.now() - this.#state.heardAt;
    return this.#state.error === undefined && silence < BOOKMARK_INTERVAL ? 0 : silence;
  }

  /**
   * Resolves after the abort.
   *
   * @throws what the sink throws. Whatever the server does is dealt with.
   */
  async run(signal: AbortSignal): Promise<void> {
    try {
      while (!signal.aborted) await this.#proceed(this.#state.activity, signal);
    } finally {
      this.#turn.end();
      this.#credentialChanges.stop();
    }
  }

  async #proceed(activity: Activity, signal: AbortSignal): Promise<void> {
    if (activity.phase === 'waiting') return this.#wait(activity, signal);
    if (activity.phase === 'watching') return this.#watch(signal);
    if (!(await this.#takeSlot(signal))) return;
    await (activity.phase === 'listing' ? this.#list(activity, signal) : this.#watch(signal));
  }

  async #list(activity: Listing, signal: AbortSignal): Promise<void> {
    const ahead = this.#ahead;
    this.#ahead = undefined;
    const page = ahead && ahead.continue === activity.continue ? ahead.page : this.#page(activity, signal);
    await this.#take(await this.#answer(page, signal), signal);
  }

  #page(
    { paging, continue: token }: Pick<Listing, 'paging' | 'continue'>,
    signal: AbortSignal,
  ): Promise<ReflectorInput<T>> {
    if (token === undefined) this.#total = { bytes: 0 };
    const page = { ...(paging === 'pages' && { limit: PAGE_SIZE }), ...(token !== undefined && { continue: token }) };
    const onContinue = (next: string): void => this.#askAhead(next, signal);
    return this.#listerWatcher.list({ signal, ...page, total: this.#total, onContinue }).then(
      (list): ReflectorInput<T> => ({ type: 'page', list, at: this.#clock.now() }),
      (error: unknown) => this.#failure(error),
    );
  }

  /** Not when there is a page ahead already: that one is what has called. */
  #askAhead(token: string, signal: AbortSignal): void {
    this.#ahead ??= {
      continue: token,
      page: this.#page({ paging: 'pages', continue: token }, signal),
    };
  }

  /** Waits for the server. What it sends of the initial objects is dealt with under a slot, of which it may keep none. */
  async #answer(input: Promise<ReflectorInput<T>>, signal: AbortSignal): Promise<ReflectorInput<T>> {
    this.#waitingSince = this.#clock.now();
    const isInitial = isGettingInitialObjects(this.#state);
    if (isInitial) this.#turn.waitForServer();
    const answer = await input;
    this.#waitingSince = undefined;
    if (isInitial && answer.type !== 'failure') await this.#takeSlot(signal);
    return answer;
  }

  /** `false` when the signal has aborted. */
  #takeSlot(signal: AbortSignal): Promise<boolean> {
    return this.#turn.take(signal).then(
      () => !signal.aborted,
      () => false,
    );
  }

  /** One stream: from its opening to its end, a failure, or something in it that needs another request. */
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
    const batches = this.#listerWatcher.watch({ signal: watchdog.signal, timeoutSeconds, total, ...position });
    const stream = batches[Symbol.asyncIterator]();
    try {
      while (isStreaming(this.#state)) {
        const input = await this.#answer(this.#next(stream, watchdog.signal), signal);
        await this.#take(input, signal);
        if (input.type !== 'events') return;
      }
    } finally {
      watchdog.stop();
      await leave(stream);
    }
  }

  async #next(stream: AsyncIterator<readonly WatchEvent<T>[]>, signal: AbortSignal): Promise<ReflectorInput<T>> {
    try {
      const result = await stream.next();
      signal.throwIfAborted();
      const at = this.#clock.now();
      return result.done ? { type: 'end', at } : { type: 'events', events: result.value, at };
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
    await this.#take({ type: 'waited', woken, at: this.#clock.now() }, signal);
  }

  /**
   * Treats an exception of this code or of the sink as a failure of the request: part of the data may have been
   * applied, so everything is listed again, with backoff.
   */
  async #take(input: ReflectorInput<T>, signal: AbortSignal): Promise<void> {
    const before = this.#state;
    try {
      await this.#step(input, signal);
    } catch (thrown) {
      this.#state = before;
      const error = thrown instanceof Error ? thrown : new Error(String(thrown));
      await this.#step({ type: 'failure', failure: { error, reason: 'unusable' }, at: this.#clock.now() }, signal);
    }
  }

  async #step(input: ReflectorInput<T>, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const before = this.#state;
    const { state: next, emissions, notice } = transition(before, input);
    const state = this.#withLongWait(next);
    this.#state = state;
    if (notice !== undefined) this.#logger.warn(notice);
    const { activity } = state;
    if (input.type === 'page' && activity.phase === 'listing' && activity.continue !== undefined) {
      this.#askAhead(activity.continue, signal);
    }
    for (const emission of emissions) await this.#sink(emission);
    this.#logHealth(input, before, state);
    if (state.error === undefined) this.#credentialChanges.stop();
    if (!isGettingInitialObjects(state)) this.#turn.end();
  }

  /** Adds to the latest error that the server asked for a long wait, and until when. */
  #withLongWait(state: ReflectorState): ReflectorState {
    const { error, activity } = state;
    if (!isApiError(error) || activity.phase !== 'waiting' || activity.notBefore < LONG_WAIT) return state;
    const until = new Date(this.#clock.wallTime() + activity.notBefore).toISOString();
    // In front, because long messages are cut off.
    const message = `the server asked to wait, no request before ${until}: ${error.message}`;
    return { ...state, error: explained(error, message) };
  }

  /**
   * A server that is away is one line when it goes and one when it comes back, however long that takes. So is each
   * access that it refuses: a list that is allowed says nothing of a watch that is not.
   */
  #logHealth({ type }: ReflectorInput<T>, before: ReflectorState, { error, activity }: ReflectorState): void {
    if (type === 'waited') return;
    const verb = before.activity.phase === 'listing' ? 'list' : 'watch';
    const wasWell = before.error === undefined && this.#refused.size === 0;
    if (error === undefined) {
      // A server that knows no WatchList has taken nothing yet.
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
      while: before.activity.phase,
      ...(activity.phase === 'waiting' && { retryIn: activity.delay }),
    };
    if (isNews) this.#logger.warn('list or watch failed', fields);
    else this.#logger.debug('list or watch failed again', fields);
  }

  /** A signal that also aborts when the stream is silent for too long. `stop` leaves no timer and no listener. */
  #watchForSilence(longest: number, signal: AbortSignal): { readonly signal: AbortSignal; stop(): void } {
    const controller = new AbortController();
    const openedAt = this.#clock.now();
    let timer: Timer;
    const check = (): void => {
      const { activity, sendsBookmarks } = this.#state;
      const isWatching = activity.phase === 'watching';
      const longestHere = sendsBookmarks ? Math.min(longest, BOOKMARK_SILENCE) : longest;
      const limit = isWatching ? longestHere : WATCH_LIST_SILENCE;
      const now = this.#clock.now();
      const left = limit - (now - (this.#waitingSince ?? now));
      const leftOfList = isWatching ? Infinity : openedAt + WATCH_LIST_TIME - now;
      if (left <= 0) controller.abort(new SilentWatchError(`nothing was heard on the watch for ${limit} ms`));
      else if (leftOfList <= 0)
        controller.abort(new SilentWatchError(`the initial events did not end within ${WATCH_LIST_TIME} ms`));
      // In whole milliseconds: what is left of a fraction would be asked for again and again.
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

  #failure(error: unknown): ReflectorInput<T> {
    return { type: 'failure', failure: failureOf(error), at: this.#clock.now() };
  }
}

function isStreaming({ activity }: ReflectorState): boolean {
  return activity.phase === 'watch-listing' || activity.phase === 'watching';
}

function isGettingInitialObjects({ activity }: ReflectorState): boolean {
  return activity.phase === 'listing' || activity.phase === 'watch-listing';
}

/** What goes wrong in leaving a stream is of no consequence: nothing more is read of it. */
async function leave(stream: AsyncIterator<unknown>): Promise<void> {
  try {
    await stream.return?.();
  } catch {
    // See above.
  }
}
