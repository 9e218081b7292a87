import type { Ownership } from '../../fleet/multicluster/ownership.ts';
import type { PhaseChange } from '../../fleet/status/create-fleet.ts';
import type { ClusterPhase, Fleet } from '../../fleet/status/fleet.ts';

/** Phases in which a cluster is as well prepared as it can be now: one that does not answer delays no handover. */
const PREPARED: ReadonlySet<ClusterPhase> = new Set(['Engaged', 'Degraded', 'Unreachable']);

/** Reports to an {@link Ownership} when a cluster in the state `warming` is prepared. */
export class WarmClusters {
  readonly #ownership: Ownership;

  constructor(ownership: Ownership) {
    this.#ownership = ownership;
  }

  /** Follows the states of clusters that are prepared already when they begin to warm, such as the local cluster. */
  follow(fleet: Pick<Fleet, 'get'>): void {
    this.#ownership.onChange((changes) => {
      for (const [name, state] of changes) {
        const status = state === 'warming' && fleet.get(name);
        if (status) this.phaseChanged(status);
      }
    });
  }

  phaseChanged({ name, phase }: Pick<PhaseChange, 'name' | 'phase'>): void {
    if (PREPARED.has(phase)) this.#ownership.warmed(name);
  }
}
