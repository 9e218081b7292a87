/** Bytes that the window keeps between two scans. A larger one, for a large object, is given up after its scan. */
const KEPT = 512 * 1024;

const kept = Buffer.alloc(KEPT);

/**
 * The bytes that are being scanned, of any stream: a scan is synchronous, so that one window per process is enough. A
 * zero byte follows the last byte. It is not allowed anywhere in JSON, so it ends every inner loop.
 */
export interface Window {
  readonly bytes: Buffer;
  /** Index of the zero byte that follows the last byte. */
  readonly limit: number;
}

/** Copies pieces into the window of the process, one after the other. It is valid until the next call. */
export function loadWindow(pieces: readonly Uint8Array[]): Window {
  const size = pieces.reduce((sum, { length }) => sum + length, 0);
  const bytes = size < KEPT ? kept : Buffer.allocUnsafeSlow(size + 1);
  let limit = 0;
  for (const piece of pieces) {
    bytes.set(piece, limit);
    limit += piece.length;
  }
  bytes[limit] = 0;
  return { bytes, limit };
}
