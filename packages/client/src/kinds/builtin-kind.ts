import { defineKind, type Kind } from './kind.ts';
import type { KubernetesObject } from './object.ts';
import type { Wire } from './wire.ts';

/** A built-in kind: the model type of `@kubernetes/client-node` in its {@link Wire} form. */
export type BuiltIn<Model> = KubernetesObject & Omit<Wire<Model>, keyof KubernetesObject>;

export function namespaced<T extends KubernetesObject>(apiVersion: string, kind: string, plural: string): Kind<T> {
  return defineKind<T>({ apiVersion, kind, plural, scope: 'Namespaced' });
}

export function clusterScoped<T extends KubernetesObject>(apiVersion: string, kind: string, plural: string): Kind<T> {
  return defineKind<T>({ apiVersion, kind, plural, scope: 'Cluster' });
}
