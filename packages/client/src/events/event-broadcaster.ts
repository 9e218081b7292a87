import { hostname } from 'node:os';
import { isAlreadyExists, isApiError, isNotFound, isTooManyRequests } from '../response/api-error.ts';
import type { CallOptions, Client } from '../client/client.ts';
import { backoffDelay } from '../clock/backoff.ts';
import { sleep, systemClock, type Clock, type Timer } from '../clock/clock.ts';
import { EventsV1Event } from '../kinds/builtin.ts';
import type { DeepReadonly, KubernetesObject } from '../kinds/object.ts';
import { foundText } from '../options/found-text.ts';
import { silentLogger, type Logger } from '../log/logger.ts';
import { RequestRate } from '../transport/request-rate.ts';
import { isTransportError } from '../errors/transport-error.ts';
import type { EventDetails, EventRecorder } from './event-recorder.ts';
import { EventSeries, seriesKey, type Moment, type Reporter, type SeriesWrite } from './event-series.ts';

/** Time after which a repeated event starts a new series, in milliseconds. As in client-go. */
const SERIES_END = 6 * 60_000;
/** Maximum number of events that wait to be written. As in client-go. */
const QUEUE_LIMIT = 1_000;
/** Rate limit of one broadcaster: requests per second, and burst. */
const RATE = { qps: 10, burst: 25 };
/** Maximum number of attempts to write an event. */
const TRIES = 12;
/** Backoff between these attempts, in milliseconds. */
const RETRY = { base: 1_000, max: 30_000, jitter: 0 };
/** Maximum duration of {@link EventBroadcaster.close}, in milliseconds. */
const DRAIN_TIME = 2_000;

/** Options of {@link createEventBroadcaster}. */
export interface EventBroadcasterOptions {
  /** Writes the events. Its credentials need `create` and `patch` of `events` in the group `events.k8s.io`. */
  readonly client: Pick<Client, 'create' | 'patch'>;
  /** Logger of the broadcaster. Default: nothing is logged. */
  readonly logger?: Logger;
  /** Default: the system clock. */
  readonly clock?: Clock;
}

/**
 * Writes the events of one cluster in the background, one at a time. (Upstream: client-go's `events.EventBroadcaster`.)
 */
export interface EventBroadcaster {
  /**
   * Returns a recorder. @param component qualified name that is recorded as `reportingController`, for example
   * `cart-controller`.
   */
  recorder(component: string): EventRecorder;
  /** Writes the pending events, for at most two seconds. Later events are dropped. */
  close(): Promise<void>;
}

/**
 * Creates a broadcaster that writes to `events.k8s.io/v1`. An event that repeats within six minutes is counted in the
 * `series` of the first one. The series is written at the first repetition, and then every six minutes while the event
 * repeats.
 */
export function createEventBroadcaster(options: EventBroadcasterOptions): EventBroadcaster {
  return new QueueingBroadcaster(options);
}

/**
 * Checks the details of an event. Also catches arguments in client-go's order. @throws {TypeError} if a field is
 * missing or wrong.
 */
function checkDetails(details: unknown): void {
  const { type, reason, note } = Object(details) as Readonly<Record<string, unknown>>;
  if ((type === 'Normal' || type === 'Warning') && typeof reason === 'string' && typeof note === 'string') return;
  const found = typeof details === 'object' && details !== null ? 'an object without these' : foundText(details);
  throw new TypeError(`event: expected { type: 'Normal' or 'Warning', reason, note } after the object, found ${found}`);
}

class QueueingBroadcaster implements EventBroadcaster {
  readonly #client: EventBroadcasterOptions['client'];
  readonly #logger: Logger;
  readonly #clock: Clock;
  readonly #rate: RequestRate;
  /** Series that may continue, by key. */
  readonly #series = new Map<string, EventSeries>();
  /** Series that wait to be written, in order. */
  readonly #queue = new Set<EventSeries>();
  /** Aborts the waits between writes on close. */
  readonly #closing = new AbortController();
  /** Aborts requests. */
  readonly #closed = new AbortController();
  #writing: Promise<void> | undefined;
  #sweep: Timer | undefined;
  #sequence = 0;
  /** Conditions that are logged once, until they have ended. */
  #trouble = { failing: false, dropping: false };

  constructor({ client, logger = silentLogger, clock = systemClock }: EventBroadcasterOptions) {
    this.#client = client;
    this.#logger = logger;
    this.#clock = clock;
    this.#rate = new RequestRate(RATE, clock);
  }

  recorder(component: string): EventRecorder {
    const reporter = { controller: component, instance: `${component}-${hostname()}`.slice(0, 128) };
    return {
      event: (regarding, details) => {
        try {
          this.#observe(reporter, regarding, details);
        } catch (error) {
          this.#logger.error('invalid event dropped', { component, error });
        }
      },
    };
  }

