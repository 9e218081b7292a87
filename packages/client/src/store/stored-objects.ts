import type { Kind } from '../kinds/kind.ts';
import type { DeepReadonly, KubernetesObject, ObjectKey } from '../kinds/object.ts';
import { ENTRY, type EntryMemory } from './entry.ts';
import { EntrySlabs } from './entry-slabs.ts';
import type { LeasedMemory } from './event-lease.ts';
import { EventLeases } from './event-leases.ts';
import { ObjectDecoder } from './object-decoder.ts';
import { ObjectTable } from './object-table.ts';
import { PackedObject } from './packed-object.ts';
import { RECORD } from './record-table.ts';
import { isSameEntry } from './same-version.ts';
import type { SlabPool } from './slab-pool.ts';

export interface StoredObjectsOptions<T extends KubernetesObject> {
  readonly kind: Kind<T>;
  readonly freeze: boolean;
  readonly slabs: SlabPool;
}

/**
 * The records of a store, and the objects that readers and events see of them.
 *
 * Each record has a first epoch, `born`, and a last one, `seen`. It is visible if the epoch of the store is between them
 * or `seen` is of a later relist.
 */
export class StoredObjects<T extends KubernetesObject> {
  readonly table: ObjectTable;
  readonly decoder: ObjectDecoder<T>;
  readonly #leases = new EventLeases();
  /** The current epoch. A relist that is done begins the next one. */
  epoch = 1;

  constructor({ kind, freeze, slabs }: StoredObjectsOptions<T>) {
    this.decoder = new ObjectDecoder({ kind, freeze });
    this.table = new ObjectTable(new EntrySlabs(slabs, (slab) => slabs.give(slab, this.#leases)));
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

  /** Returns the object of a record. */
  read(record: number): DeepReadonly<T> {
    return this.decoder.decode(this.table.slabOf(record), this.table.entryOf(record));
  }

  keyOf(record: number): ObjectKey {
    return this.decoder.decodeKey(this.table.slabOf(record), this.table.entryOf(record));
  }

  /** Returns the object of a record for an event. It stays readable when the record is gone. */
  pack(record: number): PackedObject<T> {
    return this.packEntry(this.table.slabOf(record), this.table.entryOf(record));
  }

  packEntry(memory: LeasedMemory, entry: number): PackedObject<T> {
    return new PackedObject<T>(this, memory, entry, this.#leases.current);
  }

  /** Returns the object of a record if the record still has the bytes of an entry. */
  held(memory: EntryMemory, entry: number): DeepReadonly<T> | undefined {
    const { table } = this;
    const record = memory.ints[(entry >> 2) + ENTRY.record] as number;
    if (record < 0 || !table.records.isInUse(record)) return undefined;
    const slab = table.slabOf(record);
    const isSame =
      (slab === memory && table.entryOf(record) === entry) || isSameEntry(slab, table.entryOf(record), memory, entry);
    return isSame ? this.read(record) : undefined;
  }

  /** Frees a record. Events may still refer to its entry. */
  remove(record: number): void {
    this.table.remove(record);
  }

  /** Iterates over the visible records of a namespace, or over all. */
  *visibleRecords(namespace?: string): Generator<number, void, undefined> {
    const { records, namespaces } = this.table;
    if (namespace === undefined) {
      for (let record = 0; record < records.end; record += 1) {
        if (records.isInUse(record) && this.isVisible(record)) yield record;
      }
      return;
    }
    let record = namespaces.firstOf(namespaces.numberOf(namespace));
    while (record >= 0) {
      const next = records.get(record, RECORD.nextInNamespace);
      if (this.isVisible(record)) yield record;
      record = next;
    }
  }
}
