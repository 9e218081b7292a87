import type { InformerHandler, KubernetesObject, LazyObject, Logger, ReadonlyStore, Registration } from '@mcr/core';
import { HandlerRegistration } from '@mcr/core/provider';
import { InnerAddEvent, InnerDeleteEvent, InnerLeaveEvent, InnerUpdateEvent, type InnerEvent } from './inner-event.ts';
import type { InnerObjects } from './inner-objects.ts';

/** The store of the shared informer. */
type SharedStore<T extends KubernetesObject> = Pick<ReadonlyStore<T>, 'lazy'>;

/** One namespace: the names of the objects that its handlers know, and its handlers. */
interface Partition<T extends KubernetesObject> {
  readonly names: Set<string>;
  readonly registrations: Set<HandlerRegistration<T>>;
}

/**
 * Passes events of a shared informer to the handlers of the object's namespace. It is the only handler of that informer, so
 * the cost of an event does not depend on the number of namespaces. It reads keys only.
 */
export class KindDispatcher<T extends KubernetesObject> {
  readonly #innerObjects: InnerObjects;
  readonly #logger: Logger;
  readonly #partitions = new Map<string, Partition<T>>();
  readonly #synced = Promise.withResolvers<SharedStore<T>>();

  constructor(innerObjects: InnerObjects, logger: Logger) {
    this.#innerObjects = innerObjects;
    this.#logger = logger;
  }

  /** Receives the events of the shared informer. */
  readonly handler: InformerHandler<T> = {
    onAdd: (event) => {
      this.#partition(event.key.namespace).names.add(event.key.name);
      this.#notify(event, () => new InnerAddEvent(event, this.#innerObjects, event));
    },
    onUpdate: (event) => this.#notify(event, () => new InnerUpdateEvent(event, this.#innerObjects)),
    onDelete: (event) => this.#remove(event, () => new InnerDeleteEvent(event, this.#innerObjects)),
    onLeave: (event) => this.#remove(event, () => new InnerLeaveEvent(event, this.#innerObjects)),
  };

  /**
   * Called after the shared informer has delivered the initial objects.
   *
   * @param store the store of the shared informer, for handlers that are added later.
   */
  markSynced(store: SharedStore<T>): void {
    this.#synced.resolve(store);
  }

  /**
   * Adds a handler of one namespace. It receives the current objects after the initial sync, and then each change. An
   * object that changes in the meantime is added in its new version, and its change follows; one that is deleted in the
   * meantime may be reported as deleted only.
   */
  add(namespace: string, handler: InformerHandler<T>): Registration {
    let isRemoved = false;
    const registration = new HandlerRegistration<T>({
      handler,
      logger: this.#logger,
      onRemove: () => {
        isRemoved = true;
        this.#partitions.get(namespace)?.registrations.delete(registration);
        this.#forgetIfEmpty(namespace);
      },
    });
    void this.#synced.promise.then((store) => {
      if (isRemoved) return;
      const { names, registrations } = this.#partition(namespace);
      registrations.add(registration);
      void registration.catchUp(this.#existing(namespace, [...names], store));
    });
    return registration;
  }

  /** Yields an event for each of the objects, made when it is needed, so that the bytes of no other object are kept. */
  *#existing(
    namespace: string,
    names: readonly string[],
    store: SharedStore<T>,
  ): Generator<InnerAddEvent<T>, void, undefined> {
    for (const name of names) {
      const object = store.lazy({ namespace, name });
      if (object) yield new InnerAddEvent(object, this.#innerObjects, { initial: true });
    }
  }

  /** @param inner makes the event for the handlers of the namespace, if it has any. */
  #remove(event: LazyObject<T>, inner: () => InnerEvent<T>): void {
    const { namespace, name } = event.key;
    this.#partition(namespace).names.delete(name);
    this.#notify(event, inner);
    this.#forgetIfEmpty(namespace);
  }

  /** @param inner makes the event for the handlers of the namespace, if it has any. */
  #notify({ key: { namespace } }: LazyObject<T>, inner: () => InnerEvent<T>): void {
    const { registrations } = this.#partition(namespace);
    if (registrations.size === 0) return;
    const event = inner();
    // A handler that another one removes receives no more events: a Set may change during the iteration.
    for (const registration of registrations) registration.notify(event);
  }

  #partition(namespace = ''): Partition<T> {
    let partition = this.#partitions.get(namespace);
    if (!partition) this.#partitions.set(namespace, (partition = { names: new Set(), registrations: new Set() }));
    return partition;
  }

  #forgetIfEmpty(namespace = ''): void {
    const partition = this.#partitions.get(namespace);
    if (partition?.names.size === 0 && partition.registrations.size === 0) this.#partitions.delete(namespace);
  }
}
