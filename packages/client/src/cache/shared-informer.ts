import type { Clock } from '../clock/clock.ts';
import { objectKeyText, type DeepReadonly, type KubernetesObject, type ObjectKey } from '../kinds/object.ts';
import type { Logger } from '../log/logger.ts';
import type { ListSlots } from '../reflector/list-slots.ts';
import type { ListerWatcher } from '../reflector/lister-watcher.ts';
import type { Change, Emission } from '../reflector/reflector-state.ts';
import { Reflector } from '../reflector/reflector.ts';
import type { CacheInformer, ReadRequirement } from './cache-informer.ts';
import type { IndexExtractor } from './cache.ts';
import { Compaction } from './compaction.ts';
import { workInTurns } from '../clock/event-loop-turn.ts';
import type { InformerPosition } from './expected-writes.ts';
import { ExpectedWrites, isAtLeast } from './expected-writes.ts';
import { HandlerRegistration } from './handler-registration.ts';
import type { InformerHandler, ReadonlyStore, Registration } from './informer.ts';
import type { Notification } from './notification.ts';
import { orAborted } from '../clock/or-aborted.ts';
import { isSameVersion, Store } from './store.ts';

export interface SharedInformerOptions<T extends KubernetesObject> {
  readonly listerWatcher: ListerWatcher<T>;
  readonly listSlots: ListSlots;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Numbers in [0, 1), for jitter. */
  readonly random: () => number;
}

/** An informer of one list and watch. (Upstream: client-go's `SharedIndexInformer`.) */
export class SharedInformer<T extends KubernetesObject> implements CacheInformer<T> {
  readonly #reflector: Reflector<T>;
  readonly #logger: Logger;
  readonly #store = new Store<T>((...failure) => this.#logIndexFailure(...failure));
  readonly #compaction = new Compaction(this.#store);
  /** Indexes whose function has failed. Each is logged as a warning once. */
  readonly #failedIndexes = new Set<string>();
  /** The initial objects as far as they have arrived. They come into the store all at once. */
  #incoming: Store<T> | undefined;
  readonly #handlers = new Set<HandlerRegistration<T>>();
  /** {@link #handlers} as they are, until one comes or goes. */
  #snapshot: readonly HandlerRegistration<T>[] | undefined;
  readonly #synced = Promise.withResolvers<void>();
  #hasSynced = false;
  #version: string | undefined;
  readonly #expected = new ExpectedWrites();
  readonly #progressListeners = new Set<() => void>();
  #stopped = false;

