import { hostname } from 'node:os';
import { isAlreadyExists, isApiError, isNotFound, isTooManyRequests } from '../response/api-error.ts';
import type { CallOptions, Client } from '../client/client.ts';
import { backoffDelay } from '../clock/backoff.ts';
import { sleep, systemClock, type Clock, type Timer } from '../clock/clock.ts';
import { Event } from '../kinds/builtin.ts';
import type { DeepReadonly, KubernetesObject } from '../kinds/object.ts';
import { foundText } from '../options/known-options.ts';
import { silentLogger, type Logger } from '../log/logger.ts';
import { RequestRate } from '../transport/request-rate.ts';
import { isTransportError } from '../errors/transport-error.ts';
import type { EventDetails, EventRecorder } from './event-recorder.ts';
import { EventSeries, seriesKey, type Moment, type Reporter, type SeriesWrite } from './event-series.ts';

/** An event that has not happened again for this long, in milliseconds, is another one when it does. As client-go's. */
const SERIES_END = 6 * 60_000;
/** How many events may wait to be written. As client-go's. */
const QUEUE_LIMIT = 1_000;
/** Writes of one broadcaster per second, and at once. */
const RATE = { qps: 10, burst: 25 };
/** How often an event is tried to be written when the server cannot take it, and the waits between, in milliseconds. */
const TRIES = 12;
const RETRY = { base: 1_000, max: 30_000, jitter: 0 };
/** How long closing may take, in milliseconds. */
const DRAIN_TIME = 2_000;

export interface EventBroadcasterOptions {
  /** Writes the events. Its credentials need `create` and `patch` of `events` in the group `events.k8s.io`. */
  readonly client: Pick<Client, 'create' | 'patch'>;
  /** Default: logs nothing. */
  readonly logger?: Logger;
  /** Default: the machine's own. */
  readonly clock?: Clock;
}

/** Writes the events of one cluster, one after another, in the background. (Upstream: client-go's `events.EventBroadcaster`.) */
export interface EventBroadcaster {
  /** @param component recorded as `reportingController`; a qualified name, for example `cart-controller`. */
  recorder(component: string): EventRecorder;
  /** Writes what waits, for two seconds at most. Later events are dropped. */
  close(): Promise<void>;
}

/**
 * A broadcaster that writes to `events.k8s.io/v1`. An event that happens again within six minutes is counted in the
 * `series` of the first: written when it first does, and every six minutes while it goes on.
 */
export function createEventBroadcaster(options: EventBroadcasterOptions): EventBroadcaster {
  return new QueueingBroadcaster(options);
}

/** Also catches the order of arguments of client-go. @throws {TypeError} if an event cannot be made of `details`. */
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
  /** Those that may go on, by key. */
  readonly #series = new Map<string, EventSeries>();
  /** Those of which the server is to be told, in order. */
  readonly #queue = new Set<EventSeries>();
  /** Ends waits: while closing, nothing is waited for but answers. */
  readonly #closing = new AbortController();
  /** Ends requests. */
  readonly #closed = new AbortController();
  #writing: Promise<void> | undefined;
  #sweep: Timer | undefined;
  #sequence = 0;
  /** What is logged when it begins, and not again before it has ended. */
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

  /** Tells of the series that went on, and forgets those that did not. */
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
    // What is queued in this very turn is written with what happens again in it.
    await Promise.resolve();
    for (const series of this.#queue) {
      await this.#rate.next(this.#closing.signal).catch(() => undefined);
      this.#queue.delete(series);
      const success = await this.#write(series);
      if (!success) this.#giveUp(series);
      else if (series.urgent) this.#queue.add(series);
    }
    this.#trouble.dropping = false;
  }

  #giveUp(series: EventSeries): void {
    if (this.#series.get(series.key) === series) this.#series.delete(series.key);
    // A server that cannot be reached is not worth the time of a shutdown.
    if (this.#closing.signal.aborted) this.#queue.clear();
  }

  /** Whether the server knows of the series now. */
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
      if (write.type === 'create') await this.#client.create(Event, write.event, call);
      else await this.#client.patch(Event, write.key, write.patch, 'merge', call);
    } catch (error) {
      if (write.type === 'patch' && isNotFound(error)) {
        series.expired();
        return this.#send(series, series.nextWrite());
      }
      // An earlier try whose answer was lost.
      if (write.type === 'patch' || !isAlreadyExists(error)) throw error;
    }
    series.written(write);
  }
}

/** Whether the server may take the same request later; what it refuses, it will refuse again. */
function isWorthRetrying(error: unknown): boolean {
  return isTransportError(error) || isTooManyRequests(error) || (isApiError(error) && error.status >= 500);
}
