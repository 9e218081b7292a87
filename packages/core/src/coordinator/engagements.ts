import type { Cluster } from '../cluster/cluster.ts';
import type { ClusterName } from '../multicluster/cluster-name.ts';

export interface Engagement {
  readonly name: ClusterName;
  readonly cluster: Cluster;
  /** Ends the engagement. */
  readonly signal: AbortSignal;
}

/** The engagements that have not ended, one per name. */
export class Engagements implements Iterable<Engagement> {
  readonly #byName = new Map<ClusterName, Engagement>();
  readonly #onEnd: (engagement: Engagement) => void;

  /** @param onEnd told when an engagement ends, unless another one has taken its name before. */
  constructor(onEnd: (engagement: Engagement) => void = () => undefined) {
    this.#onEnd = onEnd;
  }

  get(name: ClusterName): Engagement | undefined {
    return this.#byName.get(name);
  }

  [Symbol.iterator](): MapIterator<Engagement> {
    return this.#byName.values();
  }

  /** Adds an engagement in place of the one of its name. `false`: it is there already, or has ended. */
  add(engagement: Engagement): boolean {
    const { name, cluster, signal } = engagement;
    if (signal.aborted || this.#byName.get(name)?.cluster === cluster) return false;
    this.#byName.set(name, engagement);
    signal.addEventListener('abort', () => this.#end(engagement), { once: true });
    return true;
  }

  #end(engagement: Engagement): void {
    if (this.#byName.get(engagement.name) !== engagement) return;
    this.#byName.delete(engagement.name);
    this.#onEnd(engagement);
  }
}
