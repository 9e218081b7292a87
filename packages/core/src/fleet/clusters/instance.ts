import type { Cluster } from '../cluster/cluster.ts';
import type { Aware } from '../multicluster/aware.ts';
import { Life } from './life.ts';

export interface InstanceOptions<C extends Cluster> {
  readonly cluster: C;
  /** Whom the cluster is engaged with. */
  readonly aware: Aware;
  /** Ends the instance. */
  readonly signal: AbortSignal;
  /** What follows a failure to connect. */
  readonly onFailure: 'give up' | 'try again';
}

/** One connection to one endpoint, from the wish for it to its end. */
export class Instance<C extends Cluster> {
  readonly cluster: C;
  readonly aware: Aware;
  readonly life: Life;
  readonly onFailure: 'give up' | 'try again';
  /** Resolves when the cluster is engaged, rejects when it never will be. */
  readonly engaged = Promise.withResolvers<void>();
  /** Settles when the cluster's `run` has ended; never rejects. */
  running: Promise<void> = Promise.resolve();
  /** The credentials that were wanted last, until they are in use. */
  rotation: { readonly to: Instance<C>; readonly life: Life } | undefined;

  constructor({ cluster, aware, signal, onFailure }: InstanceOptions<C>) {
    this.cluster = cluster;
    this.aware = aware;
    this.life = new Life(signal);
    this.onFailure = onFailure;
    // Whoever waits sees the rejection; nobody has to.
    this.engaged.promise.catch(() => undefined);
  }

  get signal(): AbortSignal {
    return this.life.signal;
  }

  /** Begins to take the credentials of another instance into use; with earlier ones that is over. */
  beginRotation(to: Instance<C>): Life {
    this.endRotation();
    const life = new Life(this.signal);
    this.rotation = { to, life };
    return life;
  }

  endRotation(): void {
    this.rotation?.life.end('other credentials are wanted');
    this.rotation = undefined;
  }
}