  constructor({ listerWatcher, listSlots, clock, logger, random }: SharedInformerOptions<T>) {
    this.#logger = logger;
    this.#reflector = new Reflector({
      listerWatcher,
      listSlots,
      clock,
      logger,
      random,
      sink: (emission) => this.#accept(emission),
    });
    // Whoever waits is told; that nobody waits is no failure.
    this.#synced.promise.catch(() => undefined);
  }

  get store(): ReadonlyStore<T> {
    return this.#store;
  }

  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  get lastSyncedResourceVersion(): string | undefined {
    return this.#version;
  }

  get lastError(): Error | undefined {
    return this.#reflector.lastError;
  }

  staleFor(): number {
    return this.#reflector.staleFor();
  }

  waitForSync(signal: AbortSignal): Promise<void> {
    return orAborted(this.#synced.promise, signal);
  }

  addIndex(name: string, extract: IndexExtractor<T>): void {
    this.#store.addIndex(name, extract);
  }

  expectWrite(object: DeepReadonly<T>): void {
    this.#expected.written(object);
    this.#expected.settle(this.#position);
  }

  expectDeletion(key: ObjectKey): void {
    this.#expected.deleted(key, this.#position);
    this.#expected.settle(this.#position);
  }

  isCurrent({ version, ...target }: ReadRequirement): boolean {
    if (this.#expected.concern(target)) return false;
    if (version === undefined || isAtLeast(this.#version, version)) return true;
    const { namespace, name } = target;
    const held = name === undefined ? undefined : this.#store.get({ ...(namespace && { namespace }), name });
    return held !== undefined && isAtLeast(held.metadata.resourceVersion, version);
  }

  onProgress(listener: () => void): () => void {
    this.#progressListeners.add(listener);
    return () => this.#progressListeners.delete(listener);
  }

  addHandler(handler: InformerHandler<T>): Registration {
    const registration = new HandlerRegistration({
      handler,
      logger: this.#logger,
      onRemove: (removed) => {
        this.#handlers.delete(removed);
        this.#snapshot = undefined;
      },
    });
    if (this.#stopped) return registration;
    this.#handlers.add(registration);
    this.#snapshot = undefined;
    // What is there can also be the first list, of which others are still being told.
    if (this.#hasSynced) void registration.catchUp(this.#store.list());
    return registration;
  }

  /** Resolves after the abort. From then on no handler is called, and who waits for the sync is told that it will not be. */
  async run(signal: AbortSignal): Promise<void> {
    const stop = (): void => {
      this.#stopped = true;
      this.#compaction.stop();
      for (const registration of this.#handlers) registration.remove();
      this.#synced.reject(new Error('the informer was stopped before it had synced'));
    };
    signal.addEventListener('abort', stop, { once: true });
    try {
      await this.#reflector.run(signal);
    } finally {
      signal.removeEventListener('abort', stop);
      stop();
    }
  }

  async #accept(emission: Emission<T>): Promise<void> {
    if (this.#stopped) return;
    switch (emission.type) {
      case 'init':
        this.#incoming = undefined;
        return;
      case 'init-objects':
        return this.#collect(emission.objects);
      case 'init-deleted':
        for (const { metadata } of emission.objects) this.#incoming?.delete(metadata);
        return;
      case 'init-done':
        return this.#replace(emission);
      case 'changes':
        await this.#tell(this.#applied(emission.changes));
        this.#progress(emission.version);
        this.#compaction.came(emission.changes.length);
        return;
    }
  }

  /** Whoever tells of a change tells those who are there at that moment, also when others come and go meanwhile. */
  #registrations(): readonly HandlerRegistration<T>[] {
    return (this.#snapshot ??= [...this.#handlers]);
  }

  async #collect(objects: readonly T[]): Promise<void> {
    const incoming = (this.#incoming ??= this.#store.emptyCopy());
    await workInTurns(objects, (object) => {
      incoming.put(readonly(object));
      return !this.#stopped;
    });
  }

  /** Puts the initial objects in place, and tells how they differ from what was there. */
  async #replace({ version, wentBack }: Extract<Emission<T>, { type: 'init-done' }>): Promise<void> {
    const previous = this.#incoming ?? this.#store.emptyCopy();
    this.#incoming = undefined;
    this.#store.swap(previous);
    if (wentBack) this.#expected.clear();

    const initial = !this.#hasSynced;
    this.#hasSynced = true;
    this.#synced.resolve();
    this.#progress(version);
    // A handler that is added from now on is given the new objects by catching up.
    const registrations = this.#registrations();
    await this.#tell(this.#differences(previous, { initial, wentBack }), registrations);
    if (initial) for (const registration of registrations) registration.markSynced();
    this.#compaction.came(this.#store.size);
  }

  #logIndexFailure(index: string, { metadata }: DeepReadonly<KubernetesObject>, error: unknown): void {
    const fields = { index, object: objectKeyText(metadata), error };
    if (this.#failedIndexes.has(index)) this.#logger.debug('index function failed again', fields);
    else this.#logger.warn('index function failed, leaving the object out of the index', fields);
    this.#failedIndexes.add(index);
  }

  #progress(version: string): void {
    this.#version = version;
    this.#expected.settle(this.#position);
    for (const listener of this.#progressListeners) listener();
  }

  get #position(): InformerPosition {
    // What is expected is looked up by key alone, whatever the objects are.
    return { store: this.#store, version: this.#version };
  }

  /** Tells every handler of each change. The next one is made when all know of the one before. */
  async #tell(
    changes: Iterable<readonly Notification<T>[]>,
    registrations?: readonly HandlerRegistration<T>[],
  ): Promise<void> {
    await workInTurns(this.#calls(changes, registrations), () => !this.#stopped);
  }

  /** One step for each change, and for each call of a handler. */
  *#calls(
    changes: Iterable<readonly Notification<T>[]>,
    registrations?: readonly HandlerRegistration<T>[],
  ): Generator<void, void, undefined> {
    for (const notifications of changes) {
      const told = registrations ?? this.#registrations();
      for (const notification of notifications) {
        for (const registration of told) {
          registration.notify(notification);
          yield;
        }
      }
      yield;
    }
  }

  /** Puts the changes into the store, one by one. */
  *#applied(changes: readonly Change<T>[]): Generator<readonly Notification<T>[], void, undefined> {
    for (const { type, object: received } of changes) {
      const object = readonly(received);
      if (type === 'DELETED') {
        const wasThere = this.#store.delete(object.metadata) !== undefined;
        yield wasThere ? [{ type: 'delete', object, finalStateUnknown: false }] : [];
        continue;
      }
      const result = this.#store.put(object);
      if (result.type === 'added') yield [{ type: 'add', object, initial: false }];
      else yield result.type === 'replaced' ? replacement(result.old, object) : [];
    }
  }

  /** How the store differs from what was there before. */
  *#differences(
    previous: Store<T>,
    { initial, wentBack }: { readonly initial: boolean; readonly wentBack: boolean },
  ): Generator<readonly Notification<T>[], void, undefined> {
    for (const object of this.#store.values()) {
      const old = previous.get(object.metadata);
      if (!old) yield [{ type: 'add', object, initial }];
      else yield wentBack || !isSameVersion(old, object) ? replacement(old, object) : [];
    }
    for (const object of previous.values()) {
      const isThere = this.#store.get(object.metadata) !== undefined;
      yield isThere ? [] : [{ type: 'delete', object, finalStateUnknown: true }];
    }
  }
}

/** From here on. Read-only for the type checker alone, which cannot relate a type parameter to its read-only form by itself. */
function readonly<T>(object: T): DeepReadonly<T> {
  return object as DeepReadonly<T>;
}

/** Another uid under the same name is another object: the deletion of the first was missed. */
function replacement<T extends KubernetesObject>(
  old: DeepReadonly<T>,
  object: DeepReadonly<T>,
): readonly Notification<T>[] {
  if (old.metadata.uid === object.metadata.uid) return [{ type: 'update', old, object }];
  return [
    { type: 'delete', object: old, finalStateUnknown: true },
    { type: 'add', object, initial: false },
  ];
}
