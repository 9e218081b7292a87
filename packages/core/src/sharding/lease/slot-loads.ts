/** Steps of the scale in a factor of two: a step is 9 %. */
const STEPS = 8;
/** Value of the scale for the load 1. */
const ONE = 65;

/** Encodes the load of each slot as base64, with one byte on a logarithmic scale for each. 0 means none. */
export function encodeLoads(loads: ReadonlyMap<number, number>, count: number): string {
  const bytes = Buffer.alloc(count);
  for (const [slot, load] of loads) {
    if (load > 0 && slot < count) bytes[slot] = Math.min(255, Math.max(1, Math.round(ONE + STEPS * Math.log2(load))));
  }
  return bytes.toString('base64');
}

/** @throws {RangeError} if `text` is not the loads of `count` slots. */
export function decodeLoads(text: string, count: number): ReadonlyMap<number, number> {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length !== count || bytes.toString('base64') !== text)
    throw new RangeError(`expected the loads of ${count} slots`);
  const loads = new Map<number, number>();
  for (const [slot, byte] of bytes.entries()) if (byte > 0) loads.set(slot, 2 ** ((byte - ONE) / STEPS));
  return loads;
}
