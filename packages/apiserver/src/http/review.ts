import type { ReviewContext } from '../access/reviews.ts';
import { versionedTypes } from '../apply/field-types.ts';
import { trackUpdate } from '../apply/ownership.ts';
import type { ResourceType } from '../resources/resource-type.ts';
import { apiVersionOf } from '../resources/resource-type.ts';
import type { ApiObject } from '../storage/stored-object.ts';
import type { Backend } from '../verbs/target.ts';

/** Returns a review with its status. It is never stored. @throws {StatusError} */
export function answerReview(
  { registry }: Backend,
  type: ResourceType,
  asked: ApiObject,
  namespace: string,
  manager: string,
  context: ReviewContext,
): object {
  const { kind, apiVersion, metadata, ...rest } = asked;
  const { name, ...others } = metadata;
  const placed = { ...(name && { name }), ...others, ...(namespace !== '' && { namespace }) };
  const review = { kind, apiVersion, metadata: { ...placed, name }, ...rest } as ApiObject;
  const answer = type.review?.(review, context);
  if (answer?.instead) return { kind, apiVersion, ...answer.instead, status: answer.status };
  const writer = { name: manager, operation: 'Update', apiVersion: apiVersionOf(type), subresource: '' } as const;
  const managedFields = trackUpdate(versionedTypes(registry, type), writer, { live: undefined, object: asked });
  const owned = { ...placed, ...(managedFields.length > 0 && { managedFields }) };
  return { kind, apiVersion, metadata: owned, ...rest, status: answer?.status };
}
