import type { ReviewContext } from '../access/reviews.ts';
import { versionedTypes } from '../apply/field-types.ts';
import { trackUpdate } from '../apply/ownership.ts';
import type { ResourceType } from '../resources/resource-type.ts';
import { apiVersionOf } from '../resources/resource-type.ts';
import type { ApiObject } from '../storage/stored-object.ts';
import { complete, Turn } from '../turn.ts';
import type { Backend } from '../verbs/target.ts';

/** Returns a review with its status. It is never stored. @throws {StatusError} */
export function answerReview(
  { registry }: Backend,
  type: ResourceType,
  sent: ApiObject,
  namespace: string,
  manager: string,
  context: ReviewContext,
): object {
  const asked = withoutEmpty(sent);
  const { kind, apiVersion, metadata, ...rest } = asked;
  const { name, ...others } = metadata;
  const placed = { ...(name && { name }), ...others, ...(namespace !== '' && { namespace }) };
  const review = { kind, apiVersion, metadata: { ...placed, name }, ...rest } as ApiObject;
  const reviewed = type.review?.(review, context);
  if (reviewed?.instead) return { kind, apiVersion, ...reviewed.instead, status: reviewed.status };
  const writer = { name: manager, operation: 'Update', apiVersion: apiVersionOf(type), subresource: '' } as const;
  const managedFields = complete(
    trackUpdate(versionedTypes(registry, type), writer, { live: undefined, object: asked }, new Turn()),
  );
  const owned = { ...placed, ...(managedFields.length > 0 && { managedFields }) };
  return { kind, apiVersion, metadata: owned, ...rest, status: reviewed?.status };
}

/** Parts of a review whose empty texts and lists Go leaves out. */
const COMPACT = ['spec', 'resourceAttributes', 'nonResourceAttributes'];

/** Returns a review as Go writes it. */
function withoutEmpty<T extends object>(review: T): T {
  const entries = Object.entries(review).map(([field, value]: [string, unknown]) => {
    if (!COMPACT.includes(field) || typeof value !== 'object' || value === null) return [field, value] as const;
    const kept = Object.entries(withoutEmpty(value)).filter(
      ([, each]) => each !== '' && !(Array.isArray(each) && each.length === 0),
    );
    return [field, Object.fromEntries(kept)] as const;
  });
  // The result has the same fields, or fewer optional ones.
  return Object.fromEntries(entries) as T;
}
