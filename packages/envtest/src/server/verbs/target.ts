import type { ResourceRegistry } from '../resources/registry.ts';
import type { ResourceType } from '../resources/resource-type.ts';
import type { ClusterStore } from '../storage/cluster-store.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import { objectKey } from '../storage/stored-object.ts';
import { notFound } from '../status.ts';

/** What a verb works on: the objects of one cluster, and the kinds they can be of. */
export interface Backend {
  readonly store: ClusterStore;
  readonly registry: ResourceRegistry;
}

/** One object that may or may not exist. */
export interface Target {
  readonly type: ResourceType;
  /** `''` for a cluster-scoped object. */
  readonly namespace: string;
  readonly name: string;
}

export interface WriteOptions {
  /** Everything but the write itself is done. */
  readonly dryRun: boolean;
}

/** A write whose fields are told to be of a manager. */
export interface ManagedWriteOptions extends WriteOptions {
  /** Who writes, in `managedFields`. */
  readonly manager: string;
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
