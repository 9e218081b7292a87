/** A node of a {@link LinkedList}. Only its list writes it. */
export interface Linked<N> {
  previous: N | undefined;
  next: N | undefined;
}

/** A list whose nodes hold their own links, so that any node can be removed in O(1). A node is in at most one list. */
export class LinkedList<N extends Linked<N>> {
  #first: N | undefined;
  #last: N | undefined;

  get first(): N | undefined {
    return this.#first;
  }

  push(node: N): void {
    const last = this.#last;
    node.previous = last;
    if (last) last.next = node;
    else this.#first = node;
    this.#last = node;
  }

  shift(): N | undefined {
    const first = this.#first;
    if (first) this.remove(first);
    return first;
  }

  /** @param node a node of this list. */
  remove(node: N): void {
    const { previous, next } = node;
    if (previous) previous.next = next;
    else this.#first = next;
    if (next) next.previous = previous;
    else this.#last = previous;
    node.previous = undefined;
    node.next = undefined;
  }
}
