/** Size from which memory is mapped separately, in bytes. */
const MAPPED = 128 * 1024;

/**
 * Allocates shared memory. V8 counts ordinary buffers as pressure on the heap, and collects garbage because of them.
 *
 * Large memory is growable, though it never grows: V8 maps growable memory separately, and returns all of it to the system
 * when it is freed. Other memory comes from the allocator of the C library, which may keep it.
 */
export function sharedMemory(size: number): SharedArrayBuffer {
  return size < MAPPED ? new SharedArrayBuffer(size) : new SharedArrayBuffer(size, { maxByteLength: size });
}
