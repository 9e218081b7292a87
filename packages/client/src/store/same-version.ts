import { ENVELOPE, ENVELOPE_SIZE, type PackedBatch } from '../packed/packed-batch.ts';
import { ENTRY, ENTRY_HEADER, entryTextLength, entryTextStart, type EntryMemory } from './entry.ts';

/** Reports whether an object of a batch has the uid and the version of an entry. Without a version, they may differ. */
export function hasSameVersion(batch: PackedBatch, index: number, memory: EntryMemory, entry: number): boolean {
  const { envelopes } = batch;
  const range = index * ENVELOPE_SIZE + ENVELOPE.resourceVersion;
  if (envelopes[range] === envelopes[range + 1]) return false;
  return (
    hasText(batch, range, memory, entry, ENTRY.resourceVersion) &&
    hasText(batch, index * ENVELOPE_SIZE + ENVELOPE.uid, memory, entry, ENTRY.uid)
  );
}

/** Reports whether an object of a batch has the uid of an entry. */
export function hasSameUid(batch: PackedBatch, index: number, memory: EntryMemory, entry: number): boolean {
  return hasText(batch, index * ENVELOPE_SIZE + ENVELOPE.uid, memory, entry, ENTRY.uid);
}

/** Reports whether two entries have the same text in a column. */
export function isSameText(
  a: EntryMemory,
  entryOfA: number,
  b: EntryMemory,
  entryOfB: number,
  column: number,
): boolean {
  const length = entryTextLength(a, entryOfA, column);
  if (entryTextLength(b, entryOfB, column) !== length) return false;
  const start = entryTextStart(a, entryOfA, column);
  return isEqual(a.bytes, start, b.bytes, entryTextStart(b, entryOfB, column), length);
}

/** Reports whether two entries have equal payloads. */
export function isSameEntry(a: EntryMemory, entryOfA: number, b: EntryMemory, entryOfB: number): boolean {
  const length = a.ints[(entryOfA >> 2) + ENTRY.length] as number;
  if (b.ints[(entryOfB >> 2) + ENTRY.length] !== length) return false;
  const startOfA = entryOfA + ENTRY_HEADER;
  const startOfB = entryOfB + ENTRY_HEADER;
  return a.bytes.compare(b.bytes, startOfB, startOfB + length, startOfA, startOfA + length) === 0;
}

function hasText(
  { bytes, envelopes }: PackedBatch,
  range: number,
  memory: EntryMemory,
  entry: number,
  column: number,
): boolean {
  const start = envelopes[range] as number;
  const length = (envelopes[range + 1] as number) - start;
  if (entryTextLength(memory, entry, column) !== length) return false;
  return isEqual(memory.bytes, entryTextStart(memory, entry, column), bytes, start, length);
}

function isEqual(a: Uint8Array, start: number, b: Uint8Array, from: number, length: number): boolean {
  for (let at = 0; at < length; at += 1) if (a[start + at] !== b[from + at]) return false;
  return true;
}
