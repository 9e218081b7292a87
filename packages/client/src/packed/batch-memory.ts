/** Size of a block that batches share, in bytes. Allocating memory for each batch would cost as much as copying it. */
const BLOCK = 256 * 1024;
/** Alignment of integers. */
const WORD = 4;

let block = new SharedArrayBuffer(0);
/** Number of bytes of the block that belong to batches. */
let used = 0;

/**
 * Returns memory for a batch that is being written. It may be replaced by a larger one, and belongs to the batch only
 * after {@link keepMemory}: only one batch is written at a time.
 *
 * The memory is shared, because V8 counts the size of other buffers as a reason to collect garbage.
 */
export function memoryFor(size: number): Buffer {
  if (used + size > block.byteLength) {
    block = new SharedArrayBuffer(Math.max(BLOCK, size));
    used = 0;
  }
  return Buffer.from(block, used);
}

/** Keeps the first bytes of the memory of {@link memoryFor}. */
export function keepMemory(memory: Buffer, size: number): Buffer {
  used = Math.ceil((memory.byteOffset + size) / WORD) * WORD;
  return memory.subarray(0, size);
}

/** Returns a copy of integers that belongs to a batch. */
export function keepIntegers(integers: Int32Array): Int32Array {
  const memory = memoryFor(integers.byteLength);
  const copy = new Int32Array(memory.buffer, memory.byteOffset, integers.length);
  copy.set(integers);
  keepMemory(memory, integers.byteLength);
  return copy;
}
