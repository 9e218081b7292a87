import { workInTurns } from '../clock/event-loop-turn.ts';
import type { Kind } from '../kinds/kind.ts';
import type { DeepReadonly, KubernetesObject, ObjectKey } from '../kinds/object.ts';
import { backgroundFailure } from '../log/background-failure.ts';
import type { PackedBatch } from '../packed/packed-batch.ts';
import type { BlockCodec } from './block-codec.ts';
import { BlockReader } from './block-reader.ts';
import { Compaction } from './compaction.ts';
import { DecodeCache, decodeCache, type Admission } from './decode-cache.ts';
import { DecodedRecords } from './decoded-records.ts';
import { ENTRY, type EntryMemory, type EntryPlace } from './entry.ts';
import { EntrySlabs } from './entry-slabs.ts';
import type { LeasedMemory } from './event-lease.ts';
import { EventLeases } from './event-leases.ts';
import { InformerStoppedError } from './informer-stopped-error.ts';
import { KindPrefix } from './kind-prefix.ts';
import { ObjectDecoder } from './object-decoder.ts';
import { ObjectIndexes, type IndexedValues, type IndexFailureHandler } from './object-indexes.ts';
import { ObjectTable } from './object-table.ts';
import { PackedAddEvent } from './packed-event.ts';
import { PackedObject, type PackedObjectSource } from './packed-object.ts';
import { RECORD } from './record-table.ts';
import { isSameEntry } from './same-version.ts';
import type { SlabPool, SlabReferences } from './slab-pool.ts';
import type { Slab } from './slab.ts';
import { candidatesOf, select, type Selected, type StoreQuery } from './selection.ts';
import type { PackedStoreStats } from './store-stats.ts';
import { View, type ViewedRecord } from './view.ts';

export interface StoredObjectsOptions<T extends KubernetesObject> {
  readonly kind: Kind<T>;
  readonly freeze: boolean;
  readonly slabs: SlabPool;
  readonly decoded: 'all' | 'recent';
  /** Compresses objects. Default: they stay plain. */
  readonly codec?: BlockCodec | undefined;
  readonly onIndexFailure: IndexFailureHandler;
}

/** Maximum number of known objects that are listed at once, which takes a few milliseconds. */
const MAX_AT_ONCE = 50_000;

/**
 * The records of a store, and the objects that readers, events and indexes see of them.
 *
 * A record is visible if the current epoch of the store is between its epochs `born` and `seen`. While a relist is going
 * on, a key can have a second record, which becomes visible with the next epoch.
 */
export class StoredObjects<T extends KubernetesObject> implements PackedObjectSource<T>, SlabReferences {
  readonly decoder: ObjectDecoder<T>;
  readonly indexes: ObjectIndexes<T>;
  readonly compaction: Compaction;
  readonly #isCompressing: boolean;
  readonly #blocks = new BlockReader();
  readonly #kindPrefix: KindPrefix;
  readonly #pool: SlabPool;
  readonly #cache: DecodeCache;
  readonly #leases = new EventLeases(this.#blocks);
  /** Views that have not ended. */
  readonly #views = new Set<View<unknown>>();
  #decoded: DecodedRecords;
  /** Number of reads that found the object decoded. */
  #hits = 0;
  /** All objects, while the decode cache keeps all of them and none changes. */
  #listed: readonly DeepReadonly<T>[] | undefined;
  #table: ObjectTable;
  /** The current epoch. A relist that is done begins the next one. */
  epoch = 1;

