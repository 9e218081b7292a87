import type { DeepReadonly, ObjectMeta } from '@mcr/client';
import { foundText } from '@mcr/client';

/** An object that is changed in place and then written: a draft, never an object of the cache. */
export interface Finalizable {
  metadata: Partial<ObjectMeta>;
}

/** Whether the object has `finalizer`. (Upstream: `controllerutil.ContainsFinalizer`.) */
export function containsFinalizer({ metadata }: DeepReadonly<Finalizable>, finalizer: string): boolean {
  return metadata.finalizers?.includes(finalizer) ?? false;
}

/**
 * Adds `finalizer`, and returns whether it was missing. (Upstream: `controllerutil.AddFinalizer`.)
 *
 * @throws {TypeError} if `finalizer` is not a name.
 */
export function addFinalizer(object: Finalizable, finalizer: string): boolean {
  const given: unknown = finalizer;
  if (typeof given !== 'string' || given === '') {
    const found = given === '' ? 'an empty text' : foundText(given);
    throw new TypeError(`addFinalizer: expected the name of a finalizer, such as example.com/cleanup, found ${found}`);
  }
  if (containsFinalizer(object, finalizer)) return false;
  (object.metadata.finalizers ??= []).push(finalizer);
  return true;
}

/** Removes `finalizer`, and returns whether it existed. (Upstream: `controllerutil.RemoveFinalizer`.) */
export function removeFinalizer(object: Finalizable, finalizer: string): boolean {
  if (!containsFinalizer(object, finalizer)) return false;
  object.metadata.finalizers = object.metadata.finalizers?.filter((present) => present !== finalizer) ?? [];
  return true;
}
