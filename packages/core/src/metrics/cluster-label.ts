import type { ClusterName } from '../multicluster/cluster-name.ts';

/** Stands for every cluster once there are too many to tell apart. */
export const ANY_CLUSTER = '*';

/**
 * The value of the label `cluster`. Each value is a time series of its own for every metric that carries it, so there is
 * a limit: the cluster that exceeds it turns the label off, and from then on it is `*` for all. Series that are there
 * stay as they are; sums over the label keep growing as counters have to.
 */
export class ClusterLabel {
  readonly #limit: number;
  readonly #names = new Set<ClusterName>();
  #isOff = false;

  /** @param limit how many clusters are told apart. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  valueOf(cluster: ClusterName): string {
    if (this.#isOff) return ANY_CLUSTER;
    if (this.#names.has(cluster)) return cluster;
    this.#isOff = this.#names.size >= this.#limit;
    if (this.#isOff) return ANY_CLUSTER;
    this.#names.add(cluster);
    return cluster;
  }
}
