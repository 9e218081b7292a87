import type { Cluster } from '../cluster/cluster.ts';
import type { Aware } from '../multicluster/aware.ts';
import type { ClusterName } from '../multicluster/cluster-name.ts';
import type { Coordinator } from './coordinator.ts';
import { Engagements } from './engagements.ts';

/** A coordinator that engages every cluster with all components, for a process that serves the whole fleet. */
export class BroadcastCoordinator implements Coordinator {
  readonly #awares = new Set<Pick<Aware, 'engage'>>();
  readonly #engagements = new Engagements();

  async addAware(aware: Pick<Aware, 'engage'>, { signal }: { readonly signal?: AbortSignal } = {}): Promise<void> {
    if (signal?.aborted) return;
    this.#awares.add(aware);
    signal?.addEventListener('abort', () => this.#awares.delete(aware), { once: true });
    try {
      await engageAll([...this.#engagements], ({ name, cluster, signal }) => aware.engage(name, cluster, signal));
    } catch (error) {
      this.#awares.delete(aware);
      throw error;
    }
  }

  async engage(name: ClusterName, cluster: Cluster, signal: AbortSignal): Promise<void> {
    const engagement = { name, cluster, signal };
    if (!this.#engagements.add(engagement)) return;
    try {
      await engageAll([...this.#awares], (aware) => aware.engage(name, cluster, signal));
    } catch (error) {
      this.#engagements.forget(engagement);
      throw error;
    }
  }
}

/** Calls `engage` for all items concurrently, waits for every call, and then throws their failures. */
async function engageAll<T>(items: readonly T[], engage: (item: T) => Promise<void>): Promise<void> {
  const results = await Promise.allSettled(items.map(async (item) => engage(item)));
  const refusals = results.filter((result) => result.status === 'rejected').map(({ reason }): unknown => reason);
  if (refusals.length === 1) throw refusals[0];
  if (refusals.length > 1) throw new AggregateError(refusals, `${refusals.length} components refused the engagement`);
}
