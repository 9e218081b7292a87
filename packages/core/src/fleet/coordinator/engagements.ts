import type { Cluster } from '../cluster/cluster.ts';
import type { ClusterName } from '../multicluster/cluster-name.ts';

export interface Engagement {
  readonly name: ClusterName;
  readonly cluster: Cluster;
  /** Ends the engagement. */
  readonly signal: AbortSignal;
}

/** The current engagements, at most one for each name. */
export class Engagements implements Iterable<Engagement> {
  readonly #byName = new Map<ClusterName, Engagement & { readonly onAbort: () => void }>();
  readonly #onEnd: (engagement: Engagement) => void;

  /** @param onEnd called when an engagement ends, unless another one replaced it. */
  constructor(onEnd: (engagement: Engagement) => void = () => undefined) {
    this.#onEnd = onEnd;
  }

  get(name: ClusterName): Engagement | undefined {
    return this.#byName.get(name);
  }

  [Symbol.iterator](): MapIterator<Engagement> {
    return this.#byName.values();
  }

  /** Adds an engagement and replaces the one with the same name. Returns `false` if it exists already or has ended. */
  add(engagement: Engagement): boolean {
    const { name, cluster, signal } = engagement;
    const before = this.#byName.get(name);
    if (signal.aborted || before?.cluster === cluster) return false;
    before?.signal.removeEventListener('abort', before.onAbort);
    const onAbort = () => {
      this.#byName.delete(name);
      this.#onEnd(engagement);
    };
    this.#byName.set(name, { ...engagement, onAbort });
    signal.addEventListener('abort', onAbort, { once: true });
    return true;
  }

  /** Removes an engagement that was refused. The same instance may be engaged again. */
  forget({ name, cluster }: Engagement): void {
    const present = this.#byName.get(name);
    if (present?.cluster !== cluster) return;
    present.signal.removeEventListener('abort', present.onAbort);
    this.#byName.delete(name);
  }
}
