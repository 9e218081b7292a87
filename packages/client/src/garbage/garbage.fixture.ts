import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { collections } from './collections.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Collects garbage, after weak references that were created or read in this turn have lost their protection. */
export async function collectGarbage(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  collect();
  // Finishes the first collection, which frees buffers in the background.
  collect();
  // Lets the program learn of it.
  const before = collections.count;
  while (collections.count === before) await new Promise((resolve) => setImmediate(resolve));
}

/** Number of rounds of {@link growthOfHeap}. */
const ROUNDS = 5;

/**
 * Returns the number of bytes by which one round of `work` grows the heap: the median of several rounds, because the test
 * runner allocates and frees megabytes of its own in some of them.
 *
 * @param work keeps what it allocates reachable until the last round has ended. `round` counts from 0.
 */
export async function growthOfHeap(work: (round: number) => void | Promise<void>): Promise<number> {
  const growths: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const before = await heapUsed();
    await work(round);
    growths.push((await heapUsed()) - before);
  }
  return growths.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? 0;
}

async function heapUsed(): Promise<number> {
  await collectGarbage();
  return process.memoryUsage().heapUsed;
}
