/** The only namespace that a cluster made of a namespace has. */
export const INNER_NAMESPACE = 'default';

/**
 * The name that an index of the clusters of namespaces has in the cluster that all are in. There, the index of the name
 * itself holds objects in their own namespaces.
 */
export function innerIndexName(name: string): string {
  return `${name} (inside namespaces)`;
}

/** What is read of objects and drafts alike. */
export interface HasNamespace {
  readonly metadata: { readonly namespace?: string | undefined };
}

/** Objects as they are inside the clusters that their namespaces are: in `default`, and the same in everything else. */
export class InnerObjects {
  /** By the outer ones, so that one that is read again is the same object, and costs nothing. */
  readonly #known = new WeakMap<object, object>();

  /** What is in no namespace (the body of some subresources) stays as it is. */
  of<T extends HasNamespace>(outer: T): T {
    if (!outer.metadata.namespace) return outer;
    const known = this.#known.get(outer);
    // Under an object there is what was made of it.
    if (known) return known as T;
    const metadata = { ...outer.metadata, namespace: INNER_NAMESPACE };
    const inner = { ...outer, metadata };
    if (Object.isFrozen(outer)) {
      Object.freeze(metadata);
      Object.freeze(inner);
    }
    this.#known.set(outer, inner);
    return inner;
  }
}
