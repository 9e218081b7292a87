import { listAt } from '../cells.ts';
import type { Change } from '../resource-type.ts';

const OWN = 'kubernetes';

/** Sets the phase and the finalizer of a new namespace. Only the subresource `finalize` changes the finalizers later. */
export function admitNamespace({ object, previous }: Change): void {
  if (previous) {
    object['spec'] = previous['spec'];
    return;
  }
  const finalizers = listAt(object, 'spec.finalizers');
  object['spec'] = { finalizers: finalizers.includes(OWN) ? finalizers : [...finalizers, OWN] };
  object['status'] = { phase: 'Active' };
}
