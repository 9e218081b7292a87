import type { KubernetesObject } from '../kinds/object.ts';
import type { HandlerRegistration } from './handler-registration.ts';
import type { Notification } from './notification.ts';

/** A source of changes, which are made one after the other. */
export interface Changes<T extends KubernetesObject> {
  /** Makes the next change. Returns its notifications, or `undefined` if there are no more changes. */
  next(): readonly Notification<T>[] | undefined;
  /** Returns the handlers of the change that was made last. */
  receivers(): readonly HandlerRegistration<T>[];
}

const STEP: IteratorResult<undefined, undefined> = { done: false, value: undefined };
const END: IteratorResult<undefined, undefined> = { done: true, value: undefined };

/**
 * Notifies every handler of each change. The next change is made after all handlers know the previous one. Each step of
 * the iteration makes a change or calls a handler.
 *
 * Not a generator, because this runs once for each call of a handler.
 */
export class Delivery<T extends KubernetesObject> implements IterableIterator<undefined, undefined> {
  readonly #changes: Changes<T>;
  #notifications: readonly Notification<T>[] = [];
  #receivers: readonly HandlerRegistration<T>[] = [];
  #notification = 0;
  #receiver = 0;

  constructor(changes: Changes<T>) {
    this.#changes = changes;
  }

  [Symbol.iterator](): this {
    return this;
  }

  next(): IteratorResult<undefined, undefined> {
    const notification = this.#notifications[this.#notification];
    if (!notification) return this.#change();
    this.#receivers[this.#receiver]?.notify(notification);
    this.#receiver += 1;
    if (this.#receiver >= this.#receivers.length) {
      this.#receiver = 0;
      this.#notification += 1;
    }
    return STEP;
  }

  #change(): IteratorResult<undefined, undefined> {
    const notifications = this.#changes.next();
    if (!notifications) return END;
    this.#notifications = notifications;
    this.#notification = 0;
    this.#receivers = notifications.length > 0 ? this.#changes.receivers() : [];
    return STEP;
  }
}
