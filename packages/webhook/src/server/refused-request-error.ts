/** A request that is refused before a handler sees it. The message is sent to the caller, and repeats nothing of the request. */
export class RefusedRequestError extends Error {
  override readonly name = 'RefusedRequestError';
  /** HTTP status code. */
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Returns the error of a request that is not as the API of webhooks requires. */
export function badRequest(message: string): RefusedRequestError {
  return new RefusedRequestError(400, message);
}
