import type { CallContext } from '../admission/admission-context.ts';

/** A review service at one path. */
export interface Endpoint {
  readonly path: string;
  /** Largest body in bytes. */
  readonly maxBody: number;
  /**
   * Answers a review.
   *
   * @param body the parsed body.
   * @returns the response, as an object.
   * @throws {RefusedRequestError} if the review is refused. Any other error is a failure of a handler, and answers 500.
   */
  answer(body: unknown, context: CallContext): Promise<object>;
}
