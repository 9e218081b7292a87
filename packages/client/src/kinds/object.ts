import type { V1ManagedFieldsEntry } from '@kubernetes/client-node/dist/gen/models/all.js';
import type { Wire } from './wire.ts';

/** Reference to the owner of an object, in the same cluster and namespace. */
export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/** An object's metadata as an API server returns it. Timestamps are RFC 3339 strings, as on the wire. */
export interface ObjectMeta {
  name: string;
  /** Absent on cluster-scoped objects. */
  namespace?: string;
  generateName?: string;
  uid: string;
  resourceVersion: string;
  generation?: number;
  creationTimestamp: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: OwnerReference[];
  managedFields?: Wire<V1ManagedFieldsEntry>[];
}

/** An object as an API server returns it: plain JSON, including unknown fields. */
export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
}

/**
 * An object as a caller sends it. The client sets `apiVersion` and `kind`, and the server sets other missing fields. A
 * read-only object of the cache is not a draft: copy it with {@link draftOf}.
 */
export type Draft<T extends KubernetesObject> = Omit<T, 'apiVersion' | 'kind' | 'metadata'> & {
  apiVersion?: string;
  kind?: string;
  metadata: Partial<ObjectMeta>;
};

/**
 * The fields of an object that one manager sets with server-side apply. (Upstream: the apply configurations of
 * client-go.)
 */
export type ApplyConfiguration<T extends KubernetesObject> = DeepPartial<
  Omit<T, 'apiVersion' | 'kind' | 'metadata'>
> & {
  apiVersion?: string;
  kind?: string;
  metadata: Partial<Omit<ObjectMeta, 'managedFields'>> & { name: string };
};

/** `T` with every field optional, at every depth. */
export type DeepPartial<T> = T extends (infer E)[]
  ? DeepPartial<E>[]
  : T extends object
    ? { [K in keyof T]?: DeepPartial<T[K]> }
    : T;

/** Identifies an object within its cluster. Cluster-scoped objects have no namespace (or `''`). */
export interface ObjectKey {
  readonly namespace?: string;
  readonly name: string;
}

/** Returns the key without other fields, such as those of an object's metadata. */
export function keyOf({ namespace, name }: ObjectKey): ObjectKey {
  return namespace ? { namespace, name } : { name };
}

/** Returns the text of a key: `<namespace>/<name>`, or `<name>` for a cluster-scoped object. */
export function objectKeyText({ namespace, name }: ObjectKey): string {
  return namespace ? `${namespace}/${name}` : name;
}

/** A list as an API server returns it. */
export interface KubernetesList<T> {
  apiVersion?: string;
  kind?: string;
  metadata: {
    resourceVersion: string;
    /** Present when there are more pages. */
    continue?: string;
    remainingItemCount?: number;
    /** The shard selector that the server applied (KEP-5866). Absent if it applied none. */
    shardInfo?: { selector: string };
  };
  items: T[];
}

/** `T` with every field read-only, at every depth. */
export type DeepReadonly<T> = T extends (infer E)[]
  ? readonly DeepReadonly<E>[]
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T;
