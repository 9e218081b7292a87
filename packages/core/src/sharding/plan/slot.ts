import { fnv1a64 } from '@mcr/client';

/**
 * How keys are spread over slots:
 *
 * - `mixed`: FNV-1a-64, followed by the finalizer of MurmurHash3 (`fmix64`). FNV-1a alone puts keys that differ in their
 *   last characters only (`member-1`, `member-2`) into neighbouring slots.
 * - `plain`: FNV-1a-64, as the shard selector of the API server has it (KEP-5866).
 */
export type SlotHash = 'mixed' | 'plain';

/** Number of slots of a group by default. */
export const DEFAULT_SLOTS = 1024;

/** Largest number of slots of a group: more do not fit into the Lease of a plan. */
export const MAX_SLOTS = 4_096;

/** Whether a group can have this number of slots: a power of two from 1 to {@link MAX_SLOTS}. */
export function isSlotCount(slots: number): boolean {
  return Number.isInteger(slots) && slots >= 1 && slots <= MAX_SLOTS && (slots & (slots - 1)) === 0;
}

/**
 * Returns the slot of a key: the top log2(`slots`) bits of the hash of its UTF-8 encoding.
 *
 * @throws RangeError if `slots` is not a power of two from 1 to {@link MAX_SLOTS}.
 */
export function slotOf(key: string, { slots, hash }: { readonly slots: number; readonly hash: SlotHash }): number {
  if (!isSlotCount(slots)) throw new RangeError(`${slots} slots: use a power of two from 1 to ${MAX_SLOTS}`);
  const hashed = fnv1a64(key);
  const value = { high: Number(hashed >> 32n), low: Number(hashed & 0xffff_ffffn) };
  const { high } = hash === 'plain' ? value : fmix64(value);
  return Math.floor((high / 2 ** 32) * slots);
}

/** An unsigned 64-bit integer. Multiplications of BigInt are about ten times slower. */
export interface Uint64 {
  readonly high: number;
  readonly low: number;
}

/** The 64-bit finalizer of MurmurHash3: each bit of the input changes each bit of the result with a probability of 1/2. */
export function fmix64(value: Uint64): Uint64 {
  const once = multiply(shiftXor(value), { high: 0xff51_afd7, low: 0xed55_8ccd });
  return shiftXor(multiply(shiftXor(once), { high: 0xc4ce_b9fe, low: 0x1a85_ec53 }));
}

/** `value ^ (value >>> 33)` */
function shiftXor({ high, low }: Uint64): Uint64 {
  return { high, low: (low ^ (high >>> 1)) >>> 0 };
}

/** The product modulo 2^64. */
function multiply(a: Uint64, b: Uint64): Uint64 {
  const [a1, a0] = [a.low >>> 16, a.low & 0xffff];
  const [b1, b0] = [b.low >>> 16, b.low & 0xffff];
  const middle = a1 * b0 + Math.floor((a0 * b0) / 2 ** 16);
  const carried = (middle % 2 ** 16) + a0 * b1;
  const carry = a1 * b1 + Math.floor(middle / 2 ** 16) + Math.floor(carried / 2 ** 16);
  const high = (carry + Math.imul(a.high, b.low) + Math.imul(a.low, b.high)) >>> 0;
  return { high, low: Math.imul(a.low, b.low) >>> 0 };
}
