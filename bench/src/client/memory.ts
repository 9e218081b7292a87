import { setTimeout as sleep } from 'node:timers/promises';

/** Memory of a process, in bytes. */
export interface Memory {
  /** Live objects of the JavaScript heap. */
  readonly heap: number;
  /** Resident memory. */
  readonly resident: number;
}

/** Deadline for the background work of a cache, in milliseconds. */
const DEADLINE = 120_000;
/** A smaller change of the resident memory is noise, in bytes. */
const NOISE = 1e6;

/**
 * Returns the memory of this process after garbage collections, once it has not shrunk for `quiet` milliseconds: a
 * cache may still work in the background.
 */
export async function memoryAtRest(quiet: number): Promise<Memory> {
  const deadline = performance.now() + DEADLINE;
  let before = memoryNow();
  while (performance.now() < deadline) {
    await sleep(quiet);
    const now = memoryNow();
    const shrinks = now.heap < before.heap || now.resident < before.resident - NOISE;
    before = now;
    if (!shrinks) break;
  }
  return before;
}

/** Returns the highest resident memory of this process so far, in bytes. */
export function highestMemory(): number {
  return process.resourceUsage().maxRSS * 1_024;
}

function memoryNow(): Memory {
  // The last resort collects until nothing more is found. It also gives free pages of the young generation back, whose
  // number depends on chance.
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  const { heapUsed, rss } = process.memoryUsage();
  return { heap: heapUsed, resident: rss };
}
