import type { Clock } from '../clock/clock.ts';
import { orAborted } from '../clock/or-aborted.ts';
import type { Kind } from '../kinds/kind.ts';
import { kindText, partialMetadata } from '../kinds/kind.ts';
import { matchesLabels, parseLabelSelector } from '../kinds/label-selector.ts';
import type { KubernetesObject } from '../kinds/object.ts';
import type { Logger } from '../log/logger.ts';
import type { PackedEvent } from '../store/packed-event.ts';
import { InformerStoppedError } from '../store/informer-stopped-error.ts';
import { sumOfStats, type PackedStoreStats } from '../store/store-stats.ts';
import type { WatchScope } from '../reflector/client-lister-watcher.ts';
import type { CacheInformer } from './cache-informer.ts';
import type { CacheScope } from './cache-scope.ts';
import { scopesText, watchScopesOf } from './cache-scope.ts';
import type { IndexExtractor, InformerScope } from './cache.ts';
import { checkIndex } from './check-index.ts';
import { canEvaluate, parseFieldSelector } from './field-selector.ts';
import { InformerEntry } from './informer-entry.ts';
import type { LazyObject } from './informer.ts';

/** Creates an informer that calls `onEvent` for each event, before its handlers. */
export type MakeInformer = <T extends KubernetesObject>(
  kind: Kind<T>,
  scopes: readonly WatchScope[],
  onEvent: (event: PackedEvent<T>) => void,
) => CacheInformer<T>;

export interface InformerSetOptions {
  readonly makeInformer: MakeInformer;
  /** Name of the cache in errors, for example `the cache of cluster "eu-1"`. */
  readonly subject: string;
  /** Returns the scope of reads of a kind, which is also the default scope of informers. */
  readonly scopeOf: (kind: Kind<KubernetesObject>) => CacheScope;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface NamedScopes {
  readonly scopes: readonly WatchScope[];
  /** Equal for equal scopes. */
  readonly text: string;
}

/** The scopes of reads of a kind, with their parsed selectors. */
interface ReadScopes extends NamedScopes {
  readonly selections: readonly ScopeSelection[];
}

interface ScopeSelection {
  /** Default: all namespaces. */
  readonly namespace: string | undefined;
  /** Reports whether the selectors of the scope are known to select an object. */
  readonly selects: (object: Pick<LazyObject<KubernetesObject>, 'metadata'>) => boolean;
}

export type InformerSetEntry = InformerEntry<CacheInformer<KubernetesObject>>;

/** The informers of a cache by kind and scope, with their indexes. Starts, releases and stops them. */
export class InformerSet {
  readonly #options: InformerSetOptions;
  /** Keyed by kind, then by scope. */
  readonly #entries = new Map<string, Map<string, InformerSetEntry>>();
  /** Figures of the informers that have stopped, by kind. Kept while the kind has other informers, so that no count decreases. */
  readonly #stopped = new Map<string, PackedStoreStats>();
  /** The scopes of reads, by kind. */
  readonly #scopes = new Map<string, ReadScopes>();
  /** Keyed by kind, then by name. */
  readonly #indexes = new Map<string, Map<string, IndexExtractor<KubernetesObject>>>();
  #phase: 'new' | 'running' | 'stopped' = 'new';
  readonly #runs = new Set<Promise<void>>();
  readonly #failed = Promise.withResolvers<never>();

  constructor(options: InformerSetOptions) {
    this.#options = options;
    // `run` reports the error; nothing can fail before.
    this.#failed.promise.catch(() => undefined);
  }

  /** Whether the set runs or has run. */
  get hasRun(): boolean {
    return this.#phase !== 'new';
  }

