import type { Cluster } from '../cluster/cluster.ts';
import type { Aware } from '../multicluster/aware.ts';
import { Lifetime } from './lifetime.ts';

export interface ClusterInstanceOptions<C extends Cluster> {
  readonly cluster: C;
  /** Whom the cluster is engaged with. */
  readonly aware: Aware;
  /** Ends the instance. */
  readonly signal: AbortSignal;
  /** What follows a failure to connect. */
  readonly onFailure: 'give up' | 'try again';
}

/** One connection to one endpoint, from the wish for it to its end. */
export class ClusterInstance<C extends Cluster> {
  readonly cluster: C;
  readonly aware: Aware;
  readonly lifetime: Lifetime;
  readonly onFailure: 'give up' | 'try again';
  /** Resolves when the cluster is engaged, rejects when it never will be. */
  readonly engaged = Promise.withResolvers<void>();
  /** Settles when the cluster's `run` has ended; never rejects. */
  running: Promise<void> = Promise.resolve();
  /** The credentials that were wanted last, until they are in use. */
  rotation: { readonly to: ClusterInstance<C>; readonly lifetime: Lifetime } | undefined;

  constructor({ cluster, aware, signal, onFailure }: ClusterInstanceOptions<C>) {
    this.cluster = cluster;
    this.aware = aware;
    this.lifetime = new Lifetime(signal);
    this.onFailure = onFailure;
    // Whoever waits sees the rejection; nobody has to.
    this.engaged.promise.catch(() => undefined);
  }

  get signal(): AbortSignal {
    return this.lifetime.signal;
  }

  /** Begins to take the credentials of another instance into use; with earlier ones that is over. */
  beginRotation(to: ClusterInstance<C>): Lifetime {
    this.endRotation();
    const lifetime = new Lifetime(this.signal);
    this.rotation = { to, lifetime };
    return lifetime;
  }

  endRotation(): void {
    this.rotation?.lifetime.end('other credentials are wanted');
    this.rotation = undefined;
  }
}
