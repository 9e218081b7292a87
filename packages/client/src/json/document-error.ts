/** A document is not JSON, or exceeds a limit. The message completes "the answer …", and quotes nothing of it. */
export class DocumentError extends Error {
  override readonly name = 'DocumentError';
}
