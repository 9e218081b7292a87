import { FieldCut } from '../packed/field-cut.ts';
import { ENVELOPE, ENVELOPE_SIZE, PACKED_FLAG, type PackedBatch } from '../packed/packed-batch.ts';
import type { Cuts } from './entry-writer.ts';
import { managedFieldsCut } from './managed-fields.ts';

export interface CutterOptions {
  /** Default: none. */
  readonly cut?: FieldCut | undefined;
  readonly dropManagedFields: boolean;
}

const NO_CUTS: Cuts = [];
const MANAGED_FIELDS = ['metadata', 'managedFields'];

/** Returns a function that returns the ranges to leave out of an object of a batch. */
export function cutter({ cut, dropManagedFields }: CutterOptions): (batch: PackedBatch, index: number) => Cuts {
  if (cut) return walker(dropManagedFields ? cut.dropping(MANAGED_FIELDS) : cut);
  if (!dropManagedFields) return () => NO_CUTS;
  const walk = walker(new FieldCut({ drop: [MANAGED_FIELDS] }));
  return (batch, index) => {
    const flags = batch.envelopes[index * ENVELOPE_SIZE + ENVELOPE.flags] as number;
    return flags & PACKED_FLAG.repeatedManagedFields ? walk(batch, index) : managedFieldsCut(batch, index);
  };
}

function walker(cut: FieldCut): (batch: PackedBatch, index: number) => Cuts {
  return ({ bytes, envelopes }, index) => cut.cuts(bytes, envelopes[index * ENVELOPE_SIZE + ENVELOPE.object] as number);
}
