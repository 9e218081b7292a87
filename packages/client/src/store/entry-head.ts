import { ENTRY, ENTRY_FLAG, ENTRY_HEADER, entryTextLength, entryTextStart, type EntryMemory } from './entry.ts';

const TEXTS = [ENTRY.name, ENTRY.namespace, ENTRY.uid, ENTRY.resourceVersion] as const;
const COMMA = 0x2c;
const CLOSE_OBJECT = 0x7d;
/** Length of an opening quote and the next byte, which show whether a text is empty. */
const QUOTED = 2;

/** Returns the length of the payload that the head of an entry has. */
export function headLength(memory: EntryMemory, entry: number): number {
  let length = generationLength(memory, entry);
  for (const text of TEXTS) length += entryTextLength(memory, entry, text);
  return memory.ints[(entry >> 2) + ENTRY.deletionTimestamp] === 0 ? length : length + QUOTED;
}

/** Writes the head of an entry, except the columns that describe its block. */
export function writeHead(from: EntryMemory, entry: number, { bytes, ints }: EntryMemory, at: number): void {
  const source = entry >> 2;
  const header = at >> 2;
  let length = 0;
  const append = (start: number, size: number): number => {
    length += from.bytes.copy(bytes, at + ENTRY_HEADER + length, start, start + size);
    return length - size;
  };
  ints.fill(0, header, header + ENTRY_HEADER / 4);
  // The name comes first and is not empty, so that no field starts at 0, which would mean that it is absent.
  for (const text of TEXTS) {
    ints[header + text] = append(entryTextStart(from, entry, text), entryTextLength(from, entry, text));
  }
  const generation = from.ints[source + ENTRY.generation] as number;
  if (generation !== 0) {
    ints[header + ENTRY.generation] = append(entry + ENTRY_HEADER + generation, generationLength(from, entry));
  }
  const deletion = from.ints[source + ENTRY.deletionTimestamp] as number;
  if (deletion !== 0) ints[header + ENTRY.deletionTimestamp] = append(entry + ENTRY_HEADER + deletion, QUOTED);
  ints[header + ENTRY.length] = length;
  ints[header + ENTRY.flags] = (from.ints[source + ENTRY.flags] as number) | ENTRY_FLAG.head;
  for (const column of [ENTRY.json, ENTRY.keyLengths, ENTRY.versionLengths]) {
    ints[header + column] = from.ints[source + column] as number;
  }
}

/** Returns the length of the generation with the byte behind it, at which readers stop; 0 if it is absent. */
function generationLength({ bytes, ints }: EntryMemory, entry: number): number {
  const start = ints[(entry >> 2) + ENTRY.generation] as number;
  if (start === 0) return 0;
  let end = entry + ENTRY_HEADER + start;
  while (bytes[end] !== COMMA && bytes[end] !== CLOSE_OBJECT) end += 1;
  return end + 1 - entry - ENTRY_HEADER - start;
}
