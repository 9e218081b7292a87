import type { Clock, Logger } from '@mcr/client';
import { Backoff, sleep } from '@mcr/client';
import type { Cluster } from '../../fleet/cluster/cluster.ts';
import { Lifetime } from '../../fleet/clusters/lifetime.ts';
import type { Aware } from '../../fleet/multicluster/aware.ts';
import type { ClusterName } from '../../fleet/multicluster/cluster-name.ts';
import type { Ownership } from '../../fleet/multicluster/ownership.ts';

/** Backoff after a refused engagement, in milliseconds. */
const RETRY = { base: 1_000, max: 30_000 };

export interface OwnedEngagementsOptions {
  readonly ownership: Ownership;
  /** Engages a cluster with the component. */
  readonly engage: Aware['engage'];
  readonly clock: Clock;
  readonly logger: Logger;
}

interface Offered {
  readonly cluster: Cluster;
  /** Ends when the cluster is disengaged. */
  readonly signal: AbortSignal;
  /** The engagement with the component, while this replica owns the cluster. */
  tenancy?: Lifetime;
}

/**
 * Engages a component with the clusters that this replica owns, and ends an engagement when the replica begins to give the
 * cluster away. Components that prepare clusters before they own them, such as controllers, do not need it.
 */
export class OwnedEngagements implements Pick<Aware, 'engage'> {
  readonly #options: OwnedEngagementsOptions;
  readonly #offered = new Map<ClusterName, Offered>();

  /** @param signal ends the notifications. */
  constructor(options: OwnedEngagementsOptions, signal?: AbortSignal) {
    this.#options = options;
    const stop = options.ownership.onChange((changes) => {
      for (const name of changes.keys()) this.#follow(name);
    });
    signal?.addEventListener('abort', stop, { once: true });
  }

  async engage(name: ClusterName, cluster: Cluster, signal: AbortSignal): Promise<void> {
    const present = this.#offered.get(name);
    if (signal.aborted || present?.cluster === cluster) return;
    present?.tenancy?.end('the cluster was replaced');
    const offered: Offered = { cluster, signal };
    this.#offered.set(name, offered);
    signal.addEventListener(
      'abort',
      () => {
        if (this.#offered.get(name) === offered) this.#offered.delete(name);
      },
      { once: true },
    );
    if (!this.#owns(name)) return;
    // The caller handles a refusal.
    const tenancy = (offered.tenancy = new Lifetime(signal));
    try {
      await this.#options.engage(name, cluster, tenancy.signal);
    } catch (error) {
      tenancy.complete();
      if (this.#offered.get(name) === offered) this.#offered.delete(name);
      throw error;
    }
  }

  #owns(name: ClusterName): boolean {
    return this.#options.ownership.stateOf(name) === 'active';
  }

  #follow(name: ClusterName): void {
    const offered = this.#offered.get(name);
    if (!offered) return;
    if (!this.#owns(name)) {
      offered.tenancy?.end('another replica becomes the owner of the cluster');
      delete offered.tenancy;
    } else if (!offered.tenancy) {
      offered.tenancy = new Lifetime(offered.signal);
      void this.#engage(name, offered.cluster, offered.tenancy);
    }
  }

  /** Engages a cluster that this replica has become the owner of. No caller could handle a refusal. */
  async #engage(name: ClusterName, cluster: Cluster, { signal }: Lifetime): Promise<void> {
    const { engage, clock, logger } = this.#options;
    const backoff = new Backoff(RETRY);
    const isOver = () => signal.aborted;
    while (!isOver()) {
      try {
        await engage(name, cluster, signal);
        return;
      } catch (error) {
        if (isOver()) return;
        const retryIn = Math.round(backoff.next());
        logger.error('a runnable refused a cluster that this replica owns now, retrying', {
          cluster: name,
          error,
          retryIn,
        });
        await sleep(clock, retryIn, signal).catch(() => undefined);
      }
    }
  }
}
