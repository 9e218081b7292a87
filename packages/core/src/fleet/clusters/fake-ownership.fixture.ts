import { systemClock } from '@mcr/client';
import { WriteFence } from '../fence/write-fence.ts';
import type { ClusterName } from '../multicluster/cluster-name.ts';
import type { Ownership, OwnershipState } from '../multicluster/ownership.ts';

type Listener = Parameters<Ownership['onChange']>[0];

/** An ownership that the test controls. Clusters whose state is not set are served elsewhere. */
export class FakeOwnership implements Ownership {
  /** The declared names. */
  readonly declared = new Set<ClusterName>();
  /** The names that were reported as warm, in order. */
  readonly warm: ClusterName[] = [];
  /** Owners of clusters whose owner does not follow from their state. */
  readonly owners = new Map<ClusterName, string | undefined>();
  /** Number of reconciles in progress, by cluster. */
  readonly reconciles = new Map<ClusterName, number>();
  readonly #states = new Map<ClusterName, OwnershipState>();
  readonly #listeners = new Set<Listener>();

  /** Changes the state of clusters, as one change of the plan does. */
  set(state: OwnershipState, ...names: ClusterName[]): void {
    const changes = new Map<ClusterName, OwnershipState>();
    for (const name of names) {
      if (this.stateOf(name) === state) continue;
      this.#states.set(name, state);
      if (this.declared.has(name)) changes.set(name, state);
    }
    for (const listener of [...this.#listeners]) listener(changes);
  }

  /** Number of listeners that were not removed. */
  get listeners(): number {
    return this.#listeners.size;
  }

  stateOf(name: ClusterName): OwnershipState {
    return this.#states.get(name) ?? 'elsewhere';
  }

  ownerOf(name: ClusterName): string | undefined {
    if (this.owners.has(name)) return this.owners.get(name);
    return this.stateOf(name) === 'active' ? 'replica-a' : 'replica-b';
  }

  declare(name: ClusterName): void {
    this.declared.add(name);
  }

  forget(name: ClusterName): void {
    this.declared.delete(name);
  }

  warmed(name: ClusterName): void {
    this.warm.push(name);
  }

  fenceOf(clusterName: ClusterName): WriteFence {
    const mayWrite = () => this.stateOf(clusterName) === 'active';
    return new WriteFence({
      clusterName,
      clock: systemClock,
      mayWrite,
      refusal: () => ({ owner: this.ownerOf(clusterName) }),
    });
  }

  begin(name: ClusterName): () => void {
    const count = (by: number) => void this.reconciles.set(name, (this.reconciles.get(name) ?? 0) + by);
    count(1);
    return () => count(-1);
  }

  onChange(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
