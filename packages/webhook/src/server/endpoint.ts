import type { CallContext } from '../admission/admission-context.ts';

/** A review service at one path. */
export interface Endpoint {
  readonly path: string;
  /** Largest body in bytes. */
  readonly maxBody: number;
  /**
   * Reads a review.
   *
   * @param body the parsed body.
   * @throws {RefusedRequestError} if it is not a review of this endpoint.
   */
  read(body: unknown): Review;
}

/** A review that an endpoint has read. */
export interface Review {
  /** Key of the limit of concurrent reviews: the path, with the kind for a conversion. */
  readonly webhook: string;
  /**
   * @returns the response, as an object.
   * @throws {RefusedRequestError} if the review is refused. Any other error is a failure of a handler, and answers 500.
   */
  readonly answer: (context: CallContext) => Promise<object>;
}
