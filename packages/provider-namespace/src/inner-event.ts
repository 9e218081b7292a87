import type {
  ComparedField,
  DeepReadonly,
  InformerAddEvent,
  InformerDeleteEvent,
  InformerUpdateEvent,
  KubernetesObject,
  LazyObject,
  ObjectKey,
  ObjectMeta,
} from '@mcr/core';
import { DistinctEvent, hasChanged } from '@mcr/core/provider';
import { INNER_NAMESPACE, type InnerObjects } from './inner-objects.ts';

/** The inner form of an object, converted when its fields are read. */
export class InnerObject<T extends KubernetesObject> extends DistinctEvent implements LazyObject<T> {
  readonly key: ObjectKey;
  readonly #outer: LazyObject<T>;
  protected readonly innerObjects: InnerObjects;

  constructor(outer: LazyObject<T>, innerObjects: InnerObjects) {
    super();
    this.key = Object.freeze({ namespace: INNER_NAMESPACE, name: outer.key.name });
    this.#outer = outer;
    this.innerObjects = innerObjects;
  }

  get object(): DeepReadonly<T> {
    return this.innerObjects.of(this.#outer.object);
  }

  get metadata(): DeepReadonly<ObjectMeta> {
    return this.innerObjects.metadataOf(this.#outer.metadata);
  }
}

/** An event for the handlers of one namespace. */
export type InnerEvent<T extends KubernetesObject> =
  InnerAddEvent<T> | InnerUpdateEvent<T> | InnerDeleteEvent<T> | InnerLeaveEvent<T>;

export class InnerAddEvent<T extends KubernetesObject> extends InnerObject<T> implements InformerAddEvent<T> {
  readonly type = 'add';
  readonly initial: boolean;

  constructor(outer: LazyObject<T>, innerObjects: InnerObjects, { initial }: { readonly initial: boolean }) {
    super(outer, innerObjects);
    this.initial = initial;
  }
}

export class InnerUpdateEvent<T extends KubernetesObject> extends InnerObject<T> implements InformerUpdateEvent<T> {
  readonly type = 'update';
  readonly #outer: InformerUpdateEvent<T>;

  constructor(outer: InformerUpdateEvent<T>, innerObjects: InnerObjects) {
    super(outer, innerObjects);
    this.#outer = outer;
  }

  get oldObject(): DeepReadonly<T> {
    return this.innerObjects.of(this.#outer.oldObject);
  }

  get oldMetadata(): DeepReadonly<ObjectMeta> {
    return this.innerObjects.metadataOf(this.#outer.oldMetadata);
  }

  hasChanged(field: ComparedField): boolean {
    return hasChanged(this.#outer, field);
  }
}

export class InnerDeleteEvent<T extends KubernetesObject> extends InnerObject<T> implements InformerDeleteEvent<T> {
  readonly type = 'delete';
  readonly finalStateUnknown: boolean;

  constructor(outer: InformerDeleteEvent<T>, innerObjects: InnerObjects) {
    super(outer, innerObjects);
    this.finalStateUnknown = outer.finalStateUnknown;
  }
}

export class InnerLeaveEvent<T extends KubernetesObject> extends InnerObject<T> {
  readonly type = 'leave';
}
