import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { collections } from './collections.ts';

/**
 * Number of bytes between two collections. It must be less than about 8 MiB, after which V8 begins a full collection,
 * because it reserves room for a young generation of 32 MiB (measured in V8 13.6).
 */
const COLLECT_AFTER = 4 * 1024 * 1024;

type CollectGarbage = (options: { readonly type: 'minor' }) => unknown;

let allocated = 0;
let isRequested = false;
/** Collects the young generation; `undefined` before its first use, and where the runtime does not offer it. */
let collect: CollectGarbage | undefined;
let isKnown = false;

/**
 * Must be called when bulk work has allocated memory. Collects the young generation in the turn of the event loop in
 * which 4 MiB are reached, which takes about a millisecond, or three if all of it is still in use. Two kinds of work need it:
 *
 * - Node.js allocates a buffer for each chunk that it receives. V8 frees these buffers with the young generation, but
 *   counts their size toward the limit of the old one. A watch makes so little other garbage that this limit is reached
 *   first. V8 would then mark the whole heap, the application's objects included, for every 8 MiB received.
 * - Decoded objects stay in use. V8 copies them all in the collection that follows, which blocks the thread the longer,
 *   the later it begins.
 *
 * While V8 marks the whole heap, the young generation is left to V8: a request would make it finish the marking at once,
 * which blocks the thread for as long as the heap is large.
 *
 * @param bytes size of the allocated memory.
 */
export function allocatedInBulk(bytes: number): void {
  allocated += bytes;
  if (allocated < COLLECT_AFTER || isRequested) return;
  isRequested = true;
  // Marking that began in this turn is known then.
  setImmediate(collectUnlessMarking);
}

function collectUnlessMarking(): void {
  isRequested = false;
  if (collections.isMarking) return;
  allocated = 0;
  if (!isKnown) {
    collect = collectorOfRuntime();
    isKnown = true;
  }
  collect?.({ type: 'minor' });
}

function collectorOfRuntime(): CollectGarbage | undefined {
  if (globalThis.gc) return globalThis.gc;
  try {
    // The flag applies to contexts that are created while it is set. The context of the application does not change.
    setFlagsFromString('--expose-gc');
    try {
      return runInNewContext('globalThis.gc') as CollectGarbage | undefined;
    } finally {
      setFlagsFromString('--no-expose-gc');
    }
  } catch {
    return undefined;
  }
}
