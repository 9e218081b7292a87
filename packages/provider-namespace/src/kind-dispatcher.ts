import type { DeepReadonly, InformerHandler, KubernetesObject, Logger, Registration } from '@mcr/core';
import { decodedObject, HandlerRegistration } from '@mcr/core/provider';
import type { InnerObjects } from './inner-objects.ts';

type Notification<T extends KubernetesObject> = Parameters<HandlerRegistration<T>['notify']>[0];

/** One namespace: its inner objects, as last passed to its handlers, and its handlers. */
interface Partition<T extends KubernetesObject> {
  readonly objects: Map<string, DeepReadonly<T>>;
  readonly registrations: Set<HandlerRegistration<T>>;
}

/**
 * Passes events of a shared informer to the handlers of the object's namespace. It is the only handler of that informer, so
 * the cost of an event does not depend on the number of namespaces.
 */
export class KindDispatcher<T extends KubernetesObject> {
  readonly #innerObjects: InnerObjects;
  readonly #logger: Logger;
  readonly #partitions = new Map<string, Partition<T>>();
  readonly #synced = Promise.withResolvers<void>();

  constructor(innerObjects: InnerObjects, logger: Logger) {
    this.#innerObjects = innerObjects;
    this.#logger = logger;
  }

  /** Receives the events of the shared informer. */
  readonly handler: InformerHandler<T> = {
    onAdd: ({ object, initial }) => this.#notify(object, { ...decodedObject(this.#put(object)), type: 'add', initial }),
    onUpdate: ({ oldObject, object }) => {
      const old = this.#innerObjects.of(oldObject);
      const event = { ...decodedObject(this.#put(object)), oldObject: old, oldMetadata: old.metadata };
      this.#notify(object, { ...event, type: 'update' });
    },
    onDelete: ({ object, finalStateUnknown }) => {
      const { namespace, name } = object.metadata;
      this.#partition(namespace).objects.delete(name);
      this.#notify(object, { ...decodedObject(this.#innerObjects.of(object)), type: 'delete', finalStateUnknown });
      this.#forgetIfEmpty(namespace);
    },
  };

  /** Called after the shared informer has delivered the initial objects. */
  markSynced(): void {
    this.#synced.resolve();
  }

  /** Adds a handler of one namespace. It receives the current objects after the initial sync, and then each change. */
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
    void this.#synced.promise.then(() => {
      if (isRemoved) return;
      const { objects, registrations } = this.#partition(namespace);
      registrations.add(registration);
      void registration.catchUp(
        [...objects.values()].map((object) => ({ ...decodedObject(object), type: 'add', initial: true })),
      );
    });
    return registration;
  }

  /** @returns the inner object. */
  #put(object: DeepReadonly<T>): DeepReadonly<T> {
    const inner = this.#innerObjects.of(object);
    this.#partition(object.metadata.namespace).objects.set(object.metadata.name, inner);
    return inner;
  }

  #notify({ metadata: { namespace = '' } }: DeepReadonly<T>, notification: Notification<T>): void {
    // A handler that another one removes receives no more events: a Set may change during the iteration.
    for (const registration of this.#partition(namespace).registrations) registration.notify(notification);
  }

  #partition(namespace = ''): Partition<T> {
    let partition = this.#partitions.get(namespace);
    if (!partition) this.#partitions.set(namespace, (partition = { objects: new Map(), registrations: new Set() }));
    return partition;
  }

  #forgetIfEmpty(namespace = ''): void {
    const partition = this.#partitions.get(namespace);
    if (partition?.objects.size === 0 && partition.registrations.size === 0) this.#partitions.delete(namespace);
  }
}
