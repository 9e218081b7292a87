/** The only namespace inside a namespace cluster. */
export const INNER_NAMESPACE = 'default';

/**
 * Returns the name, in the host cluster, of an index of the namespace clusters. The index with the original name has objects
 * in their own namespaces.
 */
export function innerIndexName(name: string): string {
  return `${name} (inside namespaces)`;
}

/** The field of objects and drafts that is rewritten. */
export interface HasNamespace {
  readonly metadata: { readonly namespace?: string | undefined };
}

/** Converts objects of the host cluster to their inner form: the namespace is `default`, all else is equal. */
export class InnerObjects {
  /** Inner objects and metadata by outer ones, so that repeated reads return the same object at no cost. */
  readonly #known = new WeakMap<object, object>();

  /** Returns the inner object. An object without a namespace (the body of some subresources) is returned unchanged. */
  of<T extends HasNamespace>(outer: T): T {
    if (!outer.metadata.namespace) return outer;
    const known = this.#known.get(outer);
    // Entries are keyed by the object that they were created from.
    if (known) return known as T;
    const inner = { ...outer, metadata: this.metadataOf(outer.metadata) };
    if (Object.isFrozen(outer)) Object.freeze(inner);
    this.#known.set(outer, inner);
    return inner;
  }

  /** Returns the inner metadata, which are those of the inner object. */
  metadataOf<M extends HasNamespace['metadata']>(outer: M): M {
    if (!outer.namespace) return outer;
    const known = this.#known.get(outer);
    if (known) return known as M;
    const inner = { ...outer, namespace: INNER_NAMESPACE };
    if (Object.isFrozen(outer)) Object.freeze(inner);
    this.#known.set(outer, inner);
    return inner;
  }
}
