import type { Attributes, WriteAdmission } from '../admission/attributes.ts';
import { DecodeError } from '../decode-error.ts';
import { decodeObject } from '../resources/metadata.ts';
import type { ResourceType } from '../resources/resource-type.ts';
import { goDecode } from '../schema/go-decode.ts';
import { prune } from '../schema/prune.ts';
import { internalError, StatusError } from '../status.ts';
import type { ApiObject } from '../storage/stored-object.ts';
import { requireLivingNamespace } from './living-namespace.ts';
import type { Steps } from './steps.ts';
import type { Backend } from './target.ts';

/**
 * Returns an object after the mutating webhooks, decoded as a request is; `undefined` if none changed it.
 *
 * @throws {StatusError} if a webhook denies the write, fails, or makes another object of it.
 */
export function* mutated(admission: WriteAdmission, attributes: Attributes): Steps<ApiObject | undefined> {
  const result = yield* admission.mutate(attributes);
  if (!result || result === attributes.object) return undefined;
  const { type } = attributes;
  prune(type.schema, result);
  try {
    const decoded = decodeObject(type, result);
    return type.builtIn ? goDecode(type, decoded) : decoded;
  } catch (error) {
    // The fault is that of the webhook, and not of the client.
    if (!(error instanceof StatusError)) throw error;
    throw internalError(new Error(error instanceof DecodeError ? error.why : error.message));
  }
}

/** Describes the creation of a subresource that has a kind of its own, such as a Binding. */
export interface ActionAttributes {
  readonly type: ResourceType;
  readonly apiVersion: string;
  readonly kind: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

/**
 * Asks the webhooks and policies about the creation of a subresource. Reviews are answered in any namespace.
 *
 * @returns the body after the mutating webhooks.
 * @throws {StatusError} if one of them denies it, or fails, or if the namespace does not exist or is being deleted.
 */
export function* admitAction(
  backend: Backend,
  admission: WriteAdmission | undefined,
  { type, apiVersion, kind, ...place }: ActionAttributes,
  body: unknown,
): Steps<unknown> {
  if (!type.review) requireLivingNamespace(backend, type, place.namespace, place.name);
  if (!admission) return body;
  const slash = apiVersion.indexOf('/');
  const versionedKind = { group: apiVersion.slice(0, Math.max(slash, 0)), version: apiVersion.slice(slash + 1), kind };
  const sent = body as Partial<ApiObject>;
  const { name, namespace } = place;
  const object = {
    ...sent,
    kind,
    apiVersion,
    metadata: { ...(name && { name }), ...(namespace && { namespace }), ...sent.metadata },
  };
  const attributes = {
    ...place,
    type,
    kind: versionedKind,
    operation: 'CREATE',
    object: object as unknown as ApiObject,
    oldObject: undefined,
  } as const;
  const result = yield* admission.mutate(attributes);
  yield* admission.validate({ ...attributes, object: result });
  return result === attributes.object ? body : result;
}
