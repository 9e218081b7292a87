import type { ClusterConfig } from '@mcr/client';
import { printable } from '@mcr/client';
import type { Cluster, ClusterDescription, ClusterInfo } from '../cluster/cluster.ts';
import type { Aware } from '../multicluster/aware.ts';
import type { ClusterName } from '../multicluster/cluster-name.ts';
import type { ClusterDeclaration, ComparedCluster } from './cluster-declaration.ts';
import { Lifetime } from './lifetime.ts';

export interface ClusterInstanceOptions<C extends Cluster> {
  readonly name: ClusterName;
  readonly declaration: ClusterDeclaration<C>;
  /** Metadata that replaces that of the declaration. Default: none. */
  readonly description?: ClusterDescription | undefined;
  /** The component that the cluster is engaged with. */
  readonly aware: Aware;
  /** Ends the instance. */
  readonly signal: AbortSignal;
  /** Behaviour after a failed connection attempt. */
  readonly onFailure: 'give up' | 'try again';
}

const UNDESCRIBED: ClusterDescription = { labels: {}, properties: {} };

/**
 * One connection to one endpoint under a name, from its request to its end. The cluster and the lifetime are created at
 * their first use, because an instance that equals the present one is never used.
 */
export class ClusterInstance<C extends Cluster> implements ComparedCluster {
  readonly name: ClusterName;
  readonly aware: Aware;
  readonly onFailure: 'give up' | 'try again';
  /** Resolves when the cluster is engaged. Rejects if the instance ends before. */
  readonly engaged = Promise.withResolvers<void>();
  /** Settles when the cluster's `run` has ended; never rejects. */
  running: Promise<void> = Promise.resolve();
  /** The rotation in progress, to the latest requested credentials. */
  rotation: { readonly to: ClusterInstance<C>; readonly lifetime: Lifetime } | undefined;
  readonly #outer: AbortSignal;
  #lifetime: Lifetime | undefined;
  /** The cluster once it is made, which does not need its declaration any more. */
  #source:
    | { readonly cluster: C }
    | {
        readonly declaration: ClusterDeclaration<C>;
        readonly description: ClusterDescription | undefined;
        config?: ClusterConfig;
      };

  constructor({ name, declaration, description, aware, signal, onFailure }: ClusterInstanceOptions<C>) {
    this.name = name;
    this.aware = aware;
    this.onFailure = onFailure;
    this.#outer = signal;
    this.#source = { declaration, description };
    // Callers that wait see the rejection. Without a caller it must not count as unhandled.
    this.engaged.promise.catch(() => undefined);
  }

  /** @throws the error of the declaration. */
  get cluster(): C {
    return this.make();
  }

  /** Returns the cluster, and makes it at the first call. @throws the error of the declaration. */
  make(): C {
    if ('cluster' in this.#source) return this.#source.cluster;
    const { declaration, description } = this.#source;
    const { name } = this;
    const info = { ...declaration.info, ...description };
    const cluster = declaration.make(this.config, { name, info });
    this.#source = { cluster };
    return cluster;
  }

  /** @throws the error of the declaration. */
  get config(): ClusterConfig {
    const source = this.#source;
    return 'cluster' in source ? source.cluster.config : (source.config ??= printable(source.declaration.config()));
  }

  get info(): ClusterInfo {
    const source = this.#source;
    return 'cluster' in source
      ? source.cluster.info
      : { ...UNDESCRIBED, ...source.declaration.info, ...source.description };
  }

  get lifetime(): Lifetime {
    return (this.#lifetime ??= new Lifetime(this.#outer));
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
