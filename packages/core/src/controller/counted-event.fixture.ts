import type {
  ComparedField,
  DeepReadonly,
  InformerAddEvent,
  InformerDeleteEvent,
  InformerUpdateEvent,
  KubernetesObject,
  ObjectKey,
} from '@mcr/client';
import { hasChanged, keyOf } from '@mcr/client';

type Obj = DeepReadonly<KubernetesObject>;

/** Number of times that an object, or metadata alone, would have been decoded. */
export class Decodes {
  objects = 0;
  metadata = 0;
}

/** An event of an informer that counts what its readers decode. */
export class CountedEvent
  implements
    InformerAddEvent<KubernetesObject>,
    InformerUpdateEvent<KubernetesObject>,
    InformerDeleteEvent<KubernetesObject>
{
  readonly initial: boolean;
  readonly finalStateUnknown = false;
  readonly #decodes: Decodes;
  readonly #object: Obj;
  readonly #old: Obj;

  constructor(decodes: Decodes, object: Obj, { initial = false, old = object } = {}) {
    this.initial = initial;
    this.#decodes = decodes;
    this.#object = object;
    this.#old = old;
  }

  get key(): ObjectKey {
    return keyOf(this.#object.metadata);
  }

  get object(): Obj {
    return this.#whole(this.#object);
  }

  get oldObject(): Obj {
    return this.#whole(this.#old);
  }

  get metadata(): Obj['metadata'] {
    return this.#metadata(this.#object);
  }

  get oldMetadata(): Obj['metadata'] {
    return this.#metadata(this.#old);
  }

  hasChanged(field: ComparedField): boolean {
    return hasChanged({ metadata: this.#object.metadata, oldMetadata: this.#old.metadata }, field);
  }

  #whole(object: Obj): Obj {
    this.#decodes.objects += 1;
    return object;
  }

  #metadata({ metadata }: Obj): Obj['metadata'] {
    this.#decodes.metadata += 1;
    return metadata;
  }
}
