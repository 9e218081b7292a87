import type { Kind } from '../kinds/kind.ts';
import type { DeepReadonly, KubernetesObject, ObjectKey } from '../kinds/object.ts';
import type { FieldCut } from '../packed/field-cut.ts';
import { ENVELOPE, ENVELOPE_SIZE, PACKED_TYPE, type PackedBatch } from '../packed/packed-batch.ts';
import { checkNamespace } from './check-namespace.ts';
import { ENTRY, entryText, isDeletingEntry } from './entry.ts';
import type { IndexExtractor } from './index-extractor.ts';
import type { IndexFailureHandler } from './object-indexes.ts';
import { InformerStoppedError } from './informer-stopped-error.ts';
import { PackedAddEvent, PackedDeleteEvent, PackedUpdateEvent, type PackedEvent } from './packed-event.ts';
import type { PackedObject } from './packed-object.ts';
import { zstdCodec, type BlockCodec } from './block-codec.ts';
import { Relist, type DifferencesOptions } from './relist.ts';
import { hasSameUid, hasSameVersion } from './same-version.ts';
import type { Selected, StoreQuery } from './selection.ts';
import { slabPool, type SlabPool } from './slab-pool.ts';
import { storedFields, type StoredFields } from './stored-fields.ts';
import type { PackedStoreStats } from './store-stats.ts';
import { StoredObjects } from './stored-objects.ts';

/** Options of {@link PackedStore}. */
export interface PackedStoreOptions<T extends KubernetesObject> {
  readonly kind: Kind<T>;
  /** Whether to freeze the objects that are read. */
  readonly freeze: boolean;
  /** Fields that are not stored. Default: none. */
  readonly cut?: FieldCut | undefined;
  /** Removes `metadata.managedFields`. Default: true. */
  readonly dropManagedFields?: boolean;
  /** `all` keeps every object that was decoded, whatever the budget of the process. Default: `recent`. */
  readonly decoded?: 'all' | 'recent';
  /** Compresses the objects. Where Node.js has no zstd, they stay plain. Default: false. */
  readonly compress?: boolean;
  /** Called when an index function throws. The object is omitted from that index only. */
  readonly onIndexFailure?: IndexFailureHandler;
  /** Default: the pool of the process. */
  readonly slabs?: SlabPool;
  /** Compresses if `compress` is set. Default: zstd. */
  readonly codec?: BlockCodec | undefined;
}

const NOTHING: readonly never[] = [];
/**
 * Holds objects by namespace and name as the JSON text that the API server sent, and decodes them when they are read.
 * An object that has not been read needs no JavaScript object.
 */
export class PackedStore<T extends KubernetesObject> {
  readonly #objects: StoredObjects<T>;
  readonly #relist: Relist<T>;
  readonly #cutsOf: StoredFields;
  #size = 0;
  #isDisposed = false;

  constructor({
    kind,
    freeze,
    cut,
    dropManagedFields = true,
    decoded = 'recent',
    compress = false,
    slabs = slabPool,
    codec = zstdCodec,
    onIndexFailure = () => undefined,
  }: PackedStoreOptions<T>) {
    const options = { kind, freeze, slabs, decoded, onIndexFailure };
    this.#objects = new StoredObjects({ ...options, codec: compress ? codec : undefined });
    this.#cutsOf = storedFields({ cut, dropManagedFields });
    this.#relist = new Relist(this.#objects);
  }

  /** Number of objects; 0 after {@link dispose}. */
  get size(): number {
    return this.#size;
  }

