import type { Cuts } from '../packed/field-cut.ts';
import { ENVELOPE, ENVELOPE_SIZE, PACKED_FLAG, PACKED_TYPE, type PackedBatch } from '../packed/packed-batch.ts';
import { ENTRY, ENTRY_FLAG, ENTRY_HEADER, type EntryMemory } from './entry.ts';

/** Fields that may be behind the JSON text, without escapes. */
const TEXTS = [ENVELOPE.name, ENVELOPE.namespace, ENVELOPE.uid, ENVELOPE.resourceVersion] as const;

/** Returns an upper limit of the payload of an object, less the cuts. */
export function payloadLimit({ envelopes }: PackedBatch, index: number, cuts: Cuts): number {
  const row = index * ENVELOPE_SIZE;
  const end = envelopes[row + ENVELOPE.object + 1] as number;
  let length = end - (envelopes[row + ENVELOPE.object] as number);
  for (let cut = 0; cut < cuts.length; cut += 2) length -= (cuts[cut + 1] as number) - (cuts[cut] as number);
  if (((envelopes[row + ENVELOPE.flags] as number) & PACKED_FLAG.unescaped) === 0) return length;
  for (const text of TEXTS) {
    const start = envelopes[row + text] as number;
    if (start >= end) length += lengthOf(envelopes, row + text);
  }
  return length;
}

/**
 * Copies an object of a batch to a new entry, less the cuts.
 *
 * @param entry position of the entry in the memory, a multiple of 4.
 * @returns the length of the payload.
 */
export function writeEntry(batch: PackedBatch, index: number, memory: EntryMemory, entry: number, cuts: Cuts): number {
  const { bytes, envelopes } = batch;
  const { ints } = memory;
  const row = index * ENVELOPE_SIZE;
  const header = entry >> 2;
  const payload = entry + ENTRY_HEADER;
  const start = envelopes[row + ENVELOPE.object] as number;
  const end = envelopes[row + ENVELOPE.object + 1] as number;

  const json = copyWithout(cuts, bytes, start, end, memory.bytes, payload);
  let length = json;
  for (let text = 0; text < 4; text += 1) {
    const from = envelopes[row + ENVELOPE.name + 2 * text] as number;
    const to = envelopes[row + ENVELOPE.name + 2 * text + 1] as number;
    if (from < end) {
      ints[header + ENTRY.name + text] = to > from ? moved(from, start, cuts) : 0;
    } else {
      bytes.copy(memory.bytes, payload + length, from, to);
      ints[header + ENTRY.name + text] = length;
      length += to - from;
    }
  }
  ints[header + ENTRY.length] = length;
  ints[header + ENTRY.json] = json;
  const flags = envelopes[row + ENVELOPE.flags] as number;
  ints[header + ENTRY.flags] =
    (envelopes[row + ENVELOPE.type] === PACKED_TYPE.listed ? ENTRY_FLAG.listed : 0) |
    (flags & PACKED_FLAG.longInteger ? ENTRY_FLAG.longInteger : 0);
  ints[header + ENTRY.keyLengths] =
    lengthOf(envelopes, row + ENVELOPE.name) | (lengthOf(envelopes, row + ENVELOPE.namespace) << 16);
  ints[header + ENTRY.versionLengths] =
    lengthOf(envelopes, row + ENVELOPE.uid) | (lengthOf(envelopes, row + ENVELOPE.resourceVersion) << 16);
  ints[header + ENTRY.metadata] = moved(envelopes[row + ENVELOPE.metadata] as number, start, cuts);
  ints[header + ENTRY.metadataEnd] = moved(envelopes[row + ENVELOPE.metadata + 1] as number, start, cuts);
  const hasLabels = isKept(envelopes, row + ENVELOPE.labels, cuts);
  ints[header + ENTRY.labels] = hasLabels ? moved(envelopes[row + ENVELOPE.labels] as number, start, cuts) : 0;
  ints[header + ENTRY.labelsEnd] = hasLabels ? moved(envelopes[row + ENVELOPE.labels + 1] as number, start, cuts) : 0;
  ints[header + ENTRY.generation] = isKept(envelopes, row + ENVELOPE.generation, cuts)
    ? moved(envelopes[row + ENVELOPE.generation] as number, start, cuts)
    : 0;
  ints[header + ENTRY.deletionTimestamp] = isKept(envelopes, row + ENVELOPE.deletionTimestamp, cuts)
    ? moved(envelopes[row + ENVELOPE.deletionTimestamp] as number, start, cuts)
    : 0;
  return length;
}

function lengthOf(envelopes: Int32Array, range: number): number {
  return (envelopes[range + 1] as number) - (envelopes[range] as number);
}

/** Copies a range less the cuts. Returns the number of bytes copied. */
function copyWithout(cuts: Cuts, from: Buffer, start: number, end: number, to: Buffer, at: number): number {
  let position = at;
  let next = start;
  for (let cut = 0; cut < cuts.length; cut += 2) {
    position += from.copy(to, position, next, cuts[cut]);
    next = cuts[cut + 1] as number;
  }
  return position + from.copy(to, position, next, end) - at;
}

/** Returns the place of a position in the payload, from which the cuts are missing. */
function moved(position: number, start: number, cuts: Cuts): number {
  let place = position - start;
  for (let cut = 0; cut < cuts.length && (cuts[cut] as number) < position; cut += 2) {
    place -= (cuts[cut + 1] as number) - (cuts[cut] as number);
  }
  return place;
}

/** Reports whether a field is present and not cut. */
function isKept(envelopes: Int32Array, range: number, cuts: Cuts): boolean {
  const start = envelopes[range] as number;
  if ((envelopes[range + 1] as number) <= start) return false;
  for (let cut = 0; cut < cuts.length; cut += 2) {
    if (start >= (cuts[cut] as number) && start < (cuts[cut + 1] as number)) return false;
  }
  return true;
}
