/**
 * Maximum size of a message in an error, a log line or a status, in bytes. Kubernetes has the same limit for the note
 * of an event.
 */
export const MAX_MESSAGE_BYTES = 1024;

const ELLIPSIS = '…';

/**
 * Truncates a text to `maxBytes` of UTF-8, between two characters. A truncated text ends with `…`.
 *
 * @param maxBytes Default: 1,024.
 */
export function shortened(text: string, maxBytes = MAX_MESSAGE_BYTES): string {
  // A UTF-16 code unit takes at most three bytes of UTF-8.
  if (text.length * 3 <= maxBytes || (text.length <= maxBytes && Buffer.byteLength(text) <= maxBytes)) return text;
  const room = new Uint8Array(Math.max(0, maxBytes - Buffer.byteLength(ELLIPSIS)));
  const { read } = new TextEncoder().encodeInto(text, room);
  return text.slice(0, read) + ELLIPSIS;
}
