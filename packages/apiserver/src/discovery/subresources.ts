import type { ResourceType } from '../resources/resource-type.ts';

/** A part of an object with its own path. */
export interface Subresource {
  readonly name: string;
  readonly responseKind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly verbs: readonly string[];
}

const VERBS = ['get', 'patch', 'update'];

const SCALE = { group: 'autoscaling', version: 'v1', kind: 'Scale' };
const TOKEN = { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' };
const EVICTION = { group: 'policy', version: 'v1', kind: 'Eviction' };

export function subresourcesOf({ group, version, kind, storage, ...type }: ResourceType): Subresource[] {
  const all: Subresource[] = [];
  if (storage === 'pods') all.push({ name: 'eviction', responseKind: EVICTION, verbs: ['create'] });
  if (storage === 'namespaces') {
    all.push({ name: 'finalize', responseKind: { group, version, kind }, verbs: ['update'] });
  }
  if (type.scale) all.push({ name: 'scale', responseKind: SCALE, verbs: VERBS });
  if (storage === 'serviceaccounts') all.push({ name: 'token', responseKind: TOKEN, verbs: ['create'] });
  if (type.statusSubresource) all.push({ name: 'status', responseKind: { group, version, kind }, verbs: VERBS });
  // The server sorts the subresources of built-in kinds by name, and those of custom kinds in reverse.
  return type.builtIn ? all : all.reverse();
}
