/** Returns the resident memory of this process after garbage collections, in bytes. */
export function residentMemory(): number {
  // One collection is not enough: it leaves objects that it has only just found unreachable.
  for (let i = 0; i < 4; i++) globalThis.gc?.();
  return process.memoryUsage().rss;
}
