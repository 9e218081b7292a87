import type { Runnable } from '../manager/runnable.ts';
import type { Aware } from '../fleet/multicluster/aware.ts';
import type { ReconcileRequest } from './reconcile/request.ts';
import type { Source } from './source/source.ts';

/**
 * Reconciles the requests that its sources add from every engaged cluster, through one queue. `manager.add` runs it and
 * engages clusters with it. (Upstream: `mccontroller.Controller`.)
 */
export interface Controller<R = ReconcileRequest> extends Runnable {
  /** Name in logs, metrics and the fleet status. */
  readonly name: string;
  readonly engage: Aware['engage'];
  /**
   * Watches a source, before or while the controller runs. A `ClusterSource` is started in all current and future
   * clusters that its filter selects. Does not wait until the source has synced.
   */
  watch(source: Source<R>): Promise<Watch>;
}

/** A source that a controller watches. */
export interface Watch {
  /**
   * Stops the source permanently in every cluster: it adds no more requests and disappears from the fleet status.
   * Requests that it added stay in the queue, because another source may have added the same ones, and running
   * reconciles continue. An informer that nothing else uses stops a minute later. A second call has no effect.
   */
  stop(): Promise<void>;
}
