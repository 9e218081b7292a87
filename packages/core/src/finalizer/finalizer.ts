import type { DeepReadonly, ObjectMeta } from '@mcr/client';

/** An object to be changed in place and written: a draft, never an object of the cache. */
export interface Finalizable {
  metadata: Partial<ObjectMeta>;
}

/** Whether the object waits for `finalizer` when it is deleted. (Upstream: `controllerutil.ContainsFinalizer`.) */
export function containsFinalizer({ metadata }: DeepReadonly<Finalizable>, finalizer: string): boolean {
  return metadata.finalizers?.includes(finalizer) ?? false;
}

/** Adds `finalizer`; whether it was missing. (Upstream: `controllerutil.AddFinalizer`.) */
export function addFinalizer(object: Finalizable, finalizer: string): boolean {
  if (containsFinalizer(object, finalizer)) return false;
  (object.metadata.finalizers ??= []).push(finalizer);
  return true;
}

/** Removes `finalizer`; whether it was there. (Upstream: `controllerutil.RemoveFinalizer`.) */
export function removeFinalizer(object: Finalizable, finalizer: string): boolean {
  if (!containsFinalizer(object, finalizer)) return false;
  object.metadata.finalizers = object.metadata.finalizers?.filter((present) => present !== finalizer) ?? [];
  return true;
}
