import { readSync } from 'node:fs';

const NEWLINE = 0x0a;

/** Number of bytes to read at a time. */
const CHUNK_SIZE = 1024 * 1024;

/** Maximum length of a line in bytes. That of the largest object is a small part of it. */
const LINE_LIMIT = 256 * 1024 * 1024;

/** A complete line of a file, and the position after it. */
export interface FileLine {
  readonly text: string;
  readonly end: number;
}

/** Yields the complete lines of a file of any size. It holds one of them at a time. @throws {RangeError} for a line that is too long. */
export function* fileLines(file: number): Generator<FileLine> {
  const chunk = Buffer.allocUnsafe(CHUNK_SIZE);
  let pending: Buffer[] = [];
  let length = 0;
  let position = 0;
  for (;;) {
    const size = readSync(file, chunk, 0, CHUNK_SIZE, position);
    if (size === 0) return;
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0 && end < size; end = chunk.indexOf(NEWLINE, start)) {
      const last = chunk.subarray(start, end);
      const text = pending.length === 0 ? last.toString() : Buffer.concat([...pending, last]).toString();
      pending = [];
      length = 0;
      start = end + 1;
      yield { text, end: position + start };
    }
    length += size - start;
    if (length > LINE_LIMIT) throw new RangeError(`longer than ${LINE_LIMIT} bytes`);
    if (start < size) pending.push(Buffer.from(chunk.subarray(start, size)));
    position += size;
  }
}
