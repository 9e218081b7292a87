import type { DeepReadonly, KubernetesObject, ObjectKey, ObjectMeta } from '../kinds/object.ts';
import type { ComparedField, PackedObject } from './packed-object.ts';

/** A change of a packed store. Fields are decoded when they are first read. */
export type PackedEvent<T extends KubernetesObject> = PackedAddEvent<T> | PackedUpdateEvent<T> | PackedDeleteEvent<T>;

abstract class ObjectEvent<T extends KubernetesObject> {
  readonly #object: PackedObject<T>;

  constructor(object: PackedObject<T>) {
    this.#object = object;
  }

  /** The object of the event, without decoding it. */
  get packed(): PackedObject<T> {
    return this.#object;
  }

  get key(): ObjectKey {
    return this.#object.key;
  }

  get object(): DeepReadonly<T> {
    return this.#object.object;
  }

  get metadata(): DeepReadonly<ObjectMeta> {
    return this.#object.metadata;
  }
}

export class PackedAddEvent<T extends KubernetesObject> extends ObjectEvent<T> {
  readonly type = 'add';
  readonly initial: boolean;

  constructor(object: PackedObject<T>, { initial }: { readonly initial: boolean }) {
    super(object);
    this.initial = initial;
  }
}

export class PackedUpdateEvent<T extends KubernetesObject> extends ObjectEvent<T> {
  readonly type = 'update';
  readonly #old: PackedObject<T>;

  constructor(old: PackedObject<T>, object: PackedObject<T>) {
    super(object);
    this.#old = old;
  }

  get oldObject(): DeepReadonly<T> {
    return this.#old.object;
  }

  get oldMetadata(): DeepReadonly<ObjectMeta> {
    return this.#old.metadata;
  }

  /** Compares a field of the two states without decoding them. */
  hasChanged(field: ComparedField): boolean {
    return this.packed.hasChangedSince(this.#old, field);
  }
}

export class PackedDeleteEvent<T extends KubernetesObject> extends ObjectEvent<T> {
  readonly type = 'delete';
  readonly finalStateUnknown: boolean;

  constructor(object: PackedObject<T>, { finalStateUnknown }: { readonly finalStateUnknown: boolean }) {
    super(object);
    this.finalStateUnknown = finalStateUnknown;
  }
}
