import type { Cluster } from '../cluster/cluster.ts';
import type { Aware } from '../multicluster/aware.ts';
import { Lifetime } from './lifetime.ts';

export interface ClusterInstanceOptions<C extends Cluster> {
  readonly cluster: C;
  /** The component that the cluster is engaged with. */
  readonly aware: Aware;
  /** Ends the instance. */
  readonly signal: AbortSignal;
  /** Behaviour after a failed connection attempt. */
  readonly onFailure: 'give up' | 'try again';
}

/** One connection to one endpoint under a name, from its request to its end. */
export class ClusterInstance<C extends Cluster> {
  readonly cluster: C;
  readonly aware: Aware;
  readonly lifetime: Lifetime;
  readonly onFailure: 'give up' | 'try again';
  /** Resolves when the cluster is engaged. Rejects if the instance ends before. */
  readonly engaged = Promise.withResolvers<void>();
  /** Settles when the cluster's `run` has ended; never rejects. */
  running: Promise<void> = Promise.resolve();
  /** The rotation in progress, to the latest requested credentials. */
  rotation: { readonly to: ClusterInstance<C>; readonly lifetime: Lifetime } | undefined;

  constructor({ cluster, aware, signal, onFailure }: ClusterInstanceOptions<C>) {
    this.cluster = cluster;
    this.aware = aware;
    this.lifetime = new Lifetime(signal);
    this.onFailure = onFailure;
    // Callers that wait see the rejection. Without a caller it must not count as unhandled.
    this.engaged.promise.catch(() => undefined);
  }

  get signal(): AbortSignal {
    return this.lifetime.signal;
  }

  /** Starts a rotation to the credentials of another instance, and ends an earlier rotation. */
  beginRotation(to: ClusterInstance<C>): Lifetime {
    this.endRotation();
    const lifetime = new Lifetime(this.signal);
    this.rotation = { to, lifetime };
    return lifetime;
  }

  endRotation(): void {
    this.rotation?.lifetime.end('other credentials were requested');
    this.rotation = undefined;
  }
}
