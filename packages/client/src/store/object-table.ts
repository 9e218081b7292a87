import type { ObjectKey } from '../kinds/object.ts';
import type { Cuts } from '../packed/field-cut.ts';
import { ENVELOPE, ENVELOPE_SIZE, type PackedBatch } from '../packed/packed-batch.ts';
import type { BlockReader } from './block-reader.ts';
import { ENTRY, entrySizeAt, entryTextLength, entryTextStart, type EntryPlace } from './entry.ts';
import type { EntrySlabs } from './entry-slabs.ts';
import { payloadLimit, writeEntry } from './entry-writer.ts';
import { KeyTable } from './key-table.ts';
import { Namespaces } from './namespaces.ts';
import { ObjectKeyProbe } from './object-key-probe.ts';
import type { PackedBlock } from './packed-block.ts';
import { RECORD, RecordTable } from './record-table.ts';
import type { Slab } from './slab.ts';

/**
 * Records of objects, found by their keys, and the entries that they refer to. A key can have several records: the
 * current one, and one of a relist.
 */
export class ObjectTable {
  readonly records = new RecordTable();
  readonly slabs: EntrySlabs;
  readonly namespaces = new Namespaces(this.records);
  readonly #keys = new KeyTable(this.records);
  /** The key that {@link first} and {@link after} look for. */
  readonly #probe = new ObjectKeyProbe();

  readonly #blocks: BlockReader;

  constructor(slabs: EntrySlabs, blocks: BlockReader) {
    this.slabs = slabs;
    this.#blocks = blocks;
  }

  /** Size of the records and of the table of keys, in bytes. */
  get byteLength(): number {
    return this.records.byteLength + this.#keys.byteLength;
  }

