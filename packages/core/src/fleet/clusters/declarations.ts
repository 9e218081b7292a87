import type { Cluster, ClusterDescription } from '../cluster/cluster.ts';
import type { Aware } from '../multicluster/aware.ts';
import type { ClusterName } from '../multicluster/cluster-name.ts';
import type { Ownership } from '../multicluster/ownership.ts';
import type { ClusterDeclaration } from './cluster-declaration.ts';

/** A cluster of a sharded fleet, whichever process serves it. */
export interface Declared<C extends Cluster> {
  readonly declaration: ClusterDeclaration<C>;
  /** Metadata that replaces that of the declaration. */
  readonly description?: ClusterDescription;
  readonly aware: Aware;
  readonly ownership: Ownership;
  /** Ends the declaration. */
  readonly signal: AbortSignal;
}

export interface DeclarationsOptions {
  /** Called after the ownership of a declared cluster changed. */
  readonly onChange: (name: ClusterName) => void;
}

/**
 * The declared clusters of a sharded fleet. Most of them are served by other processes, so that one costs a few hundred
 * bytes: listeners are shared by all clusters that have the same ownership or signal.
 */
export class Declarations<C extends Cluster> {
  readonly #onChange: (name: ClusterName) => void;
  readonly #declared = new Map<ClusterName, Declared<C>>();
  readonly #owned: SharedListeners<Ownership>;
  readonly #ended: SharedListeners<AbortSignal>;

  constructor({ onChange }: DeclarationsOptions) {
    this.#onChange = onChange;
    this.#owned = new SharedListeners((ownership) =>
      ownership.onChange((changes) => {
        for (const name of changes.keys()) if (this.#declared.get(name)?.ownership === ownership) this.#onChange(name);
      }),
    );
    this.#ended = new SharedListeners((signal, names) => {
      const onAbort = () => [...names].forEach((name) => this.delete(name));
      signal.addEventListener('abort', onAbort, { once: true });
      return () => signal.removeEventListener('abort', onAbort);
    });
  }

  /** Replaces the declaration of a name. `declared.signal` has not aborted. */
  set(name: ClusterName, declared: Declared<C>): void {
    const before = this.#declared.get(name);
    if (before && (before.ownership !== declared.ownership || before.signal !== declared.signal)) this.delete(name);
    this.#declared.set(name, declared);
    this.#owned.add(declared.ownership, name);
    this.#ended.add(declared.signal, name);
    declared.ownership.declare(name);
  }

  get(name: ClusterName): Declared<C> | undefined {
    return this.#declared.get(name);
  }

  has(name: ClusterName): boolean {
    return this.#declared.has(name);
  }

  names(): IterableIterator<ClusterName> {
    return this.#declared.keys();
  }

  /** Whether a name is declared, and another process serves it. */
  isElsewhere(name: ClusterName): boolean {
    return this.#declared.get(name)?.ownership.stateOf(name) === 'elsewhere';
  }

  /** Changes the metadata of a declared name. */
  describe(name: ClusterName, description: ClusterDescription): void {
    const declared = this.#declared.get(name);
    if (declared) this.#declared.set(name, { ...declared, description });
  }

  delete(name: ClusterName): void {
    const declared = this.#declared.get(name);
    if (!declared) return;
    this.#declared.delete(name);
    this.#owned.delete(declared.ownership, name);
    this.#ended.delete(declared.signal, name);
    declared.ownership.forget(name);
  }
}

/** One listener on each target, for as long as a name needs it. */
class SharedListeners<T extends object> {
  readonly #listen: (target: T, names: ReadonlySet<ClusterName>) => () => void;
  readonly #targets = new Map<T, { readonly names: Set<ClusterName>; readonly remove: () => void }>();

  constructor(listen: (target: T, names: ReadonlySet<ClusterName>) => () => void) {
    this.#listen = listen;
  }

  add(target: T, name: ClusterName): void {
    let shared = this.#targets.get(target);
    if (!shared) {
      const names = new Set<ClusterName>();
      shared = { names, remove: this.#listen(target, names) };
      this.#targets.set(target, shared);
    }
    shared.names.add(name);
  }

  delete(target: T, name: ClusterName): void {
    const shared = this.#targets.get(target);
    if (!shared?.names.delete(name) || shared.names.size > 0) return;
    this.#targets.delete(target);
    shared.remove();
  }
}
