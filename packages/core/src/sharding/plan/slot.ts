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

/** Largest number of slots of a group. */
export const MAX_SLOTS = 65_536;

const encoder = new TextEncoder();

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
  const value = hash === 'plain' ? fnv1a64(key) : fmix64(fnv1a64(key));
  return Math.floor((value.high / 2 ** 32) * slots);
}

/** An unsigned 64-bit integer. BigInt is about ten times slower here. */
export interface Uint64 {
  readonly high: number;
  readonly low: number;
}

/** FNV-1a with 64 bits of the UTF-8 encoding of a text. */
export function fnv1a64(text: string): Uint64 {
  let high = 0xcbf2_9ce4;
  let low = 0x8422_2325;
  for (const byte of encoder.encode(text)) {
    low = (low ^ byte) >>> 0;
    // The prime is 2^40 + 0x1b3. All products are below 2^53, and so are exact.
    const product = low * 0x1b3;
    high = (high * 0x1b3 + Math.floor(product / 2 ** 32) + ((low << 8) >>> 0)) >>> 0;
    low = product >>> 0;
  }
  return { high, low };
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
