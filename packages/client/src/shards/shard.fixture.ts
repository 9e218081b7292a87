import { fnv1a64 } from './fnv1a64.ts';
import { HASH_SPACE, type HashRange } from './shard-selector.ts';

export const MIDDLE = HASH_SPACE / 2n;
export const LOW: readonly HashRange[] = [{ start: 0n, end: MIDDLE }];
export const HIGH: readonly HashRange[] = [{ start: MIDDLE, end: HASH_SPACE }];

/** Returns uids whose hashes are in the lower or in the upper half. */
export function uidsIn(half: 'low' | 'high', count: number): string[] {
  const uids: string[] = [];
  // Texts that differ only at their end have similar hashes, so the number is at the beginning.
  for (let number = 0; uids.length < count; number += 1) {
    const uid = `${number}-uid`;
    if (fnv1a64(uid) < MIDDLE === (half === 'low')) uids.push(uid);
  }
  return uids;
}
