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
