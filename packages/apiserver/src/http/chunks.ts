/** Minimum size of one write to a connection, in bytes. Larger writes are not measurably cheaper. */
export const CHUNK_SIZE = 256 * 1024;

/** Joins parts into chunks of at least {@link CHUNK_SIZE}. Only the last one may be smaller. */
export function* coalesce(parts: Iterable<Buffer>): Generator<Buffer> {
  let pending: Buffer[] = [];
  let size = 0;
  for (const part of parts) {
    pending.push(part);
    size += part.length;
    if (size < CHUNK_SIZE) continue;
    yield Buffer.concat(pending, size);
    pending = [];
    size = 0;
  }
  if (size > 0) yield Buffer.concat(pending, size);
}
