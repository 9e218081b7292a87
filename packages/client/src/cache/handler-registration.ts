import type { KubernetesObject } from '../kinds/object.ts';
import { objectKeyText } from '../kinds/object.ts';
import type { Logger } from '../log/logger.ts';
import { workInTurns } from '../clock/event-loop-turn.ts';
import type { InformerHandler, Registration } from './informer.ts';
import type { Notification } from './notification.ts';

export interface HandlerRegistrationOptions<T extends KubernetesObject> {
  readonly handler: InformerHandler<T>;
  readonly logger: Logger;
  /** Removes the registration from the informer. */
  readonly onRemove: (registration: HandlerRegistration<T>) => void;
}

/** The callbacks of an {@link InformerHandler}, which may be async functions despite their type. */
type Callbacks<T extends KubernetesObject> = {
  [Name in keyof InformerHandler<T>]: (...args: Parameters<Required<InformerHandler<T>>[Name]>) => unknown;
};

/** Calls one handler, in order. While the handler receives the existing objects, later changes wait in a backlog. */
export class HandlerRegistration<T extends KubernetesObject> implements Registration {
  readonly #handler: Callbacks<T>;
  readonly #logger: Logger;
  readonly #onRemove: (registration: HandlerRegistration<T>) => void;
  readonly #synced = Promise.withResolvers<void>();
  #hasSynced = false;
  #removed = false;
  /** Changes while the handler catches up; `undefined` afterwards. */
  #backlog: Notification<T>[] | undefined;

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
    this.#backlog = undefined;
    this.#onRemove(this);
  }

  notify(notification: Notification<T>): void {
    if (this.#backlog) this.#backlog.push(notification);
    else this.#call(notification);
  }

  /**
   * Notifies the handler of existing objects, and then of changes in the meantime. Calls the handler only after the
   * caller has received the promise.
   */
  async catchUp(existing: IterableIterator<Notification<T>>): Promise<void> {
    const changes: Notification<T>[] = [];
    this.#backlog = changes;
    await Promise.resolve();
    if (this.#removed) {
      existing.return?.();
      return;
    }
    await workInTurns(this.#everything(existing, changes), (notification) => {
      this.#call(notification);
      return !this.#removed;
    });
    this.markSynced();
  }

  /** Yields the existing objects, and then the changes, including those added in the meantime. */
  *#everything(
    existing: Iterable<Notification<T>>,
    changes: readonly Notification<T>[],
  ): Generator<Notification<T>, void, undefined> {
    yield* existing;
    yield* changes;
    // In the same step that found no more changes, so that none is added unseen.
    this.#backlog = undefined;
  }

  /** Marks that the handler has received every object of the first list. */
  markSynced(): void {
    if (this.#removed) return;
    this.#hasSynced = true;
    this.#synced.resolve();
  }

  /** Calls the handler. If it throws, the error is logged, and the informer and the other handlers continue. */
  #call(notification: Notification<T>): void {
    if (this.#removed) return;
    try {
      // An unhandled rejection would end the process.
      const result = this.#dispatch(notification);
      if (result instanceof Promise) result.catch((error: unknown) => this.#logFailure(notification, error));
    } catch (error) {
      this.#logFailure(notification, error);
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
    }
  }

  #logFailure({ type, key }: Notification<T>, error: unknown): void {
    this.#logger.error('informer handler failed', { change: type, object: objectKeyText(key), error });
  }
}
