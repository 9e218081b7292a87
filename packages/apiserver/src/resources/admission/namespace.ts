import type { Change } from '../resource-type.ts';

/** Sets the phase and the finalizer of a new namespace. Only the subresource `finalize` changes the finalizers later. */
export function admitNamespace({ object, previous }: Change): void {
  if (previous) {
    object['spec'] = previous['spec'];
    return;
  }
  object['spec'] = { finalizers: ['kubernetes'] };
  object['status'] = { phase: 'Active' };
}
