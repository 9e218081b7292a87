import type { Change } from './resource-type.ts';

/** The label by which a namespace can be selected by name (KEP-2161). */
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