  /**
   * Returns the informer of a kind and scope. Creates and starts it if it is missing. @throws {InformerStoppedError} if
   * the set has stopped.
   */
  entry(kind: Kind<KubernetesObject>, scope?: InformerScope): InformerSetEntry {
    if (this.#phase === 'stopped') throw this.#stopReason();
    const { scopes, text } = scope ? named(watchScopesOf(scope)) : this.#namedScopesOf(kind);
    const entries = entryOf(this.#entries, kindText(kind), () => new Map<string, InformerSetEntry>());
    const existing = entries.get(text);
    if (existing) return existing;
    const entry = this.#makeEntry(kind, scopes);
    entries.set(text, entry);
    this.#linkReaders(kind);
    return entry;
  }

  all(): InformerSetEntry[] {
    return [...this.#entries.values()].flatMap((entries) => [...entries.values()]);
  }

  /** Yields each kind that has informers, with the sums of their figures. */
  *stats(): Generator<readonly [kind: string, PackedStoreStats], void, undefined> {
    for (const [kind, entries] of this.#entries) {
      if (entries.size === 0) continue;
      const stopped = this.#stopped.get(kind);
      const stats = Array.from(entries.values(), ({ informer }) => informer.stats());
      yield [kind, sumOfStats(stopped ? [stopped, ...stats] : stats)];
    }
  }

  /** Returns the existing informers of a kind, in all scopes. */
  of(kind: Pick<Kind<KubernetesObject>, 'apiVersion' | 'kind'>): InformerSetEntry[] {
    return [...(this.#entries.get(kindText(kind))?.values() ?? [])];
  }

  /** Returns the existing informer of a kind and scope, if any. */
  ofScope(
    kind: Pick<Kind<KubernetesObject>, 'apiVersion' | 'kind' | 'metadataOnly'>,
    scope: InformerScope,
  ): InformerSetEntry[] {
    const entry = this.#entries.get(kindText(kind))?.get(named(watchScopesOf(scope)).text);
    return entry ? [entry] : [];
  }

  /** Returns the existing informers that answer reads of a kind or of its metadata. */
  ofReads(kind: Kind<KubernetesObject>): CacheInformer<KubernetesObject>[] {
    return variantsOf(kind).flatMap((variant) => {
      const entry = this.#entries.get(kindText(variant))?.get(this.#namedScopesOf(variant).text);
      return entry ? [entry.informer] : [];
    });
  }

  /**
   * Reports whether an informer for reads of a kind receives the events of an object: its scope selects the object, or it
   * has the object, so that it receives the change or that the object left its scope.
   */
  receives(
    { store }: CacheInformer<KubernetesObject>,
    kind: Kind<KubernetesObject>,
    object: Pick<LazyObject<KubernetesObject>, 'key' | 'metadata'>,
  ): boolean {
    const { key } = object;
    const selection = this.#namedScopesOf(kind).selections.find(
      ({ namespace }) => namespace === undefined || namespace === key.namespace,
    );
    return selection !== undefined && (selection.selects(object) || store.lazy(key) !== undefined);
  }

  /** Returns the scopes of reads of a kind. */
  scopesOf(kind: Kind<KubernetesObject>): readonly WatchScope[] {
    return this.#namedScopesOf(kind).scopes;
  }

  /** Adds an index to the existing and future informers of a kind. Resolves when it has the existing objects. */
  async addIndex<T extends KubernetesObject>(kind: Kind<T>, name: string, extract: IndexExtractor<T>): Promise<void> {
    const indexes = entryOf(this.#indexes, kindText(kind), () => new Map<string, IndexExtractor<KubernetesObject>>());
    const registered = indexes.get(name);
    const index = checkIndex(kind, name, registered, extract as IndexExtractor<KubernetesObject>);
    const informers = this.of(kind).map(({ informer }) => informer);
    if (!registered) {
      indexes.set(name, index);
      for (const informer of informers) informer.addIndex(name, index);
    }
    await Promise.all(informers.map((informer) => informer.indexed));
  }

  /** Stops and removes the informers of a kind. */
  remove(kind: Kind<KubernetesObject>): void {
    const entries = this.of(kind);
    this.#entries.delete(kindText(kind));
    this.#linkReaders(kind);
    this.#stopped.delete(kindText(kind));
    for (const entry of entries) entry.stop(this.#stopReason());
  }

  /**
   * Runs all informers, including those that are added later. Resolves after the abort.
   *
   * @throws the first failure of an informer.
   */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#phase !== 'new')
      throw new TypeError(
        `${this.#options.subject} is already running or has stopped: create another one with createCache`,
      );
    this.#phase = 'running';
    for (const entry of this.all()) this.#start(entry);
    try {
      await orAborted(this.#failed.promise, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      this.#phase = 'stopped';
      for (const entry of this.all()) entry.stop(this.#stopReason());
      this.#entries.clear();
      this.#stopped.clear();
      await Promise.all(this.#runs);
    }
  }

  #namedScopesOf(kind: Kind<KubernetesObject>): ReadScopes {
    return entryOf(this.#scopes, kindText(kind), () => {
      const scopes = watchScopesOf(this.#options.scopeOf(kind));
      return { ...named(scopes), selections: scopes.map(selectionOf) };
    });
  }

  #makeEntry(kind: Kind<KubernetesObject>, scopes: readonly WatchScope[]): InformerSetEntry {
    const informer = this.#options.makeInformer(kind, scopes, (event) => this.#relay(kind, entry, event));
    for (const [name, extract] of this.#indexes.get(kindText(kind)) ?? []) informer.addIndex(name, extract);
    const entry: InformerSetEntry = new InformerEntry({
      informer,
      clock: this.#options.clock,
      isRunning: () => this.#phase === 'running',
      onRelease: () => this.#release(kind, scopes, entry),
    });
    if (this.#phase === 'running') this.#start(entry);
    return entry;
  }

  /** Finds the other readers of each informer of a kind again, because its informers have changed. */
  #linkReaders(kind: Kind<KubernetesObject>): void {
    const readers = this.ofReads(kind);
    for (const entry of variantsOf(kind).flatMap((variant) => this.of(variant)))
      entry.otherReaders = readers.filter((reader) => reader !== entry.informer);
  }

  /** Lets the other readers of a kind expect an event: a read after the event must include it. */
  #relay(kind: Kind<KubernetesObject>, entry: InformerSetEntry, event: PackedEvent<KubernetesObject>): void {
    if (event.type === 'leave') return;
    for (const reader of entry.otherReaders) if (this.receives(reader, kind, event)) reader.expectEvent(event);
  }

  #release(kind: Kind<KubernetesObject>, scopes: readonly WatchScope[], entry: InformerSetEntry): void {
    const text = kindText(kind);
    const entries = this.#entries.get(text);
    entries?.delete(named(scopes).text);
    this.#linkReaders(kind);
    const stopped = this.#stopped.get(text);
    if (!entries?.size) this.#stopped.delete(text);
    else this.#stopped.set(text, sumOfStats([countsOf(entry.informer.stats()), ...(stopped ? [stopped] : [])]));
    entry.stop(this.#stopReason());
  }

  #start({ informer, signal }: InformerSetEntry): void {
    const run = informer
      .run(signal)
      .catch((error: unknown) => this.#failed.reject(error))
      .finally(() => this.#runs.delete(run));
    this.#runs.add(run);
  }

  #stopReason(): Error {
    return new InformerStoppedError(`${this.#options.subject} has stopped: read from a running cache`);
  }
}

/** Returns a kind and the kind of its metadata. */
function variantsOf({ metadataOnly: _, ...whole }: Kind<KubernetesObject>): readonly Kind<KubernetesObject>[] {
  return [whole, partialMetadata(whole)];
}

/** Parses the selectors of a scope, because they are evaluated for each event. */
function selectionOf({ namespace, labelSelector, fieldSelector }: WatchScope): ScopeSelection {
  const labels = labelSelector ? parseLabelSelector(labelSelector) : [];
  const isKnown = !fieldSelector || canEvaluate(fieldSelector);
  const matchesFields = fieldSelector && isKnown ? parseFieldSelector(fieldSelector) : () => true;
  return {
    namespace,
    selects: ({ metadata }) => isKnown && matchesLabels(labels, metadata.labels) && matchesFields(metadata),
  };
}

/** Returns the figures that only grow. */
function countsOf(stats: PackedStoreStats): PackedStoreStats {
  return { ...stats, objects: 0, kept: 0, held: 0, alive: 0, compressed: 0, opened: 0 };
}

function named(scopes: readonly WatchScope[]): NamedScopes {
  return { scopes, text: scopesText(scopes) };
}

/** Returns the value of `key`. Creates it on first use. */
function entryOf<V>(map: Map<string, V>, key: string, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
}
