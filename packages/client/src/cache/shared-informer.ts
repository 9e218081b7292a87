import type { Clock } from '../clock/clock.ts';
import {
  objectKeyText,
  type DeepReadonly,
  type KubernetesObject,
  type ObjectKey,
  type ObjectMeta,
} from '../kinds/object.ts';
import { guardedLogger } from '../log/guarded-logger.ts';
import type { Logger } from '../log/logger.ts';
import type { ListSlots } from '../reflector/list-slots.ts';
import type { ListerWatcher } from '../reflector/lister-watcher.ts';
import { ENVELOPE, ENVELOPE_SIZE, PACKED_TYPE, type PackedBatch } from '../packed/packed-batch.ts';
import { versionAt } from '../reflector/ascending-versions.ts';
import type { Emission } from '../reflector/reflector-state.ts';
import { Reflector } from '../reflector/reflector.ts';
import type { CacheInformer, CacheStore, ReadRequirement } from './cache-informer.ts';
import type { IndexExtractor } from './cache.ts';
import { checkHandler } from './check-handler.ts';
import { workInTurns } from '../clock/event-loop-turn.ts';
import { Delivery, type Changes } from './delivery.ts';
import { ExpectedChanges, isAtLeast, type InformerPosition } from './expected-changes.ts';
import { HandlerRegistration } from './handler-registration.ts';
import type { InformerHandler, Registration } from './informer.ts';
import { orAborted } from '../clock/or-aborted.ts';
import { shortened } from '../text/shortened.ts';
import { InformerStoppedError } from '../store/informer-stopped-error.ts';
import type { Shard } from '../shards/shard.ts';
import type { PackedEvent } from '../store/packed-event.ts';
import { PackedStore, type PackedStoreOptions } from '../store/packed-store.ts';
import type { PackedStoreStats } from '../store/store-stats.ts';

export interface SharedInformerOptions<T extends KubernetesObject> {
  readonly listerWatcher: ListerWatcher;
  /** Options of the store. */
  readonly store: Omit<PackedStoreOptions<T>, 'onIndexFailure'>;
  /** The part of the objects to hold. Default: all objects. */
  readonly shard?: Shard | undefined;
  readonly listSlots: ListSlots;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Returns numbers in [0, 1), for jitter. */
  readonly random: () => number;
  /** Called for each event before the handlers, but not for those that a restored server causes. Default: nothing is called. */
  readonly onEvent?: (event: PackedEvent<T>) => void;
}

/** An informer of one list and watch. (Upstream: client-go's `SharedIndexInformer`.) */
export class SharedInformer<T extends KubernetesObject> implements CacheInformer<T> {
  readonly #reflector: Reflector;
  readonly #shard: Shard | undefined;
  readonly #logger: Logger;
  readonly #store: PackedStore<T>;
  /** Indexes whose function has failed. Each one is logged as a warning once. */
  readonly #failedIndexes = new Set<string>();
  /** Whether initial objects wait in the store. They become visible together. */
  #isReplacing = false;
  readonly #handlers = new Set<HandlerRegistration<T>>();
  /** A copy of {@link #handlers}, until one is added or removed. */
  #snapshot: readonly HandlerRegistration<T>[] | undefined;
  readonly #synced = Promise.withResolvers<void>();
  #hasSynced = false;
  #version: string | undefined;
  /** The change of a batch that the store received last, while handlers are notified of the batch. */
  #change: { readonly batch: PackedBatch; index: number } | undefined;
  readonly #expected = new ExpectedChanges();
  readonly #onEvent: ((event: PackedEvent<T>) => void) | undefined;
  readonly #progressListeners = new Set<() => void>();
  #stopped = false;

