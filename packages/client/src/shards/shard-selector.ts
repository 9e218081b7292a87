import * as z from 'zod';

/** Number of 64-bit hashes: the exclusive end of the last range. */
export const HASH_SPACE = 2n ** 64n;

/** A range of 64-bit hashes, from `start`, inclusive, to `end`, exclusive. `0 ≤ start < end ≤ 2^64`. */
export interface HashRange {
  readonly start: bigint;
  readonly end: bigint;
}

/**
 * Selects objects whose {@link fnv1a64} hash of a field is in one of the ranges. (Upstream: the shard selector of
 * KEP-5866.)
 */
export interface ShardSelector {
  /** `metadata.uid` or `metadata.namespace`. All cluster-scoped objects have the same namespace, `''`. */
  readonly field: ShardField;
  /** In any order; they may overlap. At most 65,536. None select nothing. */
  readonly ranges: readonly HashRange[];
}

export type ShardField = 'uid' | 'namespace';

const MAX_RANGES = 65_536;

const RANGE = 'expected a range of hashes with 0 <= start < end <= 2^64, as bigints';
const rangeSchema = z
  .strictObject({ start: z.bigint(RANGE), end: z.bigint(RANGE) })
  .refine(({ start, end }) => start >= 0n && start < end && end <= HASH_SPACE, RANGE);

/** Validates {@link ShardSelector}. */
export const shardSelectorSchema = z.strictObject({
  field: z.enum(['uid', 'namespace']),
  ranges: z.array(rangeSchema).max(MAX_RANGES, `expected at most ${MAX_RANGES} ranges`),
} satisfies Record<keyof ShardSelector, z.ZodType>);
