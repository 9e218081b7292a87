import type { Cluster } from '../cluster/cluster.ts';
import type { Aware } from '../multicluster/aware.ts';
import type { ClusterName } from '../multicluster/cluster-name.ts';
import type { Coordinator } from './coordinator.ts';
import { Engagements } from './engagements.ts';

/** Engages every cluster with all components. It suits a process that serves the whole fleet. */
export class BroadcastCoordinator implements Coordinator {
  readonly #awares = new Set<Pick<Aware, 'engage'>>();
  readonly #engagements = new Engagements();

  async addAware(aware: Pick<Aware, 'engage'>, { signal }: { readonly signal?: AbortSignal } = {}): Promise<void> {
    if (signal?.aborted) return;
    this.#awares.add(aware);
    signal?.addEventListener('abort', () => this.#awares.delete(aware), { once: true });
    try {
      await everyone([...this.#engagements], ({ name, cluster, signal }) => aware.engage(name, cluster, signal));
    } catch (error) {
      this.#awares.delete(aware);
      throw error;
    }
  }

  async engage(name: ClusterName, cluster: Cluster, signal: AbortSignal): Promise<void> {
    const engagement = { name, cluster, signal };
    if (!this.#engagements.add(engagement)) return;
    try {
      await everyone([...this.#awares], (aware) => aware.engage(name, cluster, signal));
    } catch (error) {
      this.#engagements.forget(engagement);
      throw error;
    }
  }
}

/** Calls `ask` for all items concurrently, waits for every call, and then throws their failures. */
async function everyone<T>(all: readonly T[], ask: (one: T) => Promise<void>): Promise<void> {
  const answers = await Promise.allSettled(all.map(async (one) => ask(one)));
  const refusals = answers.filter((answer) => answer.status === 'rejected').map(({ reason }): unknown => reason);
  if (refusals.length === 1) throw refusals[0];
  if (refusals.length > 1) throw new AggregateError(refusals, `${refusals.length} components refused the engagement`);
}