  /** Returns the number of objects in one namespace, or in all; 0 after {@link dispose}. */
  count(namespace?: string): number {
    checkNamespace('count', namespace);
    if (namespace === undefined) return this.#size;
    const { records, namespaces } = this.#objects.table;
    if (records.size === this.#size) return namespaces.countOf(namespaces.numberOf(namespace));
    // A relist is going on.
    let count = 0;
    for (const _ of this.#objects.visibleRecords(namespace)) count += 1;
    return count;
  }

  /**
   * Iterates over the keys of one namespace, or of all, without decoding the objects: those that exist at each moment of
   * the iteration.
   */
  keys(namespace?: string): Generator<ObjectKey, void, undefined> {
    checkNamespace('keys', namespace);
    this.#refuseIfDisposed();
    return this.#keys(this.#objects.visibleRecords(namespace));
  }

  get(key: ObjectKey): DeepReadonly<T> | undefined {
    this.#refuseIfDisposed();
    const record = this.#objects.find(key);
    return record < 0 ? undefined : this.#objects.read(record);
  }

  /** Like {@link get}, but decodes the object when it is read. */
  lazy(key: ObjectKey): PackedObject<T> | undefined {
    this.#refuseIfDisposed();
    const record = this.#objects.find(key);
    return record < 0 ? undefined : this.#objects.pack(record);
  }

  /** Returns the objects of one namespace, or of all. Decodes all of them. */
  list(namespace?: string): DeepReadonly<T>[] {
    checkNamespace('list', namespace);
    this.#refuseIfDisposed();
    if (namespace === undefined) return this.#objects.list();
    return Array.from(this.#objects.visibleRecords(namespace), (record) =>
      this.#objects.read(record, 'if there is room'),
    );
  }

  /**
   * Iterates over the objects that a query selects, as they are now, also if the caller takes several turns of the event
   * loop. Decodes only the objects that it yields.
   *
   * @throws {TypeError} if an index does not exist.
   */
  select(query: StoreQuery): Iterable<Selected<T>> {
    this.#refuseIfDisposed();
    return this.#objects.select(query);
  }

  /** Returns the objects with a value in an index. @throws {TypeError} if the index does not exist. */
  byIndex(name: string, value: string): DeepReadonly<T>[] {
    this.#refuseIfDisposed();
    const objects: DeepReadonly<T>[] = [];
    for (const record of this.#objects.indexes.records(name, value)) {
      if (this.#objects.isVisible(record)) objects.push(this.#objects.read(record, 'if there is room'));
    }
    return objects;
  }

  /**
   * Adds an index over existing and future objects. If an index with this name exists, does nothing. The index is built
   * in turns of the event loop; a lookup before {@link indexed} resolves completes it at once.
   */
  addIndex(name: string, extract: IndexExtractor<T>): void {
    this.#objects.indexes.create(name, extract);
  }

  /** Resolves when the indexes that have been added are complete. */
  get indexed(): Promise<unknown> {
    return this.#objects.indexes.built;
  }

  /** Returns the version of an object without decoding it; `undefined` if it does not exist. */
  resourceVersionOf(key: ObjectKey): string | undefined {
    this.#refuseIfDisposed();
    const { table } = this.#objects;
    const record = this.#objects.find(key);
    return record < 0 ? undefined : entryText(table.slabOf(record), table.entryOf(record), ENTRY.resourceVersion);
  }

  /** Reports whether the store has the object, marked for deletion, without decoding it. */
  isDeleting(key: ObjectKey): boolean {
    this.#refuseIfDisposed();
    const { table } = this.#objects;
    const record = this.#objects.find(key);
    return record >= 0 && isDeletingEntry(table.slabOf(record), table.entryOf(record));
  }

  /**
   * Applies a watch event.
   *
   * @returns the changes: none if the store has this version of the object, and two events if another object with
   * the same name was replaced.
   */
  apply(batch: PackedBatch, index: number): readonly PackedEvent<T>[] {
    const { table, compaction } = this.#objects;
    compaction.noteWrite();
    table.aimAt(batch, index);
    const record = this.#objects.visible();
    if (batch.envelopes[index * ENVELOPE_SIZE + ENVELOPE.type] === PACKED_TYPE.DELETED) {
      if (record < 0) return NOTHING;
      const last = this.#packUnstored(batch, index);
      this.#objects.remove(record);
      this.#size -= 1;
      return [new PackedDeleteEvent(last, { finalStateUnknown: false })];
    }
    if (record < 0) {
      const slab = table.write(batch, index, this.#cutsOf(batch, index));
      const added = this.#objects.insert(batch, index, { slab, epoch: this.#objects.epoch });
      this.#size += 1;
      return [new PackedAddEvent(this.#objects.pack(added), { initial: false })];
    }
    return this.#replace(record, batch, index);
  }

  /** Returns an event for each object as it is now, for a handler that was added later. */
  events(): IterableIterator<PackedAddEvent<T>, undefined> {
    this.#refuseIfDisposed();
    return this.#objects.additions();
  }

  /**
   * Removes all objects, and releases their memory. Events stay readable. Later reads of objects throw, because an
   * object that is not found would look like one that was deleted.
   */
  dispose(): void {
    this.#isDisposed = true;
    this.#objects.clear();
    this.#size = 0;
  }

  stats(): PackedStoreStats {
    return this.#objects.stats(this.#size);
  }

  /** Begins to collect a list that replaces all objects. A list that was not committed is ignored. */
  beginReplace(): void {
    this.#relist.begin();
  }

  /** Frees the objects of lists that were not committed. Yields now and then, so that the caller can take turns. */
  discardUnfinished(): Generator<void, void, undefined> {
    return this.#relist.discardUnfinished();
  }

  /** Adds an object to the list. */
  stage(batch: PackedBatch, index: number): void {
    this.#relist.stage(batch, index, this.#cutsOf(batch, index));
    this.#objects.compaction.keepUp();
  }

  /** Removes an object from the list, because it was deleted in the meantime. */
  unstage(batch: PackedBatch, index: number): void {
    this.#relist.unstage(batch, index);
  }

  /** Replaces all objects with those of the list. Call {@link differences} before the next change. */
  commitReplace(): void {
    this.#size = this.#relist.commit();
    this.#objects.compaction.finish();
  }

  /** Yields what {@link commitReplace} changed, and frees the previous objects on the way. */
  differences(options: DifferencesOptions): Generator<readonly PackedEvent<T>[], void, undefined> {
    return this.#relist.differences(options);
  }

  /** Compresses all objects now instead of in spare time. */
  compress(): void {
    this.#objects.compaction.finishNow();
  }

  #refuseIfDisposed(): void {
    if (this.#isDisposed) throw new InformerStoppedError();
  }

  *#keys(records: Iterable<number>): Generator<ObjectKey, void, undefined> {
    for (const record of records) yield this.#objects.keyOf(record);
  }

  #replace(record: number, batch: PackedBatch, index: number): readonly PackedEvent<T>[] {
    const { table } = this.#objects;
    const slab = table.slabOf(record);
    const entry = table.entryOf(record);
    if (hasSameVersion(batch, index, slab, entry)) return NOTHING;
    const isSameObject = hasSameUid(batch, index, slab, entry);
    const old = this.#objects.packLast(record);
    this.#objects.replace(record, table.write(batch, index, this.#cutsOf(batch, index)));
    const object = this.#objects.pack(record);
    if (isSameObject) return [new PackedUpdateEvent(old, object)];
    // The deletion of the first object was missed.
    return [new PackedDeleteEvent(old, { finalStateUnknown: true }), new PackedAddEvent(object, { initial: false })];
  }

  /** Returns an object for an event that the store does not keep. */
  #packUnstored(batch: PackedBatch, index: number): PackedObject<T> {
    const { table } = this.#objects;
    const number = table.write(batch, index, this.#cutsOf(batch, index));
    const slab = table.slabs.get(number);
    slab.ints[(slab.used >> 2) + ENTRY.record] = -1;
    const entry = table.slabs.keep(number);
    const packed = this.#objects.packEntry(slab, entry);
    table.slabs.release(number, entry);
    return packed;
  }
}
