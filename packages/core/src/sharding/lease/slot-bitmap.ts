/** Encodes a set of slots, or of other positions, as base64: one bit for each. `''` is the empty set. */
export function encodeSlots(slots: ReadonlySet<number>, count: number): string {
  if (slots.size === 0) return '';
  const bits = Buffer.alloc(Math.ceil(count / 8));
  for (const slot of slots) bits[slot >> 3] = (bits[slot >> 3] ?? 0) | (1 << (slot & 7));
  return bits.toString('base64');
}

/** @throws {RangeError} if `text` is not a set of slots below `count`. */
export function decodeSlots(text: string, count: number): ReadonlySet<number> {
  const slots = new Set<number>();
  if (text === '') return slots;
  const bits = Buffer.from(text, 'base64');
  // Buffer.from ignores characters that are not base64.
  if (bits.length !== Math.ceil(count / 8) || bits.toString('base64') !== text)
    throw new RangeError(`expected a set of ${count} slots`);
  for (let slot = 0; slot < bits.length * 8; slot++) {
    if (((bits[slot >> 3] ?? 0) & (1 << (slot & 7))) === 0) continue;
    if (slot >= count) throw new RangeError(`slot ${slot} is not one of ${count}`);
    slots.add(slot);
  }
  return slots;
}
