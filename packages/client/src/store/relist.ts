import { allocatedInBulk } from '../garbage/young-collections.ts';
import type { KubernetesObject } from '../kinds/object.ts';
import type { Cuts } from '../packed/field-cut.ts';
import type { PackedBatch } from '../packed/packed-batch.ts';
import { ENTRY, entryText } from './entry.ts';
import type { ShardSelection } from '../shards/shard-selection.ts';
import {
  PackedAddEvent,
  PackedDeleteEvent,
  PackedLeaveEvent,
  PackedUpdateEvent,
  type PackedEvent,
} from './packed-event.ts';
import { RECORD } from './record-table.ts';
import { hasSameVersion, isSameText } from './same-version.ts';
import type { StoredObjects } from './stored-objects.ts';

/** Number of records between two turns of the caller. */
const STRIDE = 64;
/** Heap that an event and its delivery take, in bytes (measured). */
const EVENT_HEAP = 300;
const NOTHING: readonly never[] = [];

export interface DifferencesOptions {
  /** Whether this is the first list, so that its objects existed before. */
  readonly initial: boolean;
  /** Whether the server was restored, so that equal versions may be of different objects. */
  readonly wentBack: boolean;
  /** The shard that was listed: objects outside of it were not deleted. Default: all objects were listed. */
  readonly shard?: ShardSelection | undefined;
}

/**
 * Replaces all objects of a store. Listed objects wait beside the store: an unchanged one as a mark on its record, a new
 * or changed one as a second record, which is not visible yet. When the list is complete, the next epoch begins: then
 * the waiting records are visible, and records without a mark are not.
 *
 * Records that an unfinished relist left behind are never visible. {@link discardUnfinished} removes them early.
 */
export class Relist<T extends KubernetesObject> {
  readonly #objects: StoredObjects<T>;
  /** Epoch in which the waiting objects become visible. */
  #next = 0;
  /** Number of waiting objects. */
  #count = 0;
  #isUnfinished = false;
  /** Whether objects of an unfinished relist may be left. */
  #hasRest = false;
  /** The epoch before the latest one that a relist began. */
  #previous = 0;

  constructor(objects: StoredObjects<T>) {
    this.#objects = objects;
  }

  /** Begins a relist. Objects of an unfinished one that are not listed again do not become visible. */
  begin(): void {
    this.#hasRest ||= this.#isUnfinished;
    this.#isUnfinished = true;
    this.#next = Math.max(this.#next, this.#objects.epoch) + 1;
    this.#count = 0;
  }

