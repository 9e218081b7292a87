import type { V1ManagedFieldsEntry } from '@kubernetes/client-node';

/** Names the object that owns another, in the same cluster and namespace. */
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

/** An object as an API server returns it: plain JSON, unknown fields included. */
export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
}

/**
 * An object as a caller sends it. The client fills in `apiVersion` and `kind`, the server what else is missing.
 * A read-only object of the cache is not a draft: `structuredClone` it first.
 */
export type Draft<T extends KubernetesObject> = Omit<T, 'apiVersion' | 'kind' | 'metadata'> & {
  apiVersion?: string;
  kind?: string;
  metadata: Partial<ObjectMeta>;
};

/** Where an object is within its cluster. Without a namespace (or with `''`) it is a cluster-scoped one. */
export interface ObjectKey {
  readonly namespace?: string;
  readonly name: string;
}

/** The key's text: `<namespace>/<name>`, or `<name>` for a cluster-scoped object. */
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
  };
  items: T[];
}

/** `T` with every field, at every depth, read-only. */
export type DeepReadonly<T> = T extends (infer E)[]
  ? readonly DeepReadonly<E>[]
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T;

/**
 * A model type of `@kubernetes/client-node` as it is on the wire: timestamps are strings, and the names that the
 * generator had to mangle (`_continue`, `_from`, `_default`, ...) are the API's own.
 */
export type Wire<T> = T extends Date
  ? string
  : T extends (infer E)[]
    ? Wire<E>[]
    : T extends object
      ? { [K in keyof T as K extends `_${infer Name}` ? Name : K]: Wire<T[K]> }
      : T;
