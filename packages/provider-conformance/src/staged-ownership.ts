import type { ClusterName, Ownership, OwnershipState } from '@mcr/core';
import { systemClock, WriteFence } from '@mcr/core';

/** An ownership that a case controls. This process serves every cluster that was not given to another one. */
export class StagedOwnership implements Ownership {
  readonly #states = new Map<ClusterName, OwnershipState>();
  readonly #listeners = new Set<(changes: ReadonlyMap<ClusterName, OwnershipState>) => void>();

  /** Changes the state of a cluster. */
  set(name: ClusterName, state: OwnershipState): void {
    this.#states.set(name, state);
    for (const listener of [...this.#listeners]) listener(new Map([[name, state]]));
  }

  stateOf(name: ClusterName): OwnershipState {
    return this.#states.get(name) ?? 'active';
  }

  ownerOf(name: ClusterName): string {
    return this.stateOf(name) === 'elsewhere' ? 'replica-b' : 'replica-a';
  }

  declare(): void {
    // The case knows the clusters.
  }

  forget(): void {
    // The case knows the clusters.
  }

  warmed(): void {
    // The case decides when a cluster becomes active.
  }

  fenceOf(clusterName: ClusterName): WriteFence {
    const mayWrite = () => this.stateOf(clusterName) === 'active';
    return new WriteFence({ clusterName, clock: systemClock, mayWrite });
  }

  begin(): () => void {
    return () => undefined;
  }

  onChange(listener: (changes: ReadonlyMap<ClusterName, OwnershipState>) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Number of listeners that were not removed. */
  get listeners(): number {
    return this.#listeners.size;
  }
}
