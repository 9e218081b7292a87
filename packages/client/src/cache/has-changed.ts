import type { DeepReadonly, KubernetesObject, ObjectMeta } from '../kinds/object.ts';
import type { ComparedField, InformerUpdateEvent } from './informer.ts';

/**
 * Reports whether an update changed a field of the metadata. The order of labels and annotations does not matter. Costs
 * less than comparing the metadata, which would have to be decoded.
 */
export function hasChanged(
  event: Pick<InformerUpdateEvent<KubernetesObject>, 'metadata' | 'oldMetadata' | 'hasChanged'>,
  field: ComparedField,
): boolean {
  return event.hasChanged?.(field) ?? valueOf(event.oldMetadata, field) !== valueOf(event.metadata, field);
}

function valueOf(metadata: DeepReadonly<ObjectMeta>, field: ComparedField): string | number | undefined {
  return field === 'labels' || field === 'annotations' ? entriesText(metadata[field]) : metadata[field];
}

function entriesText(entries: Readonly<Record<string, string>> = {}): string {
  return JSON.stringify(Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1)));
}
