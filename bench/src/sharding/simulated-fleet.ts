import type { Aware, ClusterName, OwnershipState, Provider } from '@mcr/core';
import { LOCAL_CLUSTER } from '@mcr/core';
import type { ClusterDeclaration } from '@mcr/core/provider';
import { Clusters, untilAborted } from '@mcr/core/provider';
import { monotonicTime } from './monotonic-time.ts';
import { SIMULATED, SimulatedCluster } from './simulated-cluster.ts';

/** A change of a cluster's ownership in one replica. */
export interface OwnershipChange {
  readonly name: ClusterName;
  readonly state: OwnershipState;
  /** Time in milliseconds, see {@link monotonicTime}. */
  readonly at: number;
}

/** All clusters share one declaration: what a provider remembers of a cluster is not measured. */
const DECLARATION: ClusterDeclaration<SimulatedCluster> = {
  config: () => SIMULATED,
  make: (_config, { name }) => new SimulatedCluster(name),
};

/** Provider of clusters without connections. */
export class SimulatedFleet implements Provider {
  readonly #clusters = new Clusters<SimulatedCluster>();
  readonly #names = new Set<ClusterName>();
  readonly #active = new Set<ClusterName>();
  #changes: OwnershipChange[] = [];
  #changedAt = monotonicTime();
  #running: { readonly aware: Aware; readonly signal: AbortSignal } | undefined;

  /** Clusters that this replica owns, including the local one. */
  get active(): ReadonlySet<ClusterName> {
    return this.#active;
  }

  /** Time of the last change, as {@link monotonicTime}. */
  get changedAt(): number {
    return this.#changedAt;
  }

  /** Declares `member-0` and so on, until the fleet has `count` clusters. */
  grow(count: number): void {
    if (!this.#running) throw new Error('the provider does not run yet');
    const { aware, signal } = this.#running;
    for (let index = this.#names.size; index < count; index++) {
      const name = `member-${index}`;
      this.#names.add(name);
      this.#clusters.ensure(name, DECLARATION, aware, signal);
      if (aware.ownership?.stateOf(name) === 'active') this.#active.add(name);
    }
    this.#changedAt = monotonicTime();
  }

  /** Returns the changes since the last call, in order. */
  takeChanges(): readonly OwnershipChange[] {
    const changes = this.#changes;
    this.#changes = [];
    return changes;
  }

  async get(name: ClusterName): Promise<SimulatedCluster> {
    return this.#clusters.get(name);
  }

  async indexField(): Promise<void> {
    // No controller of the benchmark has an index.
  }

  async run(aware: Aware, signal: AbortSignal): Promise<void> {
    this.#running = { aware, signal };
    if (aware.ownership?.stateOf(LOCAL_CLUSTER) === 'active') this.#active.add(LOCAL_CLUSTER);
    aware.ownership?.onChange((changes) => this.#record(changes));
    await untilAborted(signal);
    await this.#clusters.removeAll();
  }

  #record(changes: ReadonlyMap<ClusterName, OwnershipState>): void {
    const at = monotonicTime();
    this.#changedAt = at;
    for (const [name, state] of changes) {
      this.#changes.push({ name, state, at });
      if (state === 'active') this.#active.add(name);
      else this.#active.delete(name);
    }
  }
}
