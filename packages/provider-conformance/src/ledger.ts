import type { Aware, Cluster, ClusterName, ClusterObservation, Ownership } from '@mcr/core';

export interface Engagement {
  readonly name: ClusterName;
  readonly cluster: Cluster;
  readonly signal: AbortSignal;
}

/** Records engagements between a provider and the manager, and violations of the contract. */
export class Ledger {
  /** Violations of the contract. */
  readonly violations: string[] = [];
  /** The start and end of every engagement, in order: `eu-1 engaged`, `eu-1 disengaged`. */
  readonly events: string[] = [];
  readonly #latest = new Map<ClusterName, Engagement>();
  readonly #live = new Set<Engagement>();
  readonly #ownership: Ownership | undefined;

  /** @param options.ownership replaces that of the manager. */
  constructor({ ownership }: { readonly ownership?: Ownership } = {}) {
    this.#ownership = ownership;
  }

  /** Engagements that have not ended. */
  get live(): readonly Engagement[] {
    return [...this.#live];
  }

  /** Returns an `aware` for the provider that records calls and passes them on. */
  between(aware: Aware): Aware {
    const ownership = this.#ownership;
    return {
      engage: async (name, cluster, signal) => {
        // Like a manager with the option `sharding`.
        if (ownership) cluster.setFence?.(() => ownership.fenceOf(name));
        this.#engaged({ name, cluster, signal });
        await aware.engage(name, cluster, signal);
      },
      report: (name: ClusterName, observation: ClusterObservation) => aware.report?.(name, observation),
      described: (name: ClusterName, labels: Readonly<Record<string, string>>) => aware.described?.(name, labels),
      ownership: ownership ?? aware.ownership,
    };
  }

  #engaged(engagement: Engagement): void {
    const { name, signal } = engagement;
    if (name === '') this.violations.push('a cluster was engaged as "", which is the name of the local cluster');
    if (signal.aborted) {
      this.violations.push(`${name} was engaged with a signal that had aborted`);
      return;
    }
    const before = this.#latest.get(name);
    if (before && !before.signal.aborted) this.#engagedBeside(before, engagement);
    this.#latest.set(name, engagement);
    this.#live.add(engagement);
    this.events.push(`${name} engaged`);
    const onEnd = () => {
      this.#live.delete(engagement);
      this.events.push(`${name} disengaged`);
    };
    signal.addEventListener('abort', onEnd, { once: true });
  }

  #engagedBeside(before: Engagement, { name, cluster }: Engagement): void {
    if (before.cluster === cluster) {
      this.violations.push(`${name} was engaged again, by the same instance, while it was engaged`);
      return;
    }
    // A cluster may be replaced by one with another endpoint without a gap, within one turn.
    if (isElsewhere(before.cluster, cluster)) {
      this.violations.push(`${name} was engaged with another cluster before the previous engagement had ended`);
    }
    setImmediate(() => {
      if (!before.signal.aborted) this.violations.push(`${name} is engaged twice: with two instances`);
    });
  }
}

/** All control planes of the suite have the same host, with a port each. */
function isElsewhere(a: Cluster, b: Cluster): boolean {
  return new URL(a.config.server).port !== new URL(b.config.server).port;
}
