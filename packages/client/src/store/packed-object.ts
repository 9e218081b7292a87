import { inspect } from 'node:util';
import type { DeepReadonly, KubernetesObject, ObjectKey, ObjectMeta } from '../kinds/object.ts';
import type { Range } from '../packed/field-cursor.ts';
import { PathReader } from '../packed/path-reader.ts';
import { ENTRY, ENTRY_HEADER, entryText, isDeletingEntry } from './entry.ts';
import type { EntryMemory, EntryPlace } from './entry.ts';
import type { EventLease, LeasedMemory } from './event-lease.ts';
import type { ObjectDecoder } from './object-decoder.ts';
import { isSameText } from './same-version.ts';

/** A field of the metadata that an update event compares. */
export type ComparedField = 'resourceVersion' | 'generation' | 'labels' | 'annotations';

/** The identity of one version of an object. */
export interface ObjectIdentity {
  readonly apiVersion: string;
  readonly kind: string;
  readonly key: ObjectKey;
  readonly resourceVersion: string;
}

/** The parts that the packed objects of one store share. */
export interface PackedObjectSource<T extends KubernetesObject> {
  readonly decoder: ObjectDecoder<T>;
  /**
   * Returns the store's own object, decoded, if the store still has an object with the bytes of this entry. So an event
   * and a read of the store return the same object.
   */
  held(memory: EntryMemory, entry: number): DeepReadonly<T> | undefined;
}

const COMMA = 0x2c;
const CLOSE_OBJECT = 0x7d;

/**
 * An object of an event: the bytes of one version of an object, which are decoded when they are read. It stays
 * readable as long as it is referenced, whatever happens to the store.
 */
export class PackedObject<T extends KubernetesObject> {
  readonly #source: PackedObjectSource<T>;
  #memory: EntryMemory;
  #entry: number;
  /** `undefined` once the object has bytes of its own. */
  #lease: EventLease | undefined;
  readonly #number: number;
  #object: DeepReadonly<T> | undefined;
  #metadata: DeepReadonly<ObjectMeta> | undefined;
  #key: ObjectKey | undefined;

  /**
   * @param entry position of the entry in `memory`, in bytes.
   * @param lease protects `memory` from reuse.
   * @param object the decoded object, if it is known.
   */
  constructor(
    source: PackedObjectSource<T>,
    memory: LeasedMemory,
    entry: number,
    lease: EventLease,
    object?: DeepReadonly<T>,
  ) {
    this.#source = source;
    this.#memory = memory;
    this.#entry = entry;
    this.#lease = lease;
    this.#number = lease.add(memory, entry);
    this.#object = object;
  }

  /** Frozen, because all readers of an event share it. */
  get key(): ObjectKey {
    return (this.#key ??= Object.freeze(this.#source.decoder.decodeKey(this.#here(), this.#entry)));
  }

  get uid(): string {
    return entryText(this.#here(), this.#entry, ENTRY.uid);
  }

  get resourceVersion(): string {
    return entryText(this.#here(), this.#entry, ENTRY.resourceVersion);
  }

  /** `metadata.generation`; `undefined` if it is absent. */
  get generation(): number | undefined {
    const { bytes } = this.#here();
    const start = this.#startOf(ENTRY.generation);
    if (start === undefined) return undefined;
    let end = start;
    while (bytes[end] !== COMMA && bytes[end] !== CLOSE_OBJECT) end += 1;
    return Number(bytes.toString('latin1', start, end));
  }

  /** Whether `metadata.deletionTimestamp` is set. */
  get isDeleting(): boolean {
    return isDeletingEntry(this.#here(), this.#entry);
  }

  get object(): DeepReadonly<T> {
    return (this.#object ??= this.#decode());
  }

  /** The metadata alone, unless the object has been decoded. */
  get metadata(): DeepReadonly<ObjectMeta> {
    if (this.#metadata === undefined) {
      this.#metadata = this.#object
        ? (this.#object as DeepReadonly<KubernetesObject>).metadata
        : this.#source.decoder.decodeMetadata(this.#here(), this.#entry);
    }
    return this.#metadata;
  }

  /** Reports whether a field of the metadata differs from an earlier state. Decodes at most the field itself. */
  hasChangedSince(old: PackedObject<T>, field: ComparedField): boolean {
    if (field === 'generation') return this.generation !== old.generation;
    if (field === 'resourceVersion') {
      return !isSameText(old.#here(), old.#entry, this.#here(), this.#entry, ENTRY.resourceVersion);
    }
    const [{ memory: before, entry: earlier }, { memory, entry }] = [old.#whole(), this.#whole()];
    const [range, from] = [rangeOf(memory, entry, field), rangeOf(before, earlier, field)];
    const isSame = before.bytes.compare(memory.bytes, range.start, range.end, from.start, from.end) === 0;
    return !isSame && !hasEqualEntries(entriesAt(before, from), entriesAt(memory, range));
  }

  /** Returns the identity of the object, for `JSON.stringify` and `console.log`. The object itself may be a Secret. */
  toJSON(): ObjectIdentity {
    const { apiVersion, kind } = this.#source.decoder.kind;
    return { apiVersion, kind, key: this.key, resourceVersion: this.resourceVersion };
  }

  [inspect.custom](): ObjectIdentity {
    return this.toJSON();
  }

  #decode(): DeepReadonly<T> {
    const memory = this.#here();
    return this.#source.held(memory, this.#entry) ?? this.#source.decoder.decode(memory, this.#entry);
  }

  #whole(): EntryPlace {
    return this.#source.decoder.whole(this.#here(), this.#entry);
  }

  /** Returns the memory that has the bytes now. Must be called before {@link #entry} is read. */
  #here(): EntryMemory {
    const copy = this.#lease?.takeCopy(this.#number);
    if (copy) {
      this.#memory = copy;
      this.#entry = 0;
      this.#lease = undefined;
    }
    return this.#memory;
  }

  /** Returns the position of a JSON value, from the column of its start. */
  #startOf(column: number): number | undefined {
    const start = this.#memory.ints[(this.#entry >> 2) + column] as number;
    return start === 0 ? undefined : this.#entry + ENTRY_HEADER + start;
  }
}

type Entries = Readonly<Record<string, unknown>>;

const ANNOTATIONS = new PathReader(['annotations']);
const NOWHERE: Range = { start: 0, end: 0 };

/** Returns the place of a map of the metadata; an empty one if it is absent. */
function rangeOf({ bytes, ints }: EntryMemory, entry: number, field: 'labels' | 'annotations'): Range {
  const header = entry >> 2;
  const payload = entry + ENTRY_HEADER;
  if (field === 'annotations') {
    return ANNOTATIONS.find(bytes, payload + (ints[header + ENTRY.metadata] as number)) ?? NOWHERE;
  }
  const start = ints[header + ENTRY.labels] as number;
  return start === 0 ? NOWHERE : { start: payload + start, end: payload + (ints[header + ENTRY.labelsEnd] as number) };
}

function entriesAt({ bytes }: EntryMemory, { start, end }: Range): Entries {
  return start === end ? {} : ((JSON.parse(bytes.toString('utf8', start, end)) as Entries | null) ?? {});
}

/** The order does not matter. */
function hasEqualEntries(a: Entries, b: Entries): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => Object.hasOwn(b, name) && a[name] === b[name]);
}
