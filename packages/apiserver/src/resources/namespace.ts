import type { Change } from './resource-type.ts';

/** Label with the name of a namespace, for label selectors (KEP-2161). */
const NAME_LABEL = 'kubernetes.io/metadata.name';

export function prepareNamespace({ object, previous }: Change): void {
  object.metadata.labels = { ...object.metadata.labels, [NAME_LABEL]: object.metadata.name };
  if (previous) {
    // Only the subresource `finalize` changes it.
    object['spec'] = previous['spec'];
    return;
  }
  object['spec'] = { finalizers: ['kubernetes'] };
  object['status'] = { phase: 'Active' };
}
