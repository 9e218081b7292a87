import type { DeepReadonly, KubernetesObject, LazyObject, ObjectKey, ObjectMeta } from '@mcr/client';
import type { ClusterName } from '../fleet/multicluster/cluster-name.ts';

/**
 * An object and its cluster. `object` and `metadata` are decoded when they are first read, see {@link LazyObject}: a
 * reader of `metadata` never decodes the whole object.
 */
export class FleetObject<T extends KubernetesObject> implements LazyObject<T> {
  readonly clusterName: ClusterName;
  readonly #object: LazyObject<T>;

  constructor(clusterName: ClusterName, object: LazyObject<T>) {
    this.clusterName = clusterName;
    this.#object = object;
  }

  get key(): ObjectKey {
    return this.#object.key;
  }

  get metadata(): DeepReadonly<ObjectMeta> {
    return this.#object.metadata;
  }

  get object(): DeepReadonly<T> {
    return this.#object.object;
  }
}
