import type { Clock } from '../clock/clock.ts';
import type { DeepReadonly, KubernetesObject, ObjectKey } from '../kinds/object.ts';
import type { Logger } from '../log/logger.ts';
import type { ListSlots } from '../reflector/list-slots.ts';
import type { ListerWatcher } from '../reflector/lister-watcher.ts';
import type { Change, Emission } from '../reflector/reflector-state.ts';
import { Reflector } from '../reflector/reflector.ts';
import type { CacheInformer, ReadRequirement } from './cache-informer.ts';
import type { IndexExtractor } from './cache.ts';
import { workInTurns } from './event-loop-turn.ts';
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
  readonly #store = new Store<T>();
  /** The initial objects as far as they have arrived. They come into the store all at once. */
  #incoming: Store<T> | undefined;
  /** Never changed in place: whoever tells of a change tells those who were there at that moment. */
  #registrations: readonly HandlerRegistration<T>[] = [];
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
        this.#registrations = this.#registrations.filter((other) => other !== removed);
      },
    });
    if (this.#stopped) return registration;
    this.#registrations = [...this.#registrations, registration];
    // What is there can also be the first list, of which others are still being told.
    if (this.#hasSynced) void registration.catchUp(this.#store.list());
    return registration;
  }

  /** Resolves after the abort. From then on no handler is called, and who waits for the sync is told that it will not be. */
  async run(signal: AbortSignal): Promise<void> {
    const stop = (): void => {
      this.#stopped = true;
      for (const registration of this.#registrations) registration.remove();
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
        await workInTurns(emission.changes, (change) => {
          this.#apply(change);
          return !this.#stopped;
        });
        this.#progress(emission.version);
        return;
    }
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
    const registrations = this.#registrations;
    const tell = (notification: Notification<T>): void => notify(registrations, notification);
    await workInTurns(this.#store.values(), (object) => {
      const old = previous.get(object.metadata);
      if (!old) tell({ type: 'add', object, initial });
      else if (wentBack || !isSameVersion(old, object)) tellReplaced(old, object, tell);
      return !this.#stopped;
    });
    await workInTurns(previous.values(), (object) => {
      if (!this.#store.get(object.metadata)) tell({ type: 'delete', object, finalStateUnknown: true });
      return !this.#stopped;
    });
    if (initial) for (const registration of registrations) registration.markSynced();
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

  #apply(change: Change<T>): void {
    const tell = (notification: Notification<T>): void => notify(this.#registrations, notification);
    const object = readonly(change.object);
    if (change.type === 'DELETED') {
      if (this.#store.delete(object.metadata)) tell({ type: 'delete', object, finalStateUnknown: false });
      return;
    }
    const result = this.#store.put(object);
    if (result.type === 'added') tell({ type: 'add', object, initial: false });
    else if (result.type === 'replaced') tellReplaced(result.old, object, tell);
  }
}

function notify<T extends KubernetesObject>(
  registrations: readonly HandlerRegistration<T>[],
  notification: Notification<T>,
): void {
  for (const registration of registrations) registration.notify(notification);
}

/** From here on. Read-only for the type checker alone, which cannot relate a type parameter to its read-only form by itself. */
function readonly<T>(object: T): DeepReadonly<T> {
  return object as DeepReadonly<T>;
}

/** Another uid under the same name is another object: the deletion of the first was missed. */
function tellReplaced<T extends KubernetesObject>(
  old: DeepReadonly<T>,
  object: DeepReadonly<T>,
  tell: (notification: Notification<T>) => void,
): void {
  if (old.metadata.uid === object.metadata.uid) {
    tell({ type: 'update', old, object });
  } else {
    tell({ type: 'delete', object: old, finalStateUnknown: true });
    tell({ type: 'add', object, initial: false });
  }
}
