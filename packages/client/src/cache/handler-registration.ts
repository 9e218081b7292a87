import type { DeepReadonly, KubernetesObject } from '../kinds/object.ts';
import { objectKeyText } from '../kinds/object.ts';
import type { Logger } from '../log/logger.ts';
import { workInTurns } from '../clock/event-loop-turn.ts';
import type { InformerHandler, Registration } from './informer.ts';
import type { Notification } from './notification.ts';

export interface HandlerRegistrationOptions<T extends KubernetesObject> {
  readonly handler: InformerHandler<T>;
  readonly logger: Logger;
  /** Takes the registration out of the informer. */
  readonly onRemove: (registration: HandlerRegistration<T>) => void;
}

/** An {@link InformerHandler} as it may be: an async function can stand where nothing is to be returned. */
type Callbacks<T extends KubernetesObject> = {
  [Name in keyof InformerHandler<T>]: (...args: Parameters<Required<InformerHandler<T>>[Name]>) => unknown;
};

/**
 * Gives one handler its calls, in order. While it is still being given the objects that were there before it, the
 * changes that follow wait behind them.
 */
export class HandlerRegistration<T extends KubernetesObject> implements Registration {
  readonly #handler: Callbacks<T>;
  readonly #logger: Logger;
  readonly #onRemove: (registration: HandlerRegistration<T>) => void;
  readonly #synced = Promise.withResolvers<void>();
  #hasSynced = false;
  #removed = false;
  /** What has changed while the handler is catching up; `undefined` when it has caught up. */
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

  /** Tells of the objects that are there, and then of what has changed meanwhile. No call is made before this returns. */
  async catchUp(objects: readonly DeepReadonly<T>[]): Promise<void> {
    if (objects.length > 0) {
      const changes: Notification<T>[] = [];
      this.#backlog = changes;
      let told = 0;
      await Promise.resolve();
      await workInTurns(everything(objects, changes), (notification) => {
        this.#call(notification);
        // In the same breath as the last call, so that nothing is put behind it unseen.
        if (++told === objects.length + changes.length) this.#backlog = undefined;
        return !this.#removed;
      });
    }
    this.markSynced();
  }

  /** The handler has been given every object of the first list. */
  markSynced(): void {
    if (this.#removed) return;
    this.#hasSynced = true;
    this.#synced.resolve();
  }

  /** A handler that throws has had its call: the informer and the other handlers go on. */
  #call(notification: Notification<T>): void {
    if (this.#removed) return;
    try {
      // Nobody else would catch a rejection, and it would end the process.
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

/** The objects, and then the changes, those that come meanwhile too. Made one by one: there may be very many. */
function* everything<T extends KubernetesObject>(
  objects: readonly DeepReadonly<T>[],
  changes: readonly Notification<T>[],
): Generator<Notification<T>, void, undefined> {
  for (const object of objects) yield { type: 'add', object, initial: true };
  yield* changes;
}
