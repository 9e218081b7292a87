import type { FieldError } from '../status.ts';
import { invalidField } from '../status.ts';
import type { ApiObject } from '../storage/stored-object.ts';
import { annotationFieldErrors, finalizerFieldErrors, labelFieldErrors } from './names.ts';
import { ownerFieldErrors } from './owner-references.ts';

/** Collections that the Go type of the metadata omits if they are empty. */
const OMITTED_IF_EMPTY: ReadonlySet<string> = new Set(['labels', 'annotations', 'finalizers', 'ownerReferences']);

/** Removes `null`, empty texts and empty collections from metadata, where they mean the same as absence. */
export function compactMetadata(metadata: object | null): Omit<ApiObject['metadata'], 'name'> {
  const entries = Object.entries(metadata ?? {}).filter(
    ([field, value]) =>
      value !== null && value !== '' && !(OMITTED_IF_EMPTY.has(field) && Object.keys(value as object).length === 0),
  );
  // The verb sets fields that are still missing.
  return Object.fromEntries(
    entries.map(([field, value]) => [field, withoutNulls(field, value)]),
  ) as unknown as ApiObject['metadata'];
}

/** Replaces `null` in a list or map of the metadata by the zero value, as Go decodes it. */
function withoutNulls(field: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !Object.values(value).includes(null)) return value;
  const zero = field === 'ownerReferences' || field === 'managedFields' ? {} : '';
  if (Array.isArray(value)) return value.map((item: unknown) => item ?? zero);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, (item as unknown) ?? zero]));
}

/**
 * Returns the errors in metadata of any object, also an embedded one, except in its names. (Upstream:
 * `validateObjectMetaAccessorWithOptsCommon`.)
 */
export function commonMetadataErrors(metadata: Partial<ApiObject['metadata']>): FieldError[] {
  const { generation, labels = {}, annotations = {}, ownerReferences = [], finalizers = [] } = metadata;
  return [
    ...generationErrors(generation),
    ...labelFieldErrors(labels),
    ...annotationFieldErrors(annotations),
    ...ownerFieldErrors(ownerReferences),
    ...finalizerFieldErrors(finalizers),
    ...policyErrors(finalizers),
  ];
}

function generationErrors(generation: number | undefined = 0): FieldError[] {
  if (generation >= 0) return [];
  return [invalidField('metadata.generation', generation, 'must be greater than or equal to 0')];
}

/** A deletion waits either for dependents to be deleted, or for them to be orphaned. */
function policyErrors(finalizers: readonly string[]): FieldError[] {
  if (!finalizers.includes('orphan') || !finalizers.includes('foregroundDeletion')) return [];
  const detail = 'finalizer orphan and foregroundDeletion cannot be both set';
  return [invalidField('metadata.finalizers', finalizers, detail)];
}
