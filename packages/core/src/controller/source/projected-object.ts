import type { DeepReadonly, KubernetesObject, LazyObject, ObjectKey, ObjectMeta } from '@mcr/client';
import { keyOf } from '@mcr/client';
import type { LazyState } from '../event/lazy-event.ts';

/** An object after a projection, which is applied when any of its fields is first read. */
export class ProjectedObject<T extends KubernetesObject> implements LazyObject<T> {
  readonly #original: LazyState<T>;
  readonly #project: (object: DeepReadonly<T>) => DeepReadonly<T>;
  #object: DeepReadonly<T> | undefined;

  constructor(original: LazyState<T>, project: (object: DeepReadonly<T>) => DeepReadonly<T>) {
    this.#original = original;
    this.#project = project;
  }

  get object(): DeepReadonly<T> {
    return (this.#object ??= this.#project(this.#original.object));
  }

  get metadata(): DeepReadonly<ObjectMeta> {
    return this.object.metadata;
  }

  get key(): ObjectKey {
    return keyOf(this.metadata);
  }
}
