import { FieldCut, type Cuts } from '../packed/field-cut.ts';
import { ENVELOPE, ENVELOPE_SIZE, PACKED_FLAG, type PackedBatch } from '../packed/packed-batch.ts';

/** Returns the ranges of an object's bytes that are not stored. */
export type StoredFields = (batch: PackedBatch, index: number) => Cuts;

export interface StoredFieldsOptions {
  /** Fields to drop. Default: none. */
  readonly cut?: FieldCut | undefined;
  readonly dropManagedFields: boolean;
}

const NONE: Cuts = [];
const COMMA = 0x2c;
const COLON = 0x3a;
const SPACE = 0x20;
/** Length of `"managedFields"`. */
const NAME = 15;
const MANAGED_FIELDS = ['metadata', 'managedFields'];
const withoutManagedFields = new FieldCut({ drop: [MANAGED_FIELDS] });

export function storedFields({ cut, dropManagedFields }: StoredFieldsOptions): StoredFields {
  if (cut) {
    const whole = dropManagedFields ? cut.dropping(MANAGED_FIELDS) : cut;
    return (batch, index) => cutsOf(whole, batch, index);
  }
  return dropManagedFields ? managedFields : () => NONE;
}

function cutsOf(cut: FieldCut, { bytes, envelopes }: PackedBatch, index: number): Cuts {
  return cut.cuts(bytes, envelopes[index * ENVELOPE_SIZE + ENVELOPE.object] as number);
}

/** Returns the range of `metadata.managedFields`, from the envelope if possible, because most objects have it. */
function managedFields(batch: PackedBatch, index: number): Cuts {
  const { bytes, envelopes } = batch;
  const row = index * ENVELOPE_SIZE;
  if ((envelopes[row + ENVELOPE.flags] as number) & PACKED_FLAG.repeatedManagedFields) {
    return cutsOf(withoutManagedFields, batch, index);
  }
  let start = envelopes[row + ENVELOPE.managedFields] as number;
  let end = envelopes[row + ENVELOPE.managedFields + 1] as number;
  if (end <= start) return NONE;
  // Before the value: the name, and a colon that may have spaces around it.
  do start -= 1;
  while ((bytes[start] as number) <= SPACE || bytes[start] === COLON);
  start -= NAME - 1;
  let before = start - 1;
  while ((bytes[before] as number) <= SPACE) before -= 1;
  if (bytes[before] === COMMA) return [before, end];
  while ((bytes[end] as number) <= SPACE) end += 1;
  return [start, bytes[end] === COMMA ? end + 1 : end];
}
