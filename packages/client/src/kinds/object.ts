import type { V1ManagedFieldsEntry } from '@kubernetes/client-node/dist/gen/models/all.js';
import type { Wire } from './wire.ts';

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

/**
 * What one manager wants of an object, for server-side apply: the fields that it names, no others.
 * (Upstream: the apply configurations of client-go.)
 */
export type ApplyConfiguration<T extends KubernetesObject> = DeepPartial<
  Omit<T, 'apiVersion' | 'kind' | 'metadata'>
> & {
  apiVersion?: string;
  kind?: string;
  metadata: Partial<Omit<ObjectMeta, 'managedFields'>> & { name: string };
};

/** `T` with every field, at every depth, optional. */
export type DeepPartial<T> = T extends (infer E)[]
  ? DeepPartial<E>[]
  : T extends object
    ? { [K in keyof T]?: DeepPartial<T[K]> }
    : T;

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
