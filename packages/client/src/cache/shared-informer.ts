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
import { added, deleted, updated, type Notification } from './notification.ts';
import { orAborted } from '../clock/or-aborted.ts';
import { isSameVersion, Store } from './store.ts';

export interface SharedInformerOptions<T extends KubernetesObject> {
  readonly listerWatcher: ListerWatcher<T>;
  readonly listSlots: ListSlots;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Returns numbers in [0, 1), for jitter. */
  readonly random: () => number;
}

/** An informer of one list and watch. (Upstream: client-go's `SharedIndexInformer`.) */
export class SharedInformer<T extends KubernetesObject> implements CacheInformer<T> {
  readonly #reflector: Reflector<T>;
  readonly #logger: Logger;
  readonly #store = new Store<T>((...failure) => this.#logIndexFailure(...failure));
  readonly #compaction = new Compaction(this.#store);
  /** Indexes whose function has failed. Each one is logged as a warning once. */
  readonly #failedIndexes = new Set<string>();
  /** The initial objects received so far. They enter the store together. */
  #incoming: Store<T> | undefined;
  readonly #handlers = new Set<HandlerRegistration<T>>();
  /** A copy of {@link #handlers}, until one is added or removed. */
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
    // Waiting callers get the rejection; without any, it must not end the process.
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
    if (this.#expected.concerns(target)) return false;
    if (version === undefined || isAtLeast(this.#version, version)) return true;
    const { namespace, name } = target;
    return (
      name !== undefined && isAtLeast(this.#store.resourceVersionOf({ ...(namespace && { namespace }), name }), version)
    );
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
    // The existing objects may be the first list, while other handlers are still being notified of it.
    if (this.#hasSynced) void registration.catchUp(this.#store.events());
    return registration;
  }

  /** Resolves after the abort. Then no handler is called again, and {@link waitForSync} rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const stop = (): void => {
      this.#stopped = true;
      this.#compaction.stop();
      for (const registration of this.#handlers) registration.remove();
      this.#synced.reject(new Error('the informer was stopped before it synced'));
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
        await this.#notify(this.#applied(emission.changes));
        this.#progress(emission.version);
        this.#compaction.added(emission.changes.length);
        return;
    }
  }

  /** Returns a snapshot of the handlers. Handlers added or removed during a notification do not affect it. */
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

  /** Replaces the objects in the store with the initial objects, and notifies handlers of the differences. */
  async #replace({ version, wentBack }: Extract<Emission<T>, { type: 'init-done' }>): Promise<void> {
    const previous = this.#incoming ?? this.#store.emptyCopy();
    this.#incoming = undefined;
    this.#store.swap(previous);
    if (wentBack) this.#expected.clear();

    const initial = !this.#hasSynced;
    this.#hasSynced = true;
    this.#synced.resolve();
    this.#progress(version);
    // A handler that is added later catches up with the new objects.
    const registrations = this.#registrations();
    await this.#notify(this.#differences(previous, { initial, wentBack }), registrations);
    if (initial) for (const registration of registrations) registration.markSynced();
    this.#compaction.added(this.#store.size);
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
    // Expected writes are looked up by key only, whatever the type of the objects.
    return { store: this.#store, version: this.#version };
  }

  /** Notifies every handler of each change. The next change is applied after all handlers know the previous one. */
  async #notify(
    changes: Iterable<readonly Notification<T>[]>,
    registrations?: readonly HandlerRegistration<T>[],
  ): Promise<void> {
    await workInTurns(this.#calls(changes, registrations), () => !this.#stopped);
  }

  /** One step for each change and for each call of a handler. */
  *#calls(
    changes: Iterable<readonly Notification<T>[]>,
    registrations?: readonly HandlerRegistration<T>[],
  ): Generator<void, void, undefined> {
    for (const notifications of changes) {
      const receivers = registrations ?? this.#registrations();
      for (const notification of notifications) {
        for (const registration of receivers) {
          registration.notify(notification);
          yield;
        }
      }
      yield;
    }
  }

  /** Applies the changes to the store, one by one. */
  *#applied(changes: readonly Change<T>[]): Generator<readonly Notification<T>[], void, undefined> {
    for (const { type, object: received } of changes) {
      const object = readonly(received);
      if (type === 'DELETED') {
        const existed = this.#store.delete(object.metadata) !== undefined;
        yield existed ? [deleted(object, { finalStateUnknown: false })] : [];
        continue;
      }
      const result = this.#store.put(object);
      if (result.type === 'added') yield [added(object, { initial: false })];
      else yield result.type === 'replaced' ? replacement(result.old, object) : [];
    }
  }

  /** Compares the store with the previous objects. */
  *#differences(
    previous: Store<T>,
    { initial, wentBack }: { readonly initial: boolean; readonly wentBack: boolean },
  ): Generator<readonly Notification<T>[], void, undefined> {
    for (const object of this.#store.values()) {
      const old = previous.get(object.metadata);
      if (!old) yield [added(object, { initial })];
      else yield wentBack || !isSameVersion(old, object) ? replacement(old, object) : [];
    }
    for (const object of previous.values()) {
      const exists = this.#store.get(object.metadata) !== undefined;
      yield exists ? [] : [deleted(object, { finalStateUnknown: true })];
    }
  }
}

/** Casts to the read-only type, because the compiler cannot relate a type parameter to its read-only form. */
function readonly<T>(object: T): DeepReadonly<T> {
  return object as DeepReadonly<T>;
}

/**
 * Returns the notifications for a replaced object. Another uid is another object: the deletion of the first one was
 * missed.
 */
function replacement<T extends KubernetesObject>(
  old: DeepReadonly<T>,
  object: DeepReadonly<T>,
): readonly Notification<T>[] {
  if (old.metadata.uid === object.metadata.uid) return [updated(old, object)];
  return [deleted(old, { finalStateUnknown: true }), added(object, { initial: false })];
}
