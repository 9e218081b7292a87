import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Size of read chunks after which they are collected, in bytes. Larger sizes let V8 begin a full collection first: it
 * does so when about 8 MiB were received, because its young generation may have grown to 32 MiB (measured in V8 13.6).
 */
const COLLECT_AFTER = 4 * 1024 * 1024;

type CollectGarbage = (options: { readonly type: 'minor' }) => unknown;

let read = 0;
/** Collects the young generation; `undefined` before its first use, and where the runtime does not offer it. */
let collect: CollectGarbage | undefined;
let isKnown = false;

/**
 * Tells that received chunks have been read, so that their memory can be freed.
 *
 * Node.js allocates a buffer for each chunk. V8 frees these buffers with the young generation, but counts their size
 * toward the limit of the old one. A watch makes so little other garbage that this limit is reached first. V8 would then
 * mark the whole heap, the application's objects included, for every 8 MiB received. A collection of the young
 * generation takes less than a millisecond instead.
 */
export function chunksRead(bytes: number): void {
  read += bytes;
  if (read < COLLECT_AFTER) return;
  read = 0;
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
    const found = runInNewContext('globalThis.gc') as CollectGarbage | undefined;
    setFlagsFromString('--no-expose-gc');
    return found;
  } catch {
    return undefined;
  }
}
