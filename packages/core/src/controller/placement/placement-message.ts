/** Maximum size of a message about one cluster, in bytes of UTF-8. The 100 messages of a status take at most 50 KiB. */
export const MAX_MESSAGE = 512;

/** Maximum size in a record of more than {@link MANY_CLUSTERS}, so that the record of 5,000 clusters fits into one object. */
const MAX_MESSAGE_OF_MANY = 100;

/** 1,000 clusters with long messages take 0.6 MiB of the 1 MiB of a ConfigMap. */
const MANY_CLUSTERS = 1_000;

const ELLIPSIS = '…';

/** Returns the maximum size of a message in a record, in bytes. @param clusters number of clusters in the record. */
export function messageLimit(clusters: number): number {
  return clusters > MANY_CLUSTERS ? MAX_MESSAGE_OF_MANY : MAX_MESSAGE;
}

/**
 * Shortens a message to `maxBytes` of UTF-8. It keeps the beginning, which names the object, and the end, which says what to
 * do, and replaces the text between them by `…`.
 */
export function withoutMiddle(message: string, maxBytes: number): string {
  const bytes = Buffer.from(message);
  if (bytes.length <= maxBytes) return message;
  const room = maxBytes - Buffer.byteLength(ELLIPSIS);
  const head = Math.floor(room / 3);
  return decoded(bytes.subarray(0, head)) + ELLIPSIS + decoded(bytes.subarray(bytes.length - (room - head)));
}

/** Decodes a part of a text. Characters that it has only a part of are left out. */
function decoded(bytes: Buffer): string {
  return bytes.toString('utf8').replace(/^\uFFFD+|\uFFFD+$/gu, '');
}
