import type { KubernetesObject } from '../kinds/object.ts';
import { objectKeyText } from '../kinds/object.ts';
import type { Logger } from '../log/logger.ts';
import { SerialCalls } from '../clock/serial-calls.ts';
import type { InformerHandler, Registration } from './informer.ts';
import type { Notification } from './notification.ts';

export interface HandlerRegistrationOptions<T extends KubernetesObject> {
  readonly handler: InformerHandler<T>;
  readonly logger: Logger;
  /** Removes the registration from the informer. */
  readonly onRemove: (registration: HandlerRegistration<T>) => void;
}

/**
 * Calls one handler, in order. Later changes wait while the handler receives the existing objects, and while its promise
 * is pending.
 */
export class HandlerRegistration<T extends KubernetesObject> implements Registration {
  readonly #handler: InformerHandler<T>;
  readonly #logger: Logger;
  readonly #onRemove: (registration: HandlerRegistration<T>) => void;
  readonly #synced = Promise.withResolvers<void>();
  #hasSynced = false;
  #removed = false;
  readonly #calls = new SerialCalls<Notification<T>>((notification) => this.#call(notification));

  constructor({ handler, logger, onRemove }: HandlerRegistrationOptions<T>) {
    this.#handler = handler;
    this.#logger = logger;
    this.#onRemove = onRemove;
  }

  get synced(): Promise<void> {
    return this.#synced.promise;
  }

  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  remove(): void {
    this.#removed = true;
    this.#calls.stop();
    this.#onRemove(this);
  }

  notify(notification: Notification<T>): void {
    this.#calls.add(notification);
  }

  /**
   * Notifies the handler of existing objects, and then of changes in the meantime. Calls the handler only after the
   * caller has received the promise.
   */
  async catchUp(existing: IterableIterator<Notification<T>>): Promise<void> {
    await this.#calls.catchUp(existing);
    this.#markSynced();
  }

  /** Marks the end of the first list. */
  endInitial(): void {
    const settled = this.#calls.settled();
    if (settled) void settled.then(() => this.#markSynced());
    else this.#markSynced();
  }

  #markSynced(): void {
    if (this.#removed) return;
    this.#hasSynced = true;
    this.#synced.resolve();
  }

  /** Calls the handler. If it throws, the error is logged, and the informer and the other handlers continue. */
  #call(notification: Notification<T>): Promise<void> | undefined {
    try {
      const result = this.#dispatch(notification);
      if (!(result instanceof Promise)) return undefined;
      // An unhandled rejection would end the process.
      return result.then(
        () => undefined,
        (error: unknown) => this.#logFailure(notification, error),
      );
    } catch (error) {
      this.#logFailure(notification, error);
      return undefined;
    }
  }

  #dispatch(notification: Notification<T>): unknown {
    switch (notification.type) {
      case 'add':
        return this.#handler.onAdd?.(notification);
      case 'update':
        return this.#handler.onUpdate?.(notification);
      case 'delete':
        return this.#handler.onDelete?.(notification);
      case 'leave':
        return this.#handler.onLeave?.(notification);
    }
  }

  #logFailure({ type, key }: Notification<T>, error: unknown): void {
    this.#logger.error('informer handler failed', { change: type, object: objectKeyText(key), error });
  }
}
