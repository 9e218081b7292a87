import { checkCallOptions, checkKey } from '../client/call-arguments.ts';
import { checkScope } from '../kinds/resource-path.ts';
import type { CallOptions, GetOptions, ListOptions } from '../client/client.ts';
import type { Clock } from '../clock/clock.ts';
import { orAborted } from '../clock/or-aborted.ts';
import type { Kind } from '../kinds/kind.ts';
import { kindText, partialMetadata } from '../kinds/kind.ts';
import { matchesLabels, parseLabelSelector } from '../kinds/label-selector.ts';
import type { DeepReadonly, KubernetesList, KubernetesObject, ObjectKey } from '../kinds/object.ts';
import { objectKeyText } from '../kinds/object.ts';
import { compareResourceVersions } from '../kinds/resource-version.ts';
import type { Logger } from '../log/logger.ts';
import type { WatchScope } from '../reflector/client-lister-watcher.ts';
import type { CacheInformer, ReadRequirement } from './cache-informer.ts';
import { untilCurrent } from './cache-informer.ts';
import { CacheNotSyncedError } from './cache-not-synced-error.ts';
import type { ReadWaitObserver } from './cache-options.ts';
import type { CacheScope } from './cache-scope.ts';
import { watchScopesOf } from './cache-scope.ts';
import type { Cache, IndexExtractor, InformerScope } from './cache.ts';
import { InformerEntry } from './informer-entry.ts';
import type { Informer, InformerHandler, Subscription } from './informer.ts';
import { listFromStore } from './list-from-store.ts';
import { objectNotFound } from './object-not-found.ts';

export interface InformerCacheOptions {
  readonly makeInformer: <T extends KubernetesObject>(kind: Kind<T>, scopes: readonly WatchScope[]) => CacheInformer<T>;
  /** Names the cache in errors, for example `the cache of cluster "eu-1"`. */
  readonly subject: string;
  /** What reads of a kind see, and informers that are asked for without a scope. */
  readonly scopeOf: (kind: Kind<KubernetesObject>) => CacheScope;
  /** In milliseconds. */
  readonly syncTimeout: number;
  /** Runs the wait of a read that has to wait. */
  readonly observeWait: ReadWaitObserver;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface NamedScopes {
  readonly scopes: readonly WatchScope[];
  /** Equal of equal ones. */
  readonly text: string;
}

type Entry<T extends KubernetesObject = KubernetesObject> = InformerEntry<CacheInformer<T>>;

/** The informers of a cache by kind and scope, and reads that are answered from them. */
export class InformerCache implements Cache {
  readonly #options: InformerCacheOptions;
  /** By kind, then by scope. */
  readonly #entries = new Map<string, Map<string, Entry>>();
  /** What reads of a kind see, by kind. */
  readonly #scopes = new Map<string, NamedScopes>();
  /** By kind, then by name. */
  readonly #indexes = new Map<string, Map<string, IndexExtractor<KubernetesObject>>>();
  #life: 'new' | 'running' | 'stopped' = 'new';
  readonly #runs = new Set<Promise<void>>();
  readonly #failed = Promise.withResolvers<never>();

  constructor(options: InformerCacheOptions) {
    this.#options = options;
    // `run` tells; without it nothing can fail.
    this.#failed.promise.catch(() => undefined);
  }

  async get<T extends KubernetesObject>(
    kind: Kind<T>,
    key: ObjectKey,
    options: GetOptions = {},
  ): Promise<DeepReadonly<T>> {
    const object = await this.find(kind, key, options);
    if (object === undefined) throw objectNotFound(kind, key);
    return object;
  }

