import type { WriteAdmission } from '../admission/attributes.ts';
import type { ResourceRegistry } from '../resources/registry.ts';
import type { ResourceType } from '../resources/resource-type.ts';
import type { ClusterStore } from '../storage/cluster-store.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import { objectKey } from '../storage/stored-object.ts';
import type { GroupKind } from '../status.ts';
import { notFound } from '../status.ts';

/** The objects and kinds of a cluster, which verbs work on. */
export interface Backend {
  readonly store: ClusterStore;
  readonly registry: ResourceRegistry;
  /** Whether objects may have a namespace and owners that never existed. Default: refused. */
  readonly absentReferences?: 'refused' | 'accepted';
}

/** Identifies an object that may or may not exist. */
export interface Target {
  readonly type: ResourceType;
  /** `''` for a cluster-scoped object. */
  readonly namespace: string;
  readonly name: string;
}

export interface WriteOptions {
  /** Does everything except the write itself. */
  readonly dryRun: boolean;
  /** Sends a warning to the client. Default: warnings are dropped. */
  readonly warn?: ((text: string) => void) | undefined;
  /** Asks webhooks and policies. Default: the write is not subject to them. */
  readonly admission?: WriteAdmission | undefined;
  /** Whether the server itself writes, and no client. Default: false. */
  readonly byServer?: boolean;
}

/** Options of a write that records a field manager. */
export interface ManagedWriteOptions extends WriteOptions {
  /** Field manager recorded in `managedFields`. */
  readonly manager: string;
  /**
   * Checks that the user may create the object, if an update or an apply does. Default: the user may.
   *
   * @throws {StatusError} 403
   */
  readonly authorizeCreation?: (() => void) | undefined;
  /** Reports whether the user may approve requests for certificates of a signer. Default: the user may. */
  readonly mayApprove?: ((signer: string) => boolean) | undefined;
}

/** Errors name the kind of the group in which a built-in kind is stored, and the kind that a custom object says. */
export function storedKind({ registry }: Backend, type: ResourceType, { kind }: Pick<GroupKind, 'kind'>): GroupKind {
  return type.builtIn ? (registry.storedType(type.storage) ?? type) : { group: type.group, kind };
}

export function find({ store }: Backend, { type, namespace, name }: Target): StoredObject | undefined {
  return store.resource(type.storage).get(objectKey(namespace, name));
}

/** @throws {StatusError} 404 */
export function get(backend: Backend, target: Target): StoredObject {
  const found = find(backend, target);
  if (!found) throw notFound(target.type, target.name);
  return found;
}
