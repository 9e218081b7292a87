import type { OwnershipState } from '../../fleet/multicluster/ownership.ts';

/** The parts of a controller's requests that a change of the ownership concerns. */
export interface PartChanges<K> {
  /** Parts whose objects have to be delivered again, because another replica may have reconciled them until now. */
  readonly gained: ReadonlySet<K>;
  /** Parts that this process no longer serves. */
  readonly lost: ReadonlySet<K>;
}

/** The parts of a controller's requests, such as clusters, that this process serves: all but those in the state `elsewhere`. */
export class ServedParts<K> {
  readonly #ownerOf: (part: K) => string | undefined;
  readonly #served = new Set<K>();
  /** This replica, as `ownerOf` returns it. Not known before it owns a part. */
  #self: string | undefined;

  constructor(ownerOf: (part: K) => string | undefined) {
    this.#ownerOf = ownerOf;
  }

  [Symbol.iterator](): IterableIterator<K> {
    return this.#served.values();
  }

  /** Adds a part. Returns whether it was missing. */
  add(part: K): boolean {
    if (this.#served.has(part)) return false;
    this.#served.add(part);
    return true;
  }

  delete(part: K): boolean {
    return this.#served.delete(part);
  }

  apply(changes: ReadonlyMap<K, OwnershipState>): PartChanges<K> {
    const [gained, lost] = [new Set<K>(), new Set<K>()];
    for (const [part, state] of changes) {
      if (state === 'active') this.#self = this.#ownerOf(part);
      if (state === 'elsewhere') {
        if (this.#served.delete(part)) lost.add(part);
      } else if (this.add(part) || (state === 'warming' && this.#wasElsewhere(part))) {
        gained.add(part);
      }
    }
    return { gained, lost };
  }

  /** Whether another replica got the part while this one let go of it, and will give it back. */
  #wasElsewhere(part: K): boolean {
    return this.#self === undefined || this.#ownerOf(part) !== this.#self;
  }
}
