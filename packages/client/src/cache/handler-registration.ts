import type { DeepReadonly, KubernetesObject } from '../kinds/object.ts';
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

  /** Notifies the handler of existing objects, and then of changes in the meantime. Makes no call before it returns. */
  async catchUp(objects: readonly DeepReadonly<T>[]): Promise<void> {
    if (objects.length > 0) {
      const changes: Notification<T>[] = [];
      this.#backlog = changes;
      let sent = 0;
      await Promise.resolve();
      await workInTurns(everything(objects, changes), (notification) => {
        this.#call(notification);
        // Cleared together with the last call, so that no change is added to it unseen.
        if (++sent === objects.length + changes.length) this.#backlog = undefined;
        return !this.#removed;
      });
    }
    this.markSynced();
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
        return this.#handler.onAdd?.(notification.object, { initial: notification.initial });
      case 'update':
        return this.#handler.onUpdate?.(notification.old, notification.object);
      case 'delete':
        return this.#handler.onDelete?.(notification.object, { finalStateUnknown: notification.finalStateUnknown });
    }
  }

  #logFailure({ type, object }: Notification<T>, error: unknown): void {
    this.#logger.error('informer handler failed', { change: type, object: objectKeyText(object.metadata), error });
  }
}

/** Yields the objects, and then the changes, including those added in the meantime. Lazy, because there may be many. */
function* everything<T extends KubernetesObject>(
  objects: readonly DeepReadonly<T>[],
  changes: readonly Notification<T>[],
): Generator<Notification<T>, void, undefined> {
  for (const object of objects) yield { type: 'add', object, initial: true };
  yield* changes;
}
