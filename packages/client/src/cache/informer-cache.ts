import { checkCallOptions, checkKey } from '../client/call-arguments.ts';
import { checkScope } from '../discovery/resource-path.ts';
import type { CallOptions, GetOptions, ListOptions } from '../client/client.ts';
import { orAborted } from '../clock/or-aborted.ts';
import type { Kind } from '../kinds/kind.ts';
import { kindText, partialMetadata } from '../kinds/kind.ts';
import type { DeepReadonly, KubernetesList, KubernetesObject, ObjectKey } from '../kinds/object.ts';
import { compareResourceVersions } from '../kinds/resource-version.ts';
import type { CacheInformer, ReadRequirement } from './cache-informer.ts';
import { untilProgress } from './cache-informer.ts';
import { checkInformerScope } from './check-informer-scope.ts';
import { CacheNotSyncedError } from './cache-not-synced-error.ts';
import type { ReadWaitObserver } from './cache-options.ts';
import type { KindCacheStats } from './cache-stats.ts';
import type { Cache, IndexExtractor, InformerScope } from './cache.ts';
import type { InformerSetEntry, InformerSetOptions } from './informer-set.ts';
import { InformerSet } from './informer-set.ts';
import type { Informer, InformerHandler, Subscription } from './informer.ts';
import { isRefusal } from '../response/refusal.ts';
import { InformerStoppedError } from '../store/informer-stopped-error.ts';
import { listFromStore } from './list-from-store.ts';
import { NamespaceNotCachedError } from './namespace-not-cached-error.ts';
import { objectNotFound } from './object-not-found.ts';
import { requiredNamespaces } from './required-namespaces.ts';
import { untilSynced } from './until-synced.ts';

export interface InformerCacheOptions extends InformerSetOptions {
  /** Default timeout of a read that must wait, in milliseconds. */
  readonly syncTimeout: number;
  /** Runs the wait of a read that must wait. */
  readonly observeWait: ReadWaitObserver;
}

/** Answers reads from informers. A read waits until its informer can answer it. */
export class InformerCache implements Cache {
  readonly #options: InformerCacheOptions;
  readonly #informers: InformerSet;

  constructor(options: InformerCacheOptions) {
    this.#options = options;
    this.#informers = new InformerSet(options);
  }

  async get<T extends KubernetesObject>(kind: Kind<T>, key: ObjectKey, options?: GetOptions): Promise<DeepReadonly<T>> {
    const object = await this.find(kind, key, options);
    if (object === undefined) throw objectNotFound(kind, key);
    return object;
  }