  stage(batch: PackedBatch, index: number, cuts: Cuts): void {
    const { table, epoch } = this.#objects;
    const { records, slabs } = table;
    table.aimAt(batch, index);
    const { current, waiting } = this.#recordsOfKey();
    const wasListed = this.#isListed(current) || this.#isListed(waiting);
    if (!wasListed) this.#count += 1;

    const slab = table.write(batch, index, cuts);
    const memory = slabs.get(slab);
    const isHeld = (record: number): boolean =>
      record >= 0 &&
      hasSameVersion(batch, index, table.slabOf(record), table.entryOf(record)) &&
      this.#objects.isSame(record, memory, memory.used);
    if (isHeld(current)) {
      slabs.cancel(slab);
      records.set(current, RECORD.seen, this.#next);
      if (waiting >= 0) this.#objects.remove(waiting);
      return;
    }
    if (current >= 0) records.set(current, RECORD.seen, epoch);
    if (isHeld(waiting)) {
      slabs.cancel(slab);
    } else if (waiting >= 0) {
      this.#objects.replace(waiting, slab);
    } else {
      this.#objects.insert(batch, index, { slab, epoch: this.#next });
      return;
    }
    records.set(waiting, RECORD.born, this.#next);
    records.set(waiting, RECORD.seen, this.#next);
  }

  /** Removes an object that was deleted after it was listed. */
  unstage(batch: PackedBatch, index: number): void {
    const { table, epoch } = this.#objects;
    table.aimAt(batch, index);
    const { current, waiting } = this.#recordsOfKey();
    if (!this.#isListed(current) && !this.#isListed(waiting)) return;
    this.#count -= 1;
    if (this.#isListed(current)) table.records.set(current, RECORD.seen, epoch);
    if (waiting >= 0) this.#objects.remove(waiting);
  }

  /** Makes the listed objects the objects of the store. Returns their number. */
  commit(): number {
    if (this.#next <= this.#objects.epoch) this.begin();
    this.#previous = this.#objects.epoch;
    this.#objects.begin(this.#next);
    this.#isUnfinished = false;
    return this.#count;
  }

  /**
   * Settles the records after {@link commit}, one by one, and yields what changed. Yields nothing now and then, so that
   * the caller can take turns.
   */
  *differences({
    initial,
    wentBack,
    shard,
  }: DifferencesOptions): Generator<readonly PackedEvent<T>[], void, undefined> {
    const objects = this.#objects;
    const { table } = objects;
    const { records } = table;
    const { end } = records;
    // Otherwise some records are previous states of listed objects, or deleted objects.
    const hasListedOnly = records.size === this.#count;
    for (let record = 0; record < end && table === objects.table; record += 1) {
      if (records.isInUse(record) && records.get(record, RECORD.born) === objects.epoch) {
        allocatedInBulk(EVENT_HEAP);
        if (hasListedOnly) yield [new PackedAddEvent(objects.pack(record), { initial })];
        else yield this.#arrived(record, { initial, wentBack });
      } else if (wentBack && records.isInUse(record) && objects.isVisible(record)) {
        // The same version may now mean another state, so handlers receive every object again.
        yield [new PackedUpdateEvent(objects.pack(record), objects.pack(record))];
      } else if (record % STRIDE === 0) {
        yield NOTHING;
      }
    }
    if (hasListedOnly) return;
    for (let record = 0; record < end && table === objects.table; record += 1) {
      if (records.isInUse(record) && records.get(record, RECORD.seen) < objects.epoch) yield this.#gone(record, shard);
      else if (record % STRIDE === 0) yield NOTHING;
    }
  }

  /** Removes the objects that an unfinished relist left behind. Yields now and then. */
  *discardUnfinished(): Generator<void, void, undefined> {
    if (!this.#hasRest) return;
    const { table } = this.#objects;
    const { records } = table;
    for (let record = 0; record < records.end && table === this.#objects.table; record += 1) {
      const born = records.isInUse(record) ? records.get(record, RECORD.born) : 0;
      const isLeft = born > this.#objects.epoch && born < this.#next;
      if (isLeft) this.#objects.remove(record);
      if (isLeft || record % STRIDE === 0) yield;
    }
    this.#hasRest = false;
  }

  #arrived(record: number, { initial, wentBack }: DifferencesOptions): readonly PackedEvent<T>[] {
    const objects = this.#objects;
    const old = this.#previousOf(record);
    if (old < 0) return [new PackedAddEvent(objects.pack(record), { initial })];
    if (!wentBack && this.#isSameVersion(old, record)) {
      this.#objects.remove(old);
      return NOTHING;
    }
    const isSameObject = this.#isSame(old, record, ENTRY.uid);
    const before = objects.packLast(old);
    this.#objects.remove(old);
    const after = objects.pack(record);
    if (isSameObject) return [new PackedUpdateEvent(before, after)];
    return [new PackedDeleteEvent(before, { finalStateUnknown: true }), new PackedAddEvent(after, { initial: false })];
  }

  #gone(record: number, shard: ShardSelection | undefined): readonly PackedEvent<T>[] {
    const wasVisible = this.#objects.table.records.get(record, RECORD.born) <= this.#previous;
    const hasLeft = wasVisible && shard !== undefined && !shard.selects(this.#hashedMetadata(record));
    const last = wasVisible ? this.#objects.packLast(record) : undefined;
    this.#objects.remove(record);
    if (!last) return NOTHING;
    return [hasLeft ? new PackedLeaveEvent(last) : new PackedDeleteEvent(last, { finalStateUnknown: true })];
  }

  /** Returns the fields by which a shard selects an object, without decoding it. */
  #hashedMetadata(record: number): { readonly uid: string; readonly namespace: string } {
    const { table } = this.#objects;
    const slab = table.slabOf(record);
    const entry = table.entryOf(record);
    return { uid: entryText(slab, entry, ENTRY.uid), namespace: entryText(slab, entry, ENTRY.namespace) };
  }

  /** Returns the record that `record` replaces, or -1. */
  #previousOf(record: number): number {
    const { table } = this.#objects;
    table.aimAtRecord(record);
    let old = table.first();
    while (old >= 0 && (old === record || table.records.get(old, RECORD.born) > this.#previous)) old = table.after(old);
    return old;
  }

  #isSameVersion(a: number, b: number): boolean {
    const { table } = this.#objects;
    const hasVersion = (table.slabOf(a).ints[(table.entryOf(a) >> 2) + ENTRY.versionLengths] as number) >>> 16 > 0;
    return hasVersion && this.#isSame(a, b, ENTRY.resourceVersion) && this.#isSame(a, b, ENTRY.uid);
  }

  #isSame(a: number, b: number, column: number): boolean {
    const { table } = this.#objects;
    return isSameText(table.slabOf(a), table.entryOf(a), table.slabOf(b), table.entryOf(b), column);
  }

  /** Whether a record was listed in this relist. */
  #isListed(record: number): boolean {
    return record >= 0 && this.#objects.table.records.get(record, RECORD.seen) === this.#next;
  }

  /** Returns the records of the key at which the table aims: the visible one and the one that waits; -1 for none. */
  #recordsOfKey(): { readonly current: number; readonly waiting: number } {
    const { table, epoch } = this.#objects;
    let current = -1;
    let waiting = -1;
    for (let record = table.first(); record >= 0; record = table.after(record)) {
      if (table.records.get(record, RECORD.born) > epoch) waiting = record;
      else if (table.records.get(record, RECORD.seen) >= epoch) current = record;
    }
    return { current, waiting };
  }
}
