/** A store was read after its informer has stopped. An empty result would look like objects that were deleted. */
export class InformerStoppedError extends Error {
  override readonly name = 'InformerStoppedError';

  constructor() {
    super('the informer has stopped and holds no objects any more: use the informer of a running cache');
  }
}