  async find<T extends KubernetesObject>(
    kind: Kind<T>,
    key: ObjectKey,
    options?: GetOptions,
  ): Promise<DeepReadonly<T> | undefined> {
    checkKey(kind, key);
    checkCallOptions('get', kind, options);
    checkScope(kind, key.namespace);
    this.#refuseOtherNamespace(kind, key.namespace);
    const requirement = { ...key, ...this.#versionOf(options) };
    return (await this.#current(kind, requirement, options)).store.get(key);
  }

  async list<T extends KubernetesObject>(
    kind: Kind<T>,
    options: ListOptions = {},
  ): Promise<DeepReadonly<KubernetesList<T>>> {
    checkCallOptions('list', kind, options);
    if (options.continue !== undefined) {
      throw new TypeError(
        `${this.#options.subject} does not support option "continue": remove it, or read from the API server`,
      );
    }
    if (options.shardSelector) {
      throw new TypeError(
        `${this.#options.subject} does not support option "shardSelector": read from the API server, or pass a Shard to the cache`,
      );
    }
    const { namespace, fieldSelector = '', resourceVersionMatch } = options;
    if (namespace) checkScope(kind, namespace);
    if (resourceVersionMatch === 'Exact') {
      throw new TypeError(
        `${this.#options.subject} cannot return an exact version: remove option "resourceVersionMatch", or read from the API server`,
      );
    }
    for (const place of [namespace, ...requiredNamespaces(fieldSelector)]) this.#refuseOtherNamespace(kind, place);
    const requirement = { ...(namespace && { namespace }), ...this.#versionOf(options) };
    return listFromStore(kind, await this.#current(kind, requirement, options), options);
  }

  async informer<T extends KubernetesObject>(kind: Kind<T>, scope?: InformerScope): Promise<Informer<T>> {
    checkInformerScope('informer', kind, scope);
    const entry = this.#informers.entry(kind, scope);
    entry.keep();
    return informerOf<T>(entry);
  }

  async subscribe<T extends KubernetesObject>(
    kind: Kind<T>,
    handler: InformerHandler<T>,
    scope?: InformerScope,
  ): Promise<Subscription<T>> {
    checkInformerScope('subscription', kind, scope);
    const entry = this.#informers.entry(kind, scope);
    // The entry was created for this kind, under the text of the kind.
    return entry.subscribe(handler) as unknown as Subscription<T>;
  }

  peek(
    kind: Pick<Kind<KubernetesObject>, 'apiVersion' | 'kind' | 'metadataOnly'>,
    key: ObjectKey,
    scope?: InformerScope,
  ): DeepReadonly<KubernetesObject>[] {
    const entries = scope
      ? this.#informers.ofScope(kind, scope)
      : [kind, partialMetadata(kind)].flatMap((of) => this.#informers.of(of));
    return entries.flatMap(({ informer }) => informer.store.get(key) ?? []);
  }

  stats(): KindCacheStats[] {
    return Array.from(this.#informers.stats(), ([kind, stats]) => ({
      kind,
      objects: stats.objects,
      decodedObjects: stats.kept,
      objectBytes: stats.alive - stats.compressed + stats.opened,
      compressedBytes: stats.compressed,
      memoryBytes: stats.held,
      decodes: stats.decodes,
      metadataDecodes: stats.metadataDecodes,
      decodeHits: stats.hits,
      openedBlocks: stats.opens,
      compactions: stats.compactions,
      movedBytes: stats.moved,
    }));
  }

  async indexField<T extends KubernetesObject>(kind: Kind<T>, name: string, extract: IndexExtractor<T>): Promise<void> {
    await this.#informers.addIndex(kind, name, extract);
  }

  expectWrite<T extends KubernetesObject>(kind: Kind<T>, object: DeepReadonly<T>): void {
    const { metadata } = object;
    for (const informer of this.#informers.ofReads(kind))
      if (this.#informers.receives(informer, kind, { key: metadata, metadata })) informer.expectWrite(object);
  }

  expectDeletion(kind: Kind<KubernetesObject>, key: ObjectKey): void {
    for (const informer of this.#informers.ofReads(kind)) informer.expectDeletion(key);
  }

  removeInformer(kind: Kind<KubernetesObject>): void {
    this.#informers.remove(kind);
  }

  async waitForSync(signal: AbortSignal): Promise<boolean> {
    const informers = this.#informers.all().map(({ informer }) => informer);
    try {
      await Promise.all(informers.map((informer) => informer.waitForSync(signal)));
      return true;
    } catch {
      return false;
    }
  }

  async run(signal: AbortSignal): Promise<void> {
    await this.#informers.run(signal);
  }

  /** Returns the informer for reads of a kind, when it can answer this read. */
  async #current<T extends KubernetesObject>(
    kind: Kind<T>,
    requirement: ReadRequirement,
    { signal, timeout = this.#options.syncTimeout }: CallOptions = {},
  ): Promise<CacheInformer<T>> {
    const entry = this.#informers.entry(kind);
    entry.read();
    const informer = informerOf<T>(entry);
    if (informer.hasSynced && informer.isCurrent(requirement)) return informer;
    await this.#options.observeWait(
      (observed) => this.#waitUntilCurrent(entry, kind, requirement, { signal: observed, timeout }),
      signal,
    );
    return informer;
  }

  /**
   * Waits for an informer.
   *
   * @throws {CacheNotSyncedError} after `timeout`. @throws {InformerStoppedError} if it stops. @throws the reason of
   * `signal` if it aborts, or the refusal of the server before the sync.
   */
  async #waitUntilCurrent(
    { informer, signal: stopped }: InformerSetEntry,
    kind: Kind<KubernetesObject>,
    requirement: ReadRequirement,
    { signal, timeout }: { readonly signal: AbortSignal | undefined; readonly timeout: number },
  ): Promise<void> {
    const isCurrent = informer.readBeginning(requirement);
    const deadline = new AbortController();
    const timer = this.#options.clock.schedule(timeout, () => deadline.abort());
    const current = async (): Promise<void> => {
      await untilSynced(informer, deadline.signal);
      await orAborted(untilProgress(informer, isCurrent, deadline.signal), stopped);
    };
    try {
      await (signal ? orAborted(current(), signal) : current());
    } catch (error) {
      if (signal?.aborted || isRefusal(error)) throw error;
      throw this.#notCurrent(kind, informer, deadline.signal.aborted ? timeout : undefined);
    } finally {
      timer.cancel();
      deadline.abort();
    }
  }

  #notCurrent(
    kind: Kind<KubernetesObject>,
    { lastError, hasSynced }: Pick<Informer<never>, 'lastError' | 'hasSynced'>,
    timeout: number | undefined,
  ): Error {
    const silence = hasSynced ? 'the server has not sent it yet' : 'the server has not responded yet';
    const why = lastError?.message ?? (this.#informers.hasRun ? silence : 'the cache is not running');
    const what = hasSynced ? `seen the version of ${kindText(kind)} that the read needs` : `synced ${kindText(kind)}`;
    const { subject } = this.#options;
    if (timeout === undefined) return new InformerStoppedError(`${subject} was stopped before it had ${what}`);
    return new CacheNotSyncedError(`${subject} has not ${what} within ${timeout} ms: ${why}`, {
      ...(lastError && { cause: lastError }),
    });
  }

  /**
   * Refuses reads outside the cached namespaces: an object that is not cached must not look like one that does not
   * exist.
   */
  #refuseOtherNamespace(kind: Kind<KubernetesObject>, namespace: string | undefined): void {
    if (!namespace) return;
    const held = this.#informers.scopesOf(kind).map((scope) => scope.namespace);
    if (held.includes(undefined) || held.includes(namespace)) return;
    throw new NamespaceNotCachedError(
      `${this.#options.subject} holds ${kindText(kind)} only in the namespaces ${held.join(', ')}, not in ${namespace}: ` +
        `add it to the cache's namespaces, or read from the API server`,
    );
  }

  #versionOf({ resourceVersion }: Pick<GetOptions, 'resourceVersion'> = {}): Pick<ReadRequirement, 'version'> {
    if (resourceVersion === undefined || resourceVersion === '0') return {};
    if (compareResourceVersions(resourceVersion, resourceVersion) !== undefined) return { version: resourceVersion };
    throw new TypeError(
      `${this.#options.subject} cannot compare resourceVersion ${JSON.stringify(resourceVersion)}: ` +
        `remove it, or read from the API server`,
    );
  }
}

/** Casts the informer of an entry: its type is that of the kind under whose text the entry is stored. */
function informerOf<T extends KubernetesObject>({ informer }: Pick<InformerSetEntry, 'informer'>): CacheInformer<T> {
  return informer as unknown as CacheInformer<T>;
}
