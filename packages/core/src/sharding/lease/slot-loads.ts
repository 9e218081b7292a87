import * as z from 'zod';

/** Steps of the scale in a factor of two: a step is 9 %. */
const STEPS = 8;
/** Value of the scale for the largest load. */
const LARGEST = 255;

/**
 * The loads of slots in a Lease. They are relative to the largest one, so that they may have any unit: a load below
 * `largest` / 2^31 counts as this.
 */
export const loadsSchema = z.object({
  /** The largest load. */
  largest: z.number().positive(),
  /** One byte for each slot as base64, on a logarithmic scale. 255 stands for the largest load, and 0 for none. */
  slots: z.string(),
});

/** Encodes the load of each slot. */
export function encodeLoads(loads: ReadonlyMap<number, number>, count: number): z.output<typeof loadsSchema> {
  let largest = 0;
  for (const load of loads.values()) if (Number.isFinite(load)) largest = Math.max(largest, load);
  const bytes = Buffer.alloc(count);
  for (const [slot, load] of loads) {
    if (!(load > 0) || slot >= count) continue;
    const below = Number.isFinite(load) ? Math.round(STEPS * (Math.log2(largest) - Math.log2(load))) : 0;
    bytes[slot] = Math.max(1, LARGEST - below);
  }
  return { largest: largest || 1, slots: bytes.toString('base64') };
}

/** @throws {RangeError} if `loads` are not those of `count` slots. */
export function decodeLoads(
  { largest, slots }: z.output<typeof loadsSchema>,
  count: number,
): ReadonlyMap<number, number> {
  const bytes = Buffer.from(slots, 'base64');
  if (bytes.length !== count || bytes.toString('base64') !== slots)
    throw new RangeError(`expected the loads of ${count} slots`);
  const loads = new Map<number, number>();
  for (const [slot, byte] of bytes.entries()) {
    if (byte > 0) loads.set(slot, largest * 2 ** ((byte - LARGEST) / STEPS));
  }
  return loads;
}
