/** Compresses blocks of entries. */
export interface BlockCodec {
  compress(bytes: Uint8Array): Uint8Array;
  /** Share of their size that compressed entries, with their heads, must not exceed. Otherwise they stay plain. */
  readonly worthwhile: number;
}

/** Larger output is joined from several buffers of this size. */
const OUTPUT = 8 * 1024;

/** Level 1 is several times faster than the default one. Higher levels make JSON hardly smaller. */
function compress(bytes: Uint8Array): Uint8Array {
  const zlib = process.getBuiltinModule('node:zlib');
  return zlib.zstdCompressSync(bytes, {
    chunkSize: OUTPUT,
    pledgedSrcSize: bytes.length,
    params: { [zlib.constants.ZSTD_c_compressionLevel]: 1 },
  });
}

/** Opens a block of `size` bytes. */
export function openBlock(bytes: Uint8Array, size: number): Buffer {
  // One byte more than the result, so that the result comes in one piece.
  return process.getBuiltinModule('node:zlib').zstdDecompressSync(bytes, { chunkSize: size + 1 });
}

/** zstd; `undefined` where Node.js does not have it. */
export const zstdCodec: BlockCodec | undefined = 'zstd' in process.versions ? { compress, worthwhile: 0.9 } : undefined;
