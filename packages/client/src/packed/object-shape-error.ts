/**
 * An object that is JSON, but not a Kubernetes object. The message names the field and its type, and never quotes it:
 * `items[3].metadata.name is missing`.
 */
export class ObjectShapeError extends Error {
  override readonly name = 'ObjectShapeError';
}
