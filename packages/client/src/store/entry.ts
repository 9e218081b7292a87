/** A block of memory with entries: a slab, or the memory of a single detached entry. */
export interface EntryMemory {
  readonly bytes: Buffer;
  /** The same memory as {@link bytes}. */
  readonly ints: Int32Array;
}

/**
 * Header of an entry: 32-bit integers before its payload, which is the JSON text of an object and then its unescaped
 * texts, if any. Ranges are in bytes from the start of the payload, so that an entry can be moved without a change.
 */
export const ENTRY = {
  /** Number of the record. An entry is alive if this record refers to it. */
  record: 0,
  /** Length of the payload. */
  length: 1,
  /** Length of the JSON text. */
  json: 2,
  /** Bits of {@link ENTRY_FLAG}. */
  flags: 3,
  /** Starts of texts. */
  name: 4,
  namespace: 5,
  uid: 6,
  resourceVersion: 7,
  /** Lengths of texts: name and namespace, uid and resourceVersion, the second one in the upper 16 bits. */
  keyLengths: 8,
  versionLengths: 9,
  metadata: 10,
  metadataEnd: 11,
  /** Both are 0 if the field is absent. */
  labels: 12,
  labelsEnd: 13,
  /** Starts of JSON values; 0 if the field is absent. */
  generation: 14,
  deletionTimestamp: 15,
} as const;

/**
 * Columns of a head: the entry of a compressed object. Its payload has the texts of the object, and of `generation` and
 * `deletionTimestamp` as much as is read without decoding. The whole entry is in a block of the same slab. Columns that
 * are not listed here mean the same as in {@link ENTRY}.
 */
export const HEAD = {
  /** Position of the block in the slab, in bytes. */
  block: 10,
  /** Position of the entry in the opened block. */
  place: 11,
  /** Size of the entry in the opened block. */
  size: 12,
  /** Number of bytes of the block that this head stands for. The heads of a block together stand for all of it. */
  share: 13,
} as const;

/** Columns of a block: compressed entries, which are the payload. Its record is -1. */
export const BLOCK = {
  /** Number that no other block of the process has. */
  id: 4,
  /** Size of the entries in it. */
  opened: 5,
} as const;

const QUOTE = 0x22;

/** Number of bytes of a header. Entries are aligned to 4 bytes. */
export const ENTRY_HEADER = 64;

export const ENTRY_FLAG = {
  /** The object came in a list, so `apiVersion` and `kind` may be missing. */
  listed: 1,
  /** Contains an integer of 16 or more digits, which may be a bigint. */
  longInteger: 2,
  /** A {@link HEAD}. */
  head: 4,
  /** A {@link BLOCK}. */
  block: 8,
} as const;

/** An entry and the memory that has it. */
export interface EntryPlace {
  readonly memory: EntryMemory;
  /** Position in the memory, in bytes. */
  readonly entry: number;
}

/** Returns the size of an entry with header and padding, in bytes. */
export function entrySize(payload: number): number {
  return (ENTRY_HEADER + payload + 3) & ~3;
}

/** Returns the size of the entry at `entry` itself, in bytes: of a compressed object, the size of its head. */
export function entrySizeAt({ ints }: EntryMemory, entry: number): number {
  return entrySize(ints[(entry >> 2) + ENTRY.length] as number);
}

/** Reports whether the object of an entry is in a compressed block. */
export function isHead({ ints }: EntryMemory, entry: number): boolean {
  return ((ints[(entry >> 2) + ENTRY.flags] as number) & ENTRY_FLAG.head) !== 0;
}

/** Returns the size of the whole entry of an object, also if it is compressed. */
export function wholeSizeAt(memory: EntryMemory, entry: number): number {
  return isHead(memory, entry) ? (memory.ints[(entry >> 2) + HEAD.size] as number) : entrySizeAt(memory, entry);
}

/** Returns one of the texts of an entry at `entry`, from its start column. */
export function entryText(
  memory: EntryMemory,
  entry: number,
  column: typeof ENTRY.name | typeof ENTRY.namespace | typeof ENTRY.uid | typeof ENTRY.resourceVersion,
): string {
  const start = entryTextStart(memory, entry, column);
  return memory.bytes.toString('utf8', start, start + entryTextLength(memory, entry, column));
}

/** Reports whether `metadata.deletionTimestamp` is set. Go encodes an unset time as `null`; an empty text is unset too. */
export function isDeletingEntry({ bytes, ints }: EntryMemory, entry: number): boolean {
  const start = ints[(entry >> 2) + ENTRY.deletionTimestamp] as number;
  if (start === 0) return false;
  const at = entry + ENTRY_HEADER + start;
  return bytes[at] === QUOTE && bytes[at + 1] !== QUOTE;
}

/** Returns the position of a text in the memory. */
export function entryTextStart({ ints }: EntryMemory, entry: number, column: number): number {
  return entry + ENTRY_HEADER + (ints[(entry >> 2) + column] as number);
}

/** Returns the length of a text in bytes. */
export function entryTextLength({ ints }: EntryMemory, entry: number, column: number): number {
  const pair = ints[(entry >> 2) + ENTRY.keyLengths + ((column - ENTRY.name) >> 1)] as number;
  return column & 1 ? pair >>> 16 : pair & 0xffff;
}
