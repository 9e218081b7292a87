/**
 * The largest size of a message in an error, a log line or a status, in bytes. The note of an event has the same limit.
 */
export const MAX_MESSAGE_BYTES = 1024;

const ELLIPSIS = '…';

/**
 * Returns the text if it has at most `maxBytes` of UTF-8, otherwise its beginning and `…`. Cuts between characters,
 * never within one.
 *
 * @param maxBytes Default: 1,024.
 */
export function shortened(text: string, maxBytes = MAX_MESSAGE_BYTES): string {
  // No UTF-16 unit has more than three bytes of UTF-8.
  if (text.length * 3 <= maxBytes || (text.length <= maxBytes && Buffer.byteLength(text) <= maxBytes)) return text;
  const room = new Uint8Array(Math.max(0, maxBytes - Buffer.byteLength(ELLIPSIS)));
  const { read } = new TextEncoder().encodeInto(text, room);
  return text.slice(0, read) + ELLIPSIS;
}
