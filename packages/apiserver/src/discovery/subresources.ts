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

/** Subresources of a kind with options for a connection, for which kubectl asks. */
const CONNECT = ['create', 'get'];
const PROXY = ['create', 'delete', 'get', 'patch', 'update'];

export function subresourcesOf({ group, version, kind, storage, ...type }: ResourceType): Subresource[] {
  const own = { group, version, kind };
  const core = (name: string): Subresource['responseKind'] => ({ group: '', version: 'v1', kind: name });
  const all: Subresource[] = [];
  if (storage === 'pods') {
    all.push(
      { name: 'attach', responseKind: core('PodAttachOptions'), verbs: CONNECT },
      { name: 'binding', responseKind: core('Binding'), verbs: ['create'] },
      { name: 'ephemeralcontainers', responseKind: own, verbs: VERBS },
      { name: 'eviction', responseKind: EVICTION, verbs: ['create'] },
      { name: 'exec', responseKind: core('PodExecOptions'), verbs: CONNECT },
      { name: 'log', responseKind: own, verbs: ['get'] },
      { name: 'portforward', responseKind: core('PodPortForwardOptions'), verbs: CONNECT },
      { name: 'proxy', responseKind: core('PodProxyOptions'), verbs: PROXY },
      { name: 'resize', responseKind: own, verbs: VERBS },
    );
  }
  if (storage === 'nodes') all.push({ name: 'proxy', responseKind: core('NodeProxyOptions'), verbs: PROXY });
  if (storage === 'services') all.push({ name: 'proxy', responseKind: core('ServiceProxyOptions'), verbs: PROXY });
  if (kind === 'CertificateSigningRequest' && type.builtIn) {
    all.push({ name: 'approval', responseKind: own, verbs: VERBS });
  }
  if (storage === 'namespaces') all.push({ name: 'finalize', responseKind: own, verbs: ['update'] });
  if (type.scale) all.push({ name: 'scale', responseKind: SCALE, verbs: VERBS });
  if (storage === 'serviceaccounts') all.push({ name: 'token', responseKind: TOKEN, verbs: ['create'] });
  if (type.statusSubresource) all.push({ name: 'status', responseKind: own, verbs: VERBS });
  // The server sorts the subresources of built-in kinds by name, and those of custom kinds in reverse.
  return type.builtIn ? all : all.reverse();
}
