import type { DeepReadonly, InformerHandler, KubernetesObject, Logger, Registration } from '@mcr/core';
import { HandlerRegistration } from '@mcr/core/provider';
import type { InnerObjects } from './inner-objects.ts';

type Notification<T extends KubernetesObject> = Parameters<HandlerRegistration<T>['notify']>[0];

/** One namespace: its objects as they are inside, as its handlers have been told of them, and its handlers. */
interface Partition<T extends KubernetesObject> {
  readonly objects: Map<string, DeepReadonly<T>>;
  readonly registrations: Set<HandlerRegistration<T>>;
}

/**
 * Tells the handlers of each namespace of that namespace's objects, and is itself one handler of the informer that all
 * namespaces share: an event costs the same however many namespaces there are.
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

  /** What the shared informer tells. */
  readonly handler: InformerHandler<T> = {
    onAdd: (object, { initial }) => this.#tell(object, { type: 'add', object: this.#put(object), initial }),
    onUpdate: (old, object) =>
      this.#tell(object, { type: 'update', old: this.#innerObjects.of(old), object: this.#put(object) }),
    onDelete: (object, { finalStateUnknown }) => {
      this.#partition(object.metadata.namespace).objects.delete(object.metadata.name);
      this.#tell(object, { type: 'delete', object: this.#innerObjects.of(object), finalStateUnknown });
      this.#forgetIfEmpty(object.metadata.namespace);
    },
  };

  /** The shared informer has told of everything that was there. */
  markSynced(): void {
    this.#synced.resolve();
  }

  /** Adds a handler of one namespace. It is told of what is there once that is all, then of each change. */
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
      void registration.catchUp([...objects.values()]);
    });
    return registration;
  }

  /** @returns the object as it is inside. */
  #put(object: DeepReadonly<T>): DeepReadonly<T> {
    const inner = this.#innerObjects.of(object);
    this.#partition(object.metadata.namespace).objects.set(object.metadata.name, inner);
    return inner;
  }

  #tell({ metadata: { namespace = '' } }: DeepReadonly<T>, notification: Notification<T>): void {
    // Who is removed by another one's call is not told any more: a Set may change while it is walked.
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
