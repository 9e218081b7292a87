import type { Clock, KubernetesObject, Logger, ObjectKey, Timer } from '@mcr/client';
import { Backoff, kindText } from '@mcr/client';
import type { ObjectEvent } from '../event/event.ts';
import { LazyUpdateEvent } from '../event/lazy-event.ts';

/** Delay of the first retry, in milliseconds. */
const FIRST_RETRY = 1_000;
const LAST_RETRY = 300_000;
/** Maximum number of waiting events of one source. Beyond it, the oldest event is dropped. */
export const MAX_UNHANDLED = 10_000;

/** An event and the progress of its delivery. */
export interface Delivery<T extends KubernetesObject> {
  readonly event: ObjectEvent<T>;
  /** Key of the watched object. That of the event may be a projection, which may have failed. */
  readonly key: ObjectKey;
  /** Order of arrival. Later events have greater numbers. */
  readonly sequence: number;
  /** Whether it passed the predicates. */
  readonly passed: boolean;
}

interface Unhandled<T extends KubernetesObject> {
  delivery: Delivery<T>;
  readonly backoff: Backoff;
  /** Absent during an attempt. */
  timer?: Timer;
}

export interface EventRetriesOptions<T extends KubernetesObject> {
  /** Kind of the objects, in logs. Default: the kind of each object. */
  readonly kind?: string;
  /** Attempts to deliver an event again. Rejects if it fails. */
  readonly deliver: (delivery: Delivery<T>) => Promise<void>;
  /** Called when the first event fails, and with `undefined` when all failed events have been handled. */
  readonly onUnhandled?: (error: Error | undefined) => void;
  readonly clock: Clock;
  readonly log: Logger;
  /** Ends the retries. */
  readonly signal: AbortSignal;
}

/**
 * The failed events of a source. Each is retried with its own backoff. At most one event waits for each object and
 * event type: a later failed event replaces it and keeps its old object.
 */
export class EventRetries<T extends KubernetesObject> {
  readonly #options: EventRetriesOptions<T>;
  readonly #unhandled = new Map<string, Unhandled<T>>();
  #following = false;
  /** Whether a failure or a dropped event was logged since all events were handled. */
  #logged = { failure: false, drop: false };

  constructor(options: EventRetriesOptions<T>) {
    this.#options = options;
  }

  /** Adds an event after its first failure. */
  add(delivery: Delivery<T>, error: unknown): void {
    const { signal, onUnhandled } = this.#options;
    if (signal.aborted) return;
    if (!this.#following) signal.addEventListener('abort', () => this.#clear(), { once: true });
    this.#following = true;
    const key = textOf(delivery);
    const known = this.#unhandled.get(key);
    if (known) {
      known.delivery = merged(known.delivery, delivery);
      this.#log(delivery, error);
      return;
    }
    if (this.#unhandled.size >= MAX_UNHANDLED) this.#dropOldest();
    const unhandled: Unhandled<T> = { delivery, backoff: new Backoff({ base: FIRST_RETRY, max: LAST_RETRY }) };
    this.#unhandled.set(key, unhandled);
    this.#schedule(key, unhandled, error);
    if (this.#unhandled.size === 1) onUnhandled?.(asError(error));
  }

  #schedule(key: string, unhandled: Unhandled<T>, error: unknown): void {
    const retryIn = unhandled.backoff.next();
    this.#log(unhandled.delivery, error, retryIn);
    unhandled.timer = this.#options.clock.schedule(retryIn, () => void this.#retry(key, unhandled));
  }

  async #retry(key: string, unhandled: Unhandled<T>): Promise<void> {
    const { delivery } = unhandled;
    delete unhandled.timer;
    try {
      await this.#options.deliver(delivery);
    } catch (error) {
      if (this.#unhandled.get(key) === unhandled) this.#schedule(key, unhandled, error);
      return;
    }
    if (this.#unhandled.get(key) !== unhandled) return;
    if (unhandled.delivery !== delivery) {
      // A later event of the object has failed during the attempt.
      unhandled.timer = this.#options.clock.schedule(FIRST_RETRY, () => void this.#retry(key, unhandled));
      return;
    }
    this.#unhandled.delete(key);
    if (this.#unhandled.size > 0) return;
    this.#logged = { failure: false, drop: false };
    this.#options.log.info('all failed events have been handled');
    this.#options.onUnhandled?.(undefined);
  }

  #dropOldest(): void {
    for (const [key, { timer, delivery }] of this.#unhandled) {
      timer?.cancel();
      this.#unhandled.delete(key);
      const level = this.#logged.drop ? 'debug' : 'error';
      this.#logged.drop = true;
      this.#options.log[level]('too many failed events are waiting, dropping the oldest', {
        ...this.#subject(delivery),
        limit: MAX_UNHANDLED,
      });
      return;
    }
  }

  #clear(): void {
    for (const { timer } of this.#unhandled.values()) timer?.cancel();
    this.#unhandled.clear();
  }

  #subject({ event, key: { namespace, name } }: Delivery<T>): Record<string, unknown> {
    return { kind: this.#options.kind ?? kindText(event.object), namespace, name };
  }

  #log(delivery: Delivery<T>, error: unknown, retryIn?: number): void {
    const level = this.#logged.failure ? 'debug' : 'error';
    this.#logged.failure = true;
    this.#options.log[level]('failed to handle an event, retrying', {
      ...this.#subject(delivery),
      error,
      ...(retryIn !== undefined && { retryIn: Math.round(retryIn) }),
    });
  }
}

function textOf({ event: { type, clusterName }, key: { namespace = '', name } }: Delivery<KubernetesObject>): string {
  return `${type}\n${clusterName}\n${namespace}\n${name}`;
}

function merged<T extends KubernetesObject>(one: Delivery<T>, other: Delivery<T>): Delivery<T> {
  const [earlier, later] = one.sequence < other.sequence ? [one, other] : [other, one];
  if (earlier.event.type !== 'update' || later.event.type !== 'update') return { ...later };
  return {
    event: LazyUpdateEvent.merged(earlier.event, later.event),
    key: later.key,
    sequence: later.sequence,
    passed: earlier.passed && later.passed,
  };
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
