import { ENVELOPE, ENVELOPE_SIZE, type PackedBatch } from '../packed/packed-batch.ts';
import type { Cuts } from './entry-writer.ts';

const NONE: Cuts = [];
const COMMA = 0x2c;
const SPACE = 0x20;
/** Length of `"managedFields"`. */
const NAME = 15;

/** Returns the cut of `metadata.managedFields`, with its name and one comma. The name occurs once, without escapes. */
export function managedFieldsCut({ bytes, envelopes }: PackedBatch, index: number): Cuts {
  const range = index * ENVELOPE_SIZE + ENVELOPE.managedFields;
  let start = envelopes[range] as number;
  let end = envelopes[range + 1] as number;
  if (end <= start) return NONE;
  // Before the value: the name, and a colon that may have spaces around it.
  do start -= 1;
  while ((bytes[start] as number) <= SPACE || bytes[start] === 0x3a);
  start -= NAME - 1;
  let before = start - 1;
  while ((bytes[before] as number) <= SPACE) before -= 1;
  if (bytes[before] === COMMA) return [before, end];
  while ((bytes[end] as number) <= SPACE) end += 1;
  return [start, bytes[end] === COMMA ? end + 1 : end];
}