  constructor({ kind, freeze, slabs, decoded, codec, onIndexFailure }: StoredObjectsOptions<T>) {
    this.#pool = slabs;
    this.#cache = decoded === 'all' ? new DecodeCache({ budget: Infinity }) : decodeCache;
    this.decoder = new ObjectDecoder({ kind, freeze, blocks: this.#blocks });
    this.compaction = new Compaction(() => this.table, codec);
    this.#isCompressing = codec !== undefined;
    this.#kindPrefix = new KindPrefix(kind);
    this.#table = this.#emptyTable();
    this.#decoded = this.#emptyDecoded();
    // Index functions receive objects that are not kept, so that a list does not evict objects that were read.
    const decode = (memory: EntryMemory, entry: number) => this.decoder.decodeUnkept(memory, entry);
    this.indexes = new ObjectIndexes({ decode, records: () => this.#table, onFailure: onIndexFailure });
  }

  get table(): ObjectTable {
    return this.#table;
  }

  /** Reports whether a record has the object of an entry. */
  isSame(record: number, memory: EntryMemory, entry: number): boolean {
    const own = this.#whole(record);
    const other = this.#blocks.whole(memory, entry);
    return (
      isSameEntry(own.memory, own.entry, other.memory, other.entry) ||
      this.#kindPrefix.isSameBut(own.memory, own.entry, other.memory, other.entry)
    );
  }

  isVisible(record: number): boolean {
    const { records } = this.table;
    return records.get(record, RECORD.born) <= this.epoch && records.get(record, RECORD.seen) >= this.epoch;
  }

  /** Returns the visible record of the key at which the table aims, or -1. */
  visible(): number {
    let record = this.table.first();
    while (record >= 0 && !this.isVisible(record)) record = this.table.after(record);
    return record;
  }

  /** Returns the visible record of a key, or -1. */
  find(key: ObjectKey): number {
    this.table.aimAtKey(key);
    return this.visible();
  }

  /** Returns the object of a record if it has been decoded and still exists. */
  known(record: number, admission: Admission): DeepReadonly<T> | undefined {
    const object = this.#decoded.get(record, admission);
    if (object) this.#hits += 1;
    // The slot of a record holds its object.
    return object as DeepReadonly<T> | undefined;
  }

  /** Returns the object of a record. */
  read(record: number, admission: Admission = 'always'): DeepReadonly<T> {
    const known = this.known(record, admission);
    if (known) return known;
    const object = this.#decode(record);
    this.#decoded.add(record, object, this.#heapOf(record), admission);
    return object;
  }

  /** Returns all visible objects in an array of the caller's own. */
  list(): DeepReadonly<T>[] {
    if (this.#listed) {
      this.#hits += this.#listed.length;
      return this.#listed.slice();
    }
    const objects: DeepReadonly<T>[] = [];
    const { records } = this.table;
    for (let record = 0; record < records.end; record += 1) {
      if (records.isInUse(record) && this.isVisible(record)) objects.push(this.read(record, 'if there is room'));
    }
    if (this.#decoded.kept !== objects.length) return objects;
    this.#listed = objects;
    return objects.slice();
  }

  /** Selects visible objects: an array if all of them are known, which takes little time. */
  select(query: StoreQuery): Iterable<Selected<T>> {
    const { kept } = this.#decoded;
    if (kept === this.table.records.size && kept < MAX_AT_ONCE && isEverything(query)) return this.list();
    return this.#view((view) => select(this, query, view), candidatesOf(this, query));
  }

  /** Must be called before a visible object changes or is removed, and before a record is replaced or freed. */
  beforeChange(record: number): void {
    this.#listed = undefined;
    for (const view of this.#views) view.beforeChange(record);
  }

  /** Begins an epoch: other records are visible. */
  begin(epoch: number): void {
    this.#listed = undefined;
    this.epoch = epoch;
  }

  keyOf(record: number): ObjectKey {
    return this.decoder.decodeKey(this.table.slabOf(record), this.table.entryOf(record));
  }

  /** Returns the object of a record for an event. It stays readable when the record is gone. */
  pack(record: number): PackedObject<T> {
    return this.packEntry(this.table.slabOf(record), this.table.entryOf(record));
  }

  packEntry(memory: LeasedMemory, entry: number, object?: DeepReadonly<T>): PackedObject<T> {
    return new PackedObject<T>(this, memory, entry, this.#leases.leaseFor(memory, entry), object);
  }

  /** Like {@link pack}, for a record that is about to be removed or replaced. */
  packLast(record: number): PackedObject<T> {
    return this.packEntry(this.table.slabOf(record), this.table.entryOf(record), this.#forget(record));
  }

  /** Returns the object of a record if the record still has the bytes of an entry. */
  held(memory: EntryMemory, entry: number, admission: Admission = 'always'): DeepReadonly<T> | undefined {
    const { table } = this;
    const record = memory.ints[(entry >> 2) + ENTRY.record] as number;
    if (record < 0 || !table.records.isInUse(record)) return undefined;
    const isHeld = table.slabOf(record) === memory && table.entryOf(record) === entry;
    return isHeld || this.#hasBytes(record, memory, entry) ? this.read(record, admission) : undefined;
  }

  /** Adds a record for the object of a batch, whose entry is at the end of a slab. */
  insert(batch: PackedBatch, index: number, { slab, epoch }: { slab: number; epoch: number }): number {
    const values = this.#valuesAtEndOf(slab);
    // Index functions may have looked for other keys.
    if (values.length > 0) this.table.aimAt(batch, index);
    if (epoch <= this.epoch) this.#listed = undefined;
    const record = this.table.insert(batch, index, { slab, epoch });
    for (const view of this.#views) view.added(record);
    this.indexes.add(record, values);
    return record;
  }

  /** Lets a record refer to the entry at the end of a slab. */
  replace(record: number, slab: number): void {
    const values = this.#valuesAtEndOf(slab);
    this.beforeChange(record);
    this.#forget(record);
    this.indexes.remove(record);
    this.table.replace(record, slab);
    this.indexes.add(record, values);
  }

  /** Frees a record. Events may still refer to its entry. */
  remove(record: number): void {
    this.beforeChange(record);
    this.#forget(record);
    this.indexes.remove(record);
    this.table.remove(record);
  }

  /** Frees all records. Views that have not ended throw. */
  clear(): void {
    const { slabs } = this.table;
    const decoded = this.#decoded;
    this.#listed = undefined;
    this.indexes.clear();
    slabs.clear();
    this.#table = this.#emptyTable();
    this.#decoded = this.#emptyDecoded();
    this.#views.clear();
    workInTurns(decoded.forgetAll(), () => true).catch((error: unknown) =>
      backgroundFailure('releasing decoded objects', error),
    );
  }

  /** Returns an event for each visible object, as they are now. */
  additions(): IterableIterator<PackedAddEvent<T>, undefined> {
    return this.#view(({ slab, entry }) => new PackedAddEvent(this.packEntry(slab, entry), { initial: true }));
  }

  stats(objects: number): PackedStoreStats {
    const { slabs } = this.table;
    return {
      objects,
      held: slabs.held + this.table.byteLength + this.indexes.byteLength,
      alive: slabs.alive,
      compressed: slabs.compressed,
      opened: slabs.opened,
      opens: this.#blocks.opens,
      decodes: this.decoder.decodes,
      metadataDecodes: this.decoder.metadataDecodes,
      hits: this.#hits,
      kept: this.#decoded.kept,
      compactions: this.compaction.slabs,
      moved: this.compaction.bytes,
    };
  }

  isReferenced(slab: Slab): boolean {
    if (this.#leases.isReferenced(slab)) return true;
    for (const view of this.#views) if (view.isReferenced(slab)) return true;
    return false;
  }

  /**
   * Iterates over the visible records of a namespace, or over all. The store may change between two steps: a record is
   * checked when it is its turn.
   *
   * @throws {InformerStoppedError} if the objects were cleared since the call.
   */
  *visibleRecords(namespace?: string, table = this.table): Generator<number, void, undefined> {
    if (table !== this.table) throw new InformerStoppedError();
    const { records, namespaces } = table;
    if (namespace === undefined) {
      for (let record = 0; record < records.end; record += 1) {
        if (!records.isInUse(record) || !this.isVisible(record)) continue;
        yield record;
        if (table !== this.table) throw new InformerStoppedError();
      }
      return;
    }
    for (const record of namespaces.recordsOf(namespace)) {
      if (!namespaces.has(namespace, record) || !this.isVisible(record)) continue;
      yield record;
      if (table !== this.table) throw new InformerStoppedError();
    }
  }

  /** Returns a view of the objects as they are now. @param candidates the records to view. Default: all. */
  #view<R>(read: (view: ViewedRecord) => R, candidates?: Int32Array): View<R> {
    const { table, epoch } = this;
    const view: View<R> = new View({
      ...{ table, epoch, candidates, read },
      isCurrent: () => table === this.table,
      onEnd: () => this.#views.delete(view),
    });
    this.#views.add(view);
    return view;
  }

  #emptyDecoded(): DecodedRecords {
    // The list would keep an object that the cache drops.
    return new DecodedRecords(this.#table.records, this.#cache, () => (this.#listed = undefined));
  }

  #whole(record: number): EntryPlace {
    return this.#blocks.whole(this.table.slabOf(record), this.table.entryOf(record));
  }

  #hasBytes(record: number, memory: EntryMemory, entry: number): boolean {
    const own = this.#whole(record);
    const other = this.#blocks.whole(memory, entry);
    return isSameEntry(own.memory, own.entry, other.memory, other.entry);
  }

  #emptyTable(): ObjectTable {
    const pool = this.#pool;
    const retire = (slab: Slab): void => pool.give(slab, this);
    const start = (): void => this.compaction.start();
    const slabs = new EntrySlabs({ pool, retire, onSparse: start, onFull: this.#isCompressing ? start : undefined });
    return new ObjectTable(slabs, this.#blocks);
  }

  #valuesAtEndOf(number: number): IndexedValues {
    const slab = this.table.slabs.get(number);
    return this.indexes.valuesOf({ memory: slab, entry: slab.used });
  }

  #decode(record: number): DeepReadonly<T> {
    return this.decoder.decode(this.table.slabOf(record), this.table.entryOf(record));
  }

  #heapOf(record: number): number {
    return this.decoder.estimateHeap(this.table.slabOf(record), this.table.entryOf(record));
  }

  /** Removes the decoded object of a record from the cache, and returns it if it still exists. */
  #forget(record: number): DeepReadonly<T> | undefined {
    return this.#decoded.forget(record) as DeepReadonly<T> | undefined;
  }
}

function isEverything({ namespace, indexes = [], matchesKey, matchesLabels, limit }: StoreQuery): boolean {
  return namespace === undefined && indexes.length === 0 && !matchesKey && !matchesLabels && !limit;
}
