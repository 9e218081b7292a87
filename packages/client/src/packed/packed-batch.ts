/**
 * Layout of one object in {@link PackedBatch.envelopes}: 32-bit integers. Each range has a start, inclusive, and an end,
 * exclusive, in {@link PackedBatch.bytes}. An absent field has an empty range.
 */
export const ENVELOPE = {
  /** One of {@link PACKED_TYPE}. */
  type: 0,
  /** Bits of {@link PACKED_FLAG}. */
  flags: 1,
  /** JSON text of the object, from `{` to `}`. */
  object: 2,
  /**
   * Texts without quotes and without escapes. If the JSON text has escapes, the range is behind the JSON texts of all
   * objects, and {@link PACKED_FLAG.unescaped} is set.
   */
  name: 4,
  namespace: 6,
  uid: 8,
  resourceVersion: 10,
  /** Values as JSON text. */
  metadata: 12,
  labels: 14,
  annotations: 16,
  ownerReferences: 18,
  managedFields: 20,
  generation: 22,
  deletionTimestamp: 24,
} as const;

/** Number of integers of one object in {@link PackedBatch.envelopes}. */
export const ENVELOPE_SIZE = 26;

/** How an object arrived: as an item of a list, or as a watch event. */
export const PACKED_TYPE = { listed: 0, ADDED: 1, MODIFIED: 2, DELETED: 3 } as const;

export const PACKED_FLAG = {
  /** A text of the envelope has escapes in the JSON text, so that its range is behind the object. */
  unescaped: 1,
  /** `managedFields` occurs several times, or its name has escapes. Dropping it needs a walk over the metadata. */
  repeatedManagedFields: 2,
  /** Contains an integer of 16 or more digits, which may be a bigint. */
  longInteger: 4,
} as const;

/** Objects as an API server sent them: checked JSON text, with the ranges of the fields that a cache reads. */
export interface PackedBatch {
  /** Does not change before {@link release}. */
  readonly bytes: Buffer;
  /** {@link ENVELOPE_SIZE} integers for each object. */
  readonly envelopes: Int32Array;
  readonly length: number;
  /** Number of objects that arrived among these and were left out, because they are outside of a shard. Default: 0. */
  readonly omitted?: number;
  /**
   * Allows the memory of the batch to be overwritten. Called by the last reader. Memory that is not released is garbage
   * collected. Default: the memory is never overwritten.
   */
  readonly release?: () => void;
}