  constructor({ listerWatcher, store, shard, listSlots, clock, logger, random, onEvent }: SharedInformerOptions<T>) {
    this.#shard = shard;
    this.#logger = guardedLogger(logger);
    this.#onEvent = onEvent;
    this.#store = new PackedStore({ ...store, onIndexFailure: (...failure) => this.#logIndexFailure(...failure) });
    this.#reflector = new Reflector({
      listerWatcher,
      shard: shard?.selection,
      listSlots,
      clock,
      logger: this.#logger,
      onRefusal: () => this.#refused(),
      random,
      sink: (emission) => this.#accept(emission),
    });
    // Waiting callers get the rejection; without any, it must not end the process.
    this.#synced.promise.catch(() => undefined);
  }

  get store(): CacheStore<T> {
    return this.#store;
  }

  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  get lastSyncedResourceVersion(): string | undefined {
    // Decoded when it is read, because few handlers read it.
    return this.#change ? versionAt(this.#change.batch, this.#change.index) || this.#version : this.#version;
  }

  get lastError(): Error | undefined {
    return this.#stopped ? new InformerStoppedError() : this.#reflector.lastError;
  }

  get refusal(): Error | undefined {
    return this.#reflector.refusal;
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

  get indexed(): Promise<unknown> {
    return this.#store.indexed;
  }

  expectWrite(object: DeepReadonly<T>): void {
    if (!this.#stopped && !this.#isElsewhere(object)) this.#expected.written(object, this.#position);
  }

  expectDeletion(key: ObjectKey): void {
    if (!this.#stopped) this.#expected.deleted(key, this.#position);
  }

  expectEvent(event: PackedEvent<KubernetesObject>): void {
    if (this.#stopped || this.#isElsewhere(event)) return;
    const { key, packed } = event;
    const isMissed = event.type === 'delete' && event.finalStateUnknown;
    this.#expected.delivered(packed.resourceVersion, this.#position);
    if (isMissed) this.#expected.removed(key, packed.resourceVersion, this.#position);
  }

  isCurrent(requirement: ReadRequirement): boolean {
    return !this.#expected.concerns(requirement) && this.#hasVersion(requirement);
  }

  readBeginning(requirement: ReadRequirement): () => boolean {
    const hasArrived = this.#expected.arrival(requirement);
    return () => hasArrived(this.#position) && this.#hasVersion(requirement);
  }

  onProgress(listener: () => void): () => void {
    this.#progressListeners.add(listener);
    return () => this.#progressListeners.delete(listener);
  }

  stats(): PackedStoreStats {
    return this.#store.stats();
  }

  addHandler(handler: InformerHandler<T>): Registration {
    checkHandler(handler);
    if (this.#stopped) throw new InformerStoppedError();
    const registration = new HandlerRegistration({
      handler,
      logger: this.#logger,
      onRemove: (removed) => {
        this.#handlers.delete(removed);
        this.#snapshot = undefined;
      },
    });
    this.#handlers.add(registration);
    this.#snapshot = undefined;
    // The existing objects may be the first list, while other handlers are still being notified of it.
    if (this.#hasSynced) void registration.catchUp(this.#store.events());
    return registration;
  }

  /**
   * Resolves after the abort. Then no handler is called again, {@link waitForSync} rejects, and reads of the store throw.
   */
  async run(signal: AbortSignal): Promise<void> {
    const stop = (): void => {
      this.#stopped = true;
      for (const registration of this.#handlers) registration.remove();
      this.#synced.reject(new InformerStoppedError('the informer was stopped before it synced'));
    };
    signal.addEventListener('abort', stop, { once: true });
    const stopResharding = this.#followShard();
    try {
      await this.#reflector.run(signal);
    } finally {
      stopResharding();
      signal.removeEventListener('abort', stop);
      stop();
      this.#store.dispose();
    }
  }

  /** Follows the ranges of the shard, which may have changed before the start. */
  #followShard(): () => void {
    const shard = this.#shard;
    if (!shard) return () => undefined;
    if (shard.selection !== this.#reflector.shard) this.#reflector.reshard(shard.selection);
    return shard.onChange(() => this.#reflector.reshard(shard.selection));
  }

  /** Reports whether an object is outside of the shard, so that no event of it will come. */
  #isElsewhere(object: { readonly metadata: DeepReadonly<ObjectMeta> }): boolean {
    if (!this.#shard) return false;
    const { metadata } = object;
    return !this.#shard.has(metadata) && this.#store.resourceVersionOf(metadata) === undefined;
  }

  /** Reports whether the store, or the object of a read, has the required version. */
  #hasVersion({ version, namespace, name }: ReadRequirement): boolean {
    if (version === undefined || isAtLeast(this.lastSyncedResourceVersion, version)) return true;
    return (
      name !== undefined && isAtLeast(this.#store.resourceVersionOf({ ...(namespace && { namespace }), name }), version)
    );
  }

  async #accept(emission: Emission): Promise<void> {
    if (this.#stopped) return;
    switch (emission.type) {
      case 'init':
        return this.#beginReplace();
      case 'init-objects':
        await this.#collect(emission.batch);
        emission.batch.release?.();
        return;
      case 'init-done':
        return this.#replace(emission);
      case 'changes':
        await this.#apply(emission.batch);
        emission.batch.release?.();
        this.#progress(emission.version);
        return;
      case 'progress':
        this.#progress(emission.version);
        this.#forgetUntrue();
        return;
    }
  }

  /** Returns a snapshot of the handlers. Handlers added or removed during a notification do not affect it. */
  #registrations(): readonly HandlerRegistration<T>[] {
    return (this.#snapshot ??= [...this.#handlers]);
  }

  async #beginReplace(): Promise<void> {
    this.#store.beginReplace();
    this.#isReplacing = true;
    await workInTurns(this.#store.discardUnfinished(), () => !this.#stopped);
  }

  async #collect(batch: PackedBatch): Promise<void> {
    if (!this.#isReplacing) await this.#beginReplace();
    await workInTurns(indexesOf(batch), (index) => {
      const type = batch.envelopes[index * ENVELOPE_SIZE + ENVELOPE.type];
      if (type === PACKED_TYPE.DELETED) this.#store.unstage(batch, index);
      else this.#store.stage(batch, index);
      return !this.#stopped;
    });
  }

  /** Applies changes to the store one by one, and notifies handlers of each. */
  #apply(batch: PackedBatch): Promise<void> {
    const change = { batch, index: -1 };
    return this.#deliver({
      next: () => {
        if (change.index + 1 >= batch.length) return undefined;
        const events = this.#store.apply(batch, change.index + 1);
        change.index += 1;
        this.#change = change;
        return this.#announced(events);
      },
      receivers: () => this.#registrations(),
    });
  }

  /** Replaces the objects in the store with the initial objects, and notifies handlers of the differences. */
  async #replace({ version, wentBack }: Extract<Emission, { type: 'init-done' }>): Promise<void> {
    if (!this.#isReplacing) await this.#beginReplace();
    this.#store.commitReplace();
    this.#isReplacing = false;
    if (wentBack) this.#expected.clear();

    const initial = !this.#hasSynced;
    this.#hasSynced = true;
    this.#synced.resolve();
    this.#progress(version);
    // A handler that is added later catches up with the new objects.
    const registrations = this.#registrations();
    const differences = this.#store.differences({ initial, wentBack, shard: this.#reflector.shard });
    const next = (): readonly PackedEvent<T>[] | undefined => {
      const events = differences.next().value ?? undefined;
      return events && !wentBack ? this.#announced(events) : events;
    };
    await this.#deliver({ next, receivers: () => registrations });
    if (initial) for (const registration of registrations) registration.endInitial();
  }

  /** Forgets what the server should have sent by now, so that reads do not wait for it forever. */
  #forgetUntrue(): void {
    const versions = this.#expected.bookmark();
    if (versions.length === 0) return;
    this.#logger.warn('the server has not sent versions that it announced, reading without them', {
      versions: shortened(versions.join(', ')),
    });
    this.#notifyProgress();
  }

  /** Calls `onEvent` for events that handlers are about to receive. */
  #announced(events: readonly PackedEvent<T>[]): readonly PackedEvent<T>[] {
    if (this.#onEvent) for (const event of events) this.#onEvent(event);
    return events;
  }

  #logIndexFailure(index: string, { metadata }: DeepReadonly<KubernetesObject>, error: unknown): void {
    const fields = { index, object: objectKeyText(metadata), error };
    if (this.#failedIndexes.has(index)) this.#logger.debug('index function failed again', fields);
    else this.#logger.warn('index function failed, leaving the object out of the index', fields);
    this.#failedIndexes.add(index);
  }

  #progress(version: string): void {
    this.#version = version;
    this.#change = undefined;
    this.#expected.settle(this.#position);
    this.#notifyProgress();
  }

  #refused(): void {
    // The next list begins after all changes so far. If it is refused for long, they would take memory.
    if (!this.#hasSynced) this.#expected.clear();
    this.#notifyProgress();
  }

  #notifyProgress(): void {
    for (const listener of this.#progressListeners) listener();
  }

  get #position(): InformerPosition {
    // Expected writes are looked up by key only, whatever the type of the objects.
    return { store: this.#store, version: this.#version };
  }

  #deliver(changes: Changes<T>): Promise<void> {
    return workInTurns(new Delivery(changes), () => !this.#stopped);
  }
}

function* indexesOf({ length }: PackedBatch): Generator<number, void, undefined> {
  for (let index = 0; index < length; index += 1) yield index;
}
