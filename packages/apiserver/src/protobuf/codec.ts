import type * as coders from './coders.ts';

/** Media type of objects in protobuf. */
export const PROTOBUF = 'application/vnd.kubernetes.protobuf';

/** Encoders and decoders, with the messages of all built-in kinds. */
export type Codec = typeof coders;

/** Size of a body or a stored object in bytes, from which a write needs the codec to know whether the object is too large. */
export const CODEC_FROM = 512 * 1024;

let loaded: Codec | undefined;

/**
 * Loads the codec. The server calls it before it serves a request that names protobuf, writes a built-in status,
 * or writes a large object.
 */
export async function loadCodec(): Promise<void> {
  loaded ??= await import('./coders.ts');
}

/** Returns the codec that {@link loadCodec} has loaded. @throws {Error} if it has not been called. */
export function codec(): Codec {
  if (!loaded) throw new Error('the protobuf codec is not loaded: call loadCodec before the request is served');
  return loaded;
}

/** Returns the codec if {@link loadCodec} has loaded it. */
export function loadedCodec(): Codec | undefined {
  return loaded;
}
