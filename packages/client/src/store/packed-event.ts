import { inspect } from 'node:util';
import type { DeepReadonly, KubernetesObject, ObjectKey, ObjectMeta } from '../kinds/object.ts';
import { DistinctEvent } from './distinct-event.ts';
import type { ComparedField, ObjectIdentity, PackedObject } from './packed-object.ts';

/** A change of a packed store. Fields are decoded when they are first read. */
export type PackedEvent<T extends KubernetesObject> =
  PackedAddEvent<T> | PackedUpdateEvent<T> | PackedDeleteEvent<T> | PackedLeaveEvent<T>;

/** The type of an event and the identity of its object. */
export interface EventIdentity extends ObjectIdentity {
  readonly type: string;
  readonly initial?: boolean;
  readonly finalStateUnknown?: boolean;
  readonly oldResourceVersion?: string;
}

/** Events are frozen. Fields that are decoded are getters, which a spread and a clone omit. */
abstract class ObjectEvent<T extends KubernetesObject> extends DistinctEvent {
  abstract readonly type: string;
  readonly #object: PackedObject<T>;

  constructor(object: PackedObject<T>) {
    super();
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

  /** Returns the event without its object, which may be a Secret, for `JSON.stringify` and `console.log`. */
  toJSON(): EventIdentity {
    return { type: this.type, ...Object.fromEntries(Object.entries(this)), ...this.#object.toJSON() };
  }

  [inspect.custom](): EventIdentity {
    return this.toJSON();
  }
}

export class PackedAddEvent<T extends KubernetesObject> extends ObjectEvent<T> {
  readonly type = 'add';
  readonly initial: boolean;

  constructor(object: PackedObject<T>, { initial }: { readonly initial: boolean }) {
    super(object);
    this.initial = initial;
    Object.freeze(this);
  }
}

export class PackedUpdateEvent<T extends KubernetesObject> extends ObjectEvent<T> {
  readonly type = 'update';
  readonly #old: PackedObject<T>;

  constructor(old: PackedObject<T>, object: PackedObject<T>) {
    super(object);
    this.#old = old;
    Object.freeze(this);
  }

  override toJSON(): EventIdentity {
    return { ...super.toJSON(), oldResourceVersion: this.#old.resourceVersion };
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
    Object.freeze(this);
  }
}

export class PackedLeaveEvent<T extends KubernetesObject> extends ObjectEvent<T> {
  readonly type = 'leave';

  constructor(object: PackedObject<T>) {
    super(object);
    Object.freeze(this);
  }
}