  /** Sets the key that {@link first} and {@link after} look for: that of an object of a batch. */
  aimAt({ bytes, envelopes }: PackedBatch, index: number): void {
    const row = index * ENVELOPE_SIZE;
    const namespaceStart = envelopes[row + ENVELOPE.namespace] as number;
    const namespaceEnd = envelopes[row + ENVELOPE.namespace + 1] as number;
    this.#probe.set(
      bytes,
      envelopes[row + ENVELOPE.name] as number,
      envelopes[row + ENVELOPE.name + 1] as number,
      this.namespaces.numberAt(bytes, namespaceStart, namespaceEnd),
    );
  }

  /** Sets the key that {@link first} and {@link after} look for. */
  aimAtKey({ namespace = '', name }: ObjectKey): void {
    this.#probe.setText(name, this.namespaces.numberOf(namespace));
  }

  /** Sets the key that {@link first} and {@link after} look for: that of a record. */
  aimAtRecord(record: number): void {
    const slab = this.slabOf(record);
    const entry = this.entryOf(record);
    const start = entryTextStart(slab, entry, ENTRY.name);
    const end = start + entryTextLength(slab, entry, ENTRY.name);
    this.#probe.set(slab.bytes, start, end, this.records.get(record, RECORD.namespace));
  }

  /** Returns the first record of the key, or -1. */
  first(): number {
    return this.#probe.namespace < 0 ? -1 : this.#search(this.#keys.first(this.#probe.hash));
  }

  /** Returns the next record of the key, or -1. */
  after(record: number): number {
    return this.#search(this.records.get(record, RECORD.next));
  }

  /** Records in use are below this number. */
  get end(): number {
    return this.records.end;
  }

  /** Returns the place of a record's whole entry; `undefined` if the record is not in use. */
  placeOf(record: number): EntryPlace | undefined {
    if (!this.records.isInUse(record)) return undefined;
    return this.#blocks.whole(this.slabOf(record), this.entryOf(record));
  }

  slabOf(record: number): Slab {
    return this.slabs.get(this.records.get(record, RECORD.slab));
  }

  entryOf(record: number): number {
    return this.records.get(record, RECORD.entry);
  }

  /** Writes an object behind the entries of a slab, and returns the slab. Call `slabs.keep` or `slabs.cancel`. */
  write(batch: PackedBatch, index: number, cuts: Cuts): number {
    const number = this.slabs.reserve(payloadLimit(batch, index, cuts));
    const slab = this.slabs.get(number);
    writeEntry(batch, index, slab, slab.used, cuts);
    return number;
  }

  /** Adds a record for the entry at the end of a slab. The last call of {@link aimAt} was for its object. */
  insert({ bytes, envelopes }: PackedBatch, index: number, { slab, epoch }: { slab: number; epoch: number }): number {
    const { records } = this;
    if (this.#probe.namespace < 0) {
      const range = index * ENVELOPE_SIZE + ENVELOPE.namespace;
      this.#probe.moveTo(this.namespaces.add(bytes, envelopes[range] as number, envelopes[range + 1] as number));
    }
    const record = records.take();
    records.set(record, RECORD.hash, this.#probe.hash);
    records.set(record, RECORD.namespace, this.#probe.namespace);
    records.set(record, RECORD.born, epoch);
    records.set(record, RECORD.seen, epoch);
    records.set(record, RECORD.decoded, 0);
    this.#refer(record, slab);
    this.#keys.insert(record);
    this.namespaces.link(record);
    return record;
  }

  /** Lets a record refer to the entry at the end of a slab, and releases its previous entry. */
  replace(record: number, slab: number): void {
    const previousSlab = this.records.get(record, RECORD.slab);
    const previousEntry = this.entryOf(record);
    this.#refer(record, slab);
    this.slabs.release(previousSlab, previousEntry);
  }

  /** Reports whether a record refers to an entry. */
  isAlive(number: number, entry: number): boolean {
    const { records } = this;
    const record = this.slabs.get(number).ints[(entry >> 2) + ENTRY.record] as number;
    return (
      records.isInUse(record) &&
      records.get(record, RECORD.slab) === number &&
      records.get(record, RECORD.entry) === entry
    );
  }

  /**
   * Moves an entry to the end of the slab that is being filled, if a record refers to it. It is plain then.
   *
   * @returns the number of bytes moved.
   */
  move(number: number, entry: number): number {
    if (!this.isAlive(number, entry)) return 0;
    const from = this.slabs.get(number);
    const record = from.ints[(entry >> 2) + ENTRY.record] as number;
    const { memory, entry: start } = this.#blocks.whole(from, entry);
    const target = this.slabs.reserve(memory.ints[(start >> 2) + ENTRY.length] as number);
    const to = this.slabs.get(target);
    const length = memory.bytes.copy(to.bytes, to.used, start, start + entrySizeAt(memory, start));
    this.replace(record, target);
    return length;
  }

  /** Writes entries as a compressed block. Their records refer to it from then on. */
  compress(block: PackedBlock): void {
    const number = this.slabs.reserveBlock(block.size);
    const slab = this.slabs.get(number);
    const start = slab.used;
    for (let index = 0; index < block.length; index += 1) {
      block.writeHead(index, slab, slab.used, start);
      this.replace(block.recordAt(index), number);
    }
    block.writeBlock(slab, slab.used);
    this.slabs.keep(number);
  }

  /** Removes a record and releases its entry. */
  remove(record: number): void {
    this.#keys.remove(record);
    this.namespaces.unlink(record);
    this.slabs.release(this.records.get(record, RECORD.slab), this.entryOf(record));
    this.records.give(record);
  }

  #refer(record: number, slab: number): void {
    const { ints, used } = this.slabs.get(slab);
    ints[(used >> 2) + ENTRY.record] = record;
    this.records.set(record, RECORD.slab, slab);
    this.records.set(record, RECORD.entry, used);
    this.slabs.keep(slab);
  }

  /** Returns the first record with the key, from `record` on along its bucket. */
  #search(record: number): number {
    const { records } = this;
    const { hash, namespace } = this.#probe;
    while (record >= 0) {
      if (
        records.get(record, RECORD.hash) === hash &&
        records.get(record, RECORD.namespace) === namespace &&
        this.#probe.isNameOf(this.slabOf(record), this.entryOf(record))
      ) {
        return record;
      }
      record = records.get(record, RECORD.next);
    }
    return -1;
  }
}
