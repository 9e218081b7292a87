import type { ResourceType } from '../resources/resource-type.ts';
import type { ApiObject, JsonObject } from '../storage/stored-object.ts';
import type { Steps } from '../verbs/steps.ts';

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

export interface VersionedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** A write, as admission webhooks and policies see it. (Upstream: `admission.Attributes`.) */
export interface Attributes {
  readonly operation: Operation;
  /** Resource in the path of the request. */
  readonly type: ResourceType;
  /** Kind of the objects; differs from that of the resource for some subresources. */
  readonly kind: VersionedKind;
  /** `''` for the object itself. */
  readonly subresource: string;
  /** The name of a Namespace for the Namespace itself. */
  readonly namespace: string;
  readonly name: string;
  /** In the version of the request; absent for a deletion. */
  readonly object: ApiObject | undefined;
  /** Absent for a creation. */
  readonly oldObject: ApiObject | undefined;
}

/** Asks the webhooks and policies of a cluster about one request. */
export interface WriteAdmission {
  /**
   * Calls the mutating webhooks.
   *
   * @returns the object of the attributes itself if nothing changed it.
   * @throws {StatusError} if one of them denies the write, or fails.
   */
  mutate(attributes: Attributes): Steps<ApiObject | undefined>;
  /** Evaluates the policies and calls the validating webhooks. @throws {StatusError} */
  validate(attributes: Attributes): Steps<void>;
}

/**
 * Options of a request: the parts of CreateOptions, UpdateOptions or DeleteOptions that the client set. A connection has
 * none.
 */
export type OperationOptions = JsonObject | null;

/** Returns the namespace of a request for admission. */
export function admissionNamespace(type: ResourceType, namespace: string, name: string): string {
  return type.storage === 'namespaces' ? name : namespace;
}
