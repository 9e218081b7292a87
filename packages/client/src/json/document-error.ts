/** A document is not JSON or exceeds a limit. The message completes "the document …" and never quotes it. */
export class DocumentError extends Error {
  override readonly name = 'DocumentError';
}
