/** A 64-bit number in two unsigned halves, because a `bigint` per object would be garbage. */
export interface Halves {
  high: number;
  low: number;
}

/** The offset basis of 64-bit FNV-1a. */
const BASIS = { high: 0xcbf29ce4, low: 0x84222325 };
/** The prime of 64-bit FNV-1a is 2^40 + this number. */
const PRIME_LOW = 0x1b3;
const TWO_32 = 2 ** 32;

/**
 * Computes the 64-bit FNV-1a hash of a range of bytes, and writes it to `into`. (Upstream: Go's `fnv.New64a`, with which
 * the API server computes the hash of a shard selector.)
 */
export function hashBytes(bytes: Uint8Array, start: number, end: number, into: Halves): void {
  let { high, low } = BASIS;
  for (let at = start; at < end; at += 1) {
    low = (low ^ (bytes[at] as number)) >>> 0;
    // Every product is below 2^42, so a double represents it exactly. `>>> 0` is modulo 2^32.
    const product = low * PRIME_LOW;
    high = (high * PRIME_LOW + Math.floor(product / TWO_32) + low * 0x100) >>> 0;
    low = product >>> 0;
  }
  into.high = high;
  into.low = low;
}

/**
 * Returns the 64-bit FNV-1a hash of a text in UTF-8: the hash of the API server's shard selectors (KEP-5866), of
 * `metadata.uid` or `metadata.namespace`. A missing field counts as `''`.
 */
export function fnv1a64(text: string): bigint {
  const bytes = Buffer.from(text);
  const hash: Halves = { high: 0, low: 0 };
  hashBytes(bytes, 0, bytes.length, hash);
  return (BigInt(hash.high) << 32n) | BigInt(hash.low);
}
