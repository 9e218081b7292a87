import type { Paused } from '../turn.ts';
import { Turn } from '../turn.ts';

/** Sorts values with pauses in which other requests are served. Equal values keep their order. */
export function* mergeSort<T>(values: readonly T[], compare: (a: T, b: T) => number, turn = new Turn()): Paused<T[]> {
  let from = [...values];
  for (let width = 1; width < from.length; width *= 2) {
    const to: T[] = [];
    for (let start = 0; start < from.length; start += 2 * width) {
      const middle = Math.min(start + width, from.length);
      const end = Math.min(start + 2 * width, from.length);
      let left = start;
      let right = middle;
      while (left < middle || right < end) {
        const isLeft = right >= end || (left < middle && compare(from[left] as T, from[right] as T) <= 0);
        to.push(from[isLeft ? left++ : right++] as T);
        if (turn.step()) yield* turn.pause();
      }
    }
    from = to;
  }
  return from;
}