  async close(): Promise<void> {
    this.#sweep?.cancel();
    for (const series of this.#series.values()) if (series.unrecorded) this.#enqueue(series);
    this.#closing.abort(new DOMException('the recording of events ends', 'AbortError'));
    const deadline = this.#clock.schedule(DRAIN_TIME, () => this.#closed.abort(this.#closing.signal.reason));
    await this.#writing;
    deadline.cancel();
  }

  #observe(reporter: Reporter, regarding: DeepReadonly<KubernetesObject>, details: EventDetails): void {
    if (this.#closing.signal.aborted) return;
    checkDetails(details);
    const moment: Moment = { at: this.#clock.now(), wallTime: this.#clock.wallTime() };
    const key = seriesKey(reporter, regarding, details);
    const present = this.#series.get(key);
    if (present && moment.at - present.lastObserved < SERIES_END) {
      present.observe(moment);
      if (present.urgent) this.#enqueue(present);
      return;
    }
    if (this.#queue.size >= QUEUE_LIMIT) {
      if (!this.#trouble.dropping)
        this.#logger.warn('too many events are waiting, dropping new ones', { limit: QUEUE_LIMIT });
      this.#trouble.dropping = true;
      return;
    }
    if (present?.unrecorded) this.#enqueue(present);
    const sequence = (this.#sequence += 1);
    const series = new EventSeries(key, { reporter, regarding, details, moment, sequence });
    this.#series.set(key, series);
    this.#sweep ??= this.#clock.schedule(SERIES_END, () => this.#sweepSeries());
    this.#enqueue(series);
  }

  /** Enqueues the series that continued, and forgets those that ended. */
  #sweepSeries(): void {
    const now = this.#clock.now();
    for (const series of this.#series.values()) {
      if (series.unrecorded) this.#enqueue(series);
      else if (now - series.lastObserved >= SERIES_END) this.#series.delete(series.key);
    }
    this.#sweep = this.#series.size > 0 ? this.#clock.schedule(SERIES_END, () => this.#sweepSeries()) : undefined;
  }

  #enqueue(series: EventSeries): void {
    this.#queue.add(series);
    this.#writing ??= this.#writeQueue().finally(() => (this.#writing = undefined));
  }

  async #writeQueue(): Promise<void> {
    // Combines repetitions within the same turn into one write.
    await Promise.resolve();
    for (const series of this.#queue) {
      await this.#rate.next(this.#closing.signal).catch(() => undefined);
      this.#queue.delete(series);
      // A series whose write was in progress when the recording ended was enqueued once more.
      if (!series.unrecorded) continue;
      const success = await this.#write(series);
      if (!success) this.#giveUp(series);
      else if (series.urgent) this.#queue.add(series);
    }
    this.#trouble.dropping = false;
  }

  #giveUp(series: EventSeries): void {
    if (this.#series.get(series.key) === series) this.#series.delete(series.key);
    // Do not let an unreachable server delay the shutdown.
    if (this.#closing.signal.aborted) this.#queue.clear();
  }

  /** Writes a series. Returns whether the server has it now. */
  async #write(series: EventSeries): Promise<boolean> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.#send(series, series.nextWrite());
        this.#trouble.failing = false;
        return true;
      } catch (error) {
        if (!this.#trouble.failing) this.#logger.warn('failed to record events', { error });
        this.#trouble.failing = true;
        if (attempt === TRIES || !isWorthRetrying(error)) return false;
        const delay = backoffDelay(RETRY, attempt);
        const wait = isApiError(error) ? Math.max(error.retryAfter ?? 0, delay) : delay;
        const waited = sleep(this.#clock, wait, this.#closing.signal);
        if (
          !(await waited.then(
            () => true,
            () => false,
          ))
        )
          return false;
      }
    }
  }

  async #send(series: EventSeries, write: SeriesWrite): Promise<void> {
    const call: CallOptions = { signal: this.#closed.signal, retry: 'never' };
    try {
      if (write.type === 'create') await this.#client.create(EventsV1Event, write.event, call);
      else await this.#client.patch(EventsV1Event, write.key, write.patch, 'merge', call);
    } catch (error) {
      if (write.type === 'patch' && isNotFound(error)) {
        series.expired();
        return this.#send(series, series.nextWrite());
      }
      // An earlier attempt succeeded, but its response was lost.
      if (write.type === 'patch' || !isAlreadyExists(error)) throw error;
    }
    series.written(write);
  }
}

/** Reports whether the server may accept the same request later. A refused request would be refused again. */
function isWorthRetrying(error: unknown): boolean {
  return isTransportError(error) || isTooManyRequests(error) || (isApiError(error) && error.status >= 500);
}