  async find<T extends KubernetesObject>(
    kind: Kind<T>,
    key: ObjectKey,
    options: GetOptions = {},
  ): Promise<DeepReadonly<T> | undefined> {
    checkKey(kind, key);
    checkScope(kind, key.namespace);
    this.#refuseOtherNamespace(kind, key.namespace);
    return (await this.#current(kind, { ...key, ...this.#versionOf(options) }, options)).store.get(key);
  }

  async list<T extends KubernetesObject>(
    kind: Kind<T>,
    options: ListOptions = {},
  ): Promise<DeepReadonly<KubernetesList<T>>> {
    checkCallOptions('list', kind, options);
    if (options.continue !== undefined) {
      throw new TypeError(`${this.#options.subject} gives no pages: leave out continue, or read from the API server`);
    }
    const { namespace, resourceVersionMatch } = options;
    if (resourceVersionMatch === 'Exact') {
      throw new TypeError(`${this.#options.subject} holds one version: leave out resourceVersionMatch`);
    }
    this.#refuseOtherNamespace(kind, namespace);
    const requirement = { ...(namespace && { namespace }), ...this.#versionOf(options) };
    return listFromStore(kind, await this.#current(kind, requirement, options), options);
  }

  async informer<T extends KubernetesObject>(kind: Kind<T>, scope?: InformerScope): Promise<Informer<T>> {
    const entry = this.#entry(kind, scope);
    entry.keep();
    return informerOf<T>(entry);
  }

  async subscribe<T extends KubernetesObject>(
    kind: Kind<T>,
    handler: InformerHandler<T>,
    scope?: InformerScope,
  ): Promise<Subscription<T>> {
    const entry = this.#entry(kind, scope);
    // The entry was made for this kind, under its text.
    return entry.subscribe(handler) as unknown as Subscription<T>;
  }

  peek(kind: Pick<Kind<KubernetesObject>, 'apiVersion' | 'kind'>, key: ObjectKey): DeepReadonly<KubernetesObject>[] {
    return [kind, partialMetadata(kind)].flatMap((of) =>
      [...(this.#entries.get(kindText(of))?.values() ?? [])].flatMap(({ informer }) => informer.store.get(key) ?? []),
    );
  }

  async indexField<T extends KubernetesObject>(kind: Kind<T>, name: string, extract: IndexExtractor<T>): Promise<void> {
    const indexes = entryOf(this.#indexes, kindText(kind), () => new Map<string, IndexExtractor<KubernetesObject>>());
    if (indexes.has(name)) return;
    const guarded = this.#guarded(kind, name, extract);
    indexes.set(name, guarded);
    for (const { informer } of this.#entries.get(kindText(kind))?.values() ?? []) informer.addIndex(name, guarded);
  }

  expectWrite<T extends KubernetesObject>(kind: Kind<T>, object: DeepReadonly<T>): void {
    const { metadata } = object;
    const { labelSelector, fieldSelector } = this.#scopeIn(kind, metadata.namespace);
    const isSelected =
      !fieldSelector && (!labelSelector || matchesLabels(parseLabelSelector(labelSelector), metadata.labels));
    for (const informer of this.#readInformers(kind)) {
      // Of one that it holds it will be told in any case: of the change, or that it is not selected any more.
      if (isSelected || informer.store.get(metadata)) informer.expectWrite(object);
    }
  }

  expectDeletion(kind: Kind<KubernetesObject>, key: ObjectKey): void {
    for (const informer of this.#readInformers(kind)) informer.expectDeletion(key);
  }

  removeInformer(kind: Kind<KubernetesObject>): void {
    const entries = this.#entries.get(kindText(kind));
    this.#entries.delete(kindText(kind));
    for (const entry of entries?.values() ?? []) entry.stop(this.#stopReason());
  }

  async waitForSync(signal: AbortSignal): Promise<boolean> {
    const informers = this.#allEntries().map(({ informer }) => informer);
    try {
      await Promise.all(informers.map((informer) => informer.waitForSync(signal)));
      return true;
    } catch {
      return false;
    }
  }

  async run(signal: AbortSignal): Promise<void> {
    if (this.#life !== 'new') throw new TypeError(`${this.#options.subject} runs already, or ran before`);
    this.#life = 'running';
    for (const entry of this.#allEntries()) this.#start(entry);
    try {
      await orAborted(this.#failed.promise, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      this.#life = 'stopped';
      for (const entry of this.#allEntries()) entry.stop(this.#stopReason());
      this.#entries.clear();
      await Promise.all(this.#runs);
    }
  }

  #entry(kind: Kind<KubernetesObject>, scope?: InformerScope): Entry {
    if (this.#life === 'stopped') throw this.#stopReason();
    const { scopes, text } = scope ? named(watchScopesOf(scope)) : this.#scopesOf(kind);
    const entries = entryOf(this.#entries, kindText(kind), () => new Map<string, Entry>());
    return entryOf(entries, text, () => this.#makeEntry(kind, scopes));
  }

  /** Those that there are now: one that is made later begins with what was written. */
  #readInformers(kind: Kind<KubernetesObject>): CacheInformer<KubernetesObject>[] {
    const { metadataOnly: _, ...whole } = kind;
    return [whole, partialMetadata(kind)].flatMap((variant) => {
      const entry = this.#entries.get(kindText(variant))?.get(this.#scopesOf(variant).text);
      return entry ? [entry.informer] : [];
    });
  }

  #scopeIn(kind: Kind<KubernetesObject>, namespace: string | undefined): WatchScope {
    const { scopes } = this.#scopesOf(kind);
    return scopes.find((scope) => scope.namespace === undefined || scope.namespace === namespace) ?? {};
  }

  #scopesOf(kind: Kind<KubernetesObject>): NamedScopes {
    return entryOf(this.#scopes, kindText(kind), () => named(watchScopesOf(this.#options.scopeOf(kind))));
  }

  #makeEntry(kind: Kind<KubernetesObject>, scopes: readonly WatchScope[]): Entry {
    const informer = this.#options.makeInformer(kind, scopes);
    for (const [name, extract] of this.#indexes.get(kindText(kind)) ?? []) informer.addIndex(name, extract);
    const entry: Entry = new InformerEntry({
      informer,
      clock: this.#options.clock,
      isRunning: () => this.#life === 'running',
      onRelease: () => this.#release(kind, scopes, entry),
    });
    if (this.#life === 'running') this.#start(entry);
    return entry;
  }

  #release(kind: Kind<KubernetesObject>, scopes: readonly WatchScope[], entry: Entry): void {
    this.#entries.get(kindText(kind))?.delete(named(scopes).text);
    entry.stop(this.#stopReason());
  }

  #start({ informer, signal }: Entry): void {
    const run = informer
      .run(signal)
      .catch((error: unknown) => this.#failed.reject(error))
      .finally(() => this.#runs.delete(run));
    this.#runs.add(run);
  }

  #allEntries(): Entry[] {
    return [...this.#entries.values()].flatMap((entries) => [...entries.values()]);
  }

  /** The informer that reads of the kind are answered from, when it can answer this one. */
  async #current<T extends KubernetesObject>(
    kind: Kind<T>,
    requirement: ReadRequirement,
    { signal, timeout = this.#options.syncTimeout }: CallOptions,
  ): Promise<Informer<T>> {
    const entry = this.#entry(kind);
    entry.read();
    const informer = informerOf<T>(entry);
    if (informer.hasSynced && informer.isCurrent(requirement)) return informer;
    await this.#options.observeWait(
      (observed) => this.#waitUntilCurrent(entry, kind, requirement, { signal: observed, timeout }),
      signal,
    );
    return informer;
  }

  /** @throws {CacheNotSyncedError} after `timeout`. @throws the reason of `signal`, when that aborts. */
  async #waitUntilCurrent(
    { informer, signal: stopped }: Entry,
    kind: Kind<KubernetesObject>,
    requirement: ReadRequirement,
    { signal, timeout }: { readonly signal: AbortSignal | undefined; readonly timeout: number },
  ): Promise<void> {
    const deadline = new AbortController();
    const timer = this.#options.clock.schedule(timeout, () => deadline.abort());
    const current = async (): Promise<void> => {
      await informer.waitForSync(deadline.signal);
      await orAborted(untilCurrent(informer, requirement, deadline.signal), stopped);
    };
    try {
      await (signal ? orAborted(current(), signal) : current());
    } catch (error) {
      if (signal?.aborted) throw error;
      throw this.#notCurrent(
        kind,
        informer,
        deadline.signal.aborted ? `within ${timeout} ms` : 'before it was stopped',
      );
    } finally {
      timer.cancel();
      deadline.abort();
    }
  }

  #notCurrent(
    kind: Kind<KubernetesObject>,
    { lastError, hasSynced }: Pick<Informer<never>, 'lastError' | 'hasSynced'>,
    when: string,
  ): Error {
    const silence = hasSynced ? 'the server has not told of it yet' : 'the server has not answered yet';
    const why = lastError?.message ?? (this.#life === 'new' ? 'the cache is not running' : silence);
    const what = hasSynced ? `seen the version of ${kindText(kind)} that the read needs` : `synced ${kindText(kind)}`;
    return new CacheNotSyncedError(`${this.#options.subject} has not ${what} ${when}: ${why}`, {
      ...(lastError && { cause: lastError }),
    });
  }

  /** A read of what is not cached must not look like a read of what is not there. */
  #refuseOtherNamespace(kind: Kind<KubernetesObject>, namespace: string | undefined): void {
    if (!namespace) return;
    const held = this.#scopesOf(kind).scopes.map((scope) => scope.namespace);
    if (held.includes(undefined) || held.includes(namespace)) return;
    throw new TypeError(
      `${this.#options.subject} holds the namespaces ${held.join(', ')} only of ${kindText(kind)}, not ${namespace}: ` +
        `add it to the cache's namespaces, or read from the API server`,
    );
  }

  #versionOf({ resourceVersion }: Pick<GetOptions, 'resourceVersion'>): Pick<ReadRequirement, 'version'> {
    if (resourceVersion === undefined || resourceVersion === '0') return {};
    if (compareResourceVersions(resourceVersion, resourceVersion) !== undefined) return { version: resourceVersion };
    throw new TypeError(
      `${this.#options.subject} cannot tell what is newer than resourceVersion ${JSON.stringify(resourceVersion)}: ` +
        `leave it out, or read from the API server`,
    );
  }

  /** An index that cannot be computed of one object leaves that object out: the informer is shared, and goes on. */
  #guarded<T extends KubernetesObject>(
    kind: Kind<T>,
    name: string,
    extract: IndexExtractor<T>,
  ): IndexExtractor<KubernetesObject> {
    return (object) => {
      try {
        return extract(object as DeepReadonly<T>);
      } catch (error) {
        const { logger } = this.#options;
        logger.error('index function failed', {
          kind: kindText(kind),
          index: name,
          object: objectKeyText(object.metadata),
          error,
        });
        return [];
      }
    };
  }

  #stopReason(): Error {
    return new Error(`${this.#options.subject} has been stopped`);
  }
}

/** An entry's informer is of the kind under whose text the entry is. */
function informerOf<T extends KubernetesObject>({ informer }: Entry): CacheInformer<T> {
  return informer as unknown as CacheInformer<T>;
}

function named(scopes: readonly WatchScope[]): NamedScopes {
  return { scopes, text: JSON.stringify(scopes) };
}

/** The value of `key`, made when it is first asked for. */
function entryOf<V>(map: Map<string, V>, key: string, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
}
