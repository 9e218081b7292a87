import type { ResourceType } from '../resources/resource-type.ts';

/** Keys in etcd of kinds whose keys are not their names. (Upstream: `SpecialDefaultResourcePrefixes`.) */
const KEYS: Readonly<Record<string, string>> = {
  endpoints: 'services/endpoints',
  'ingresses.networking.k8s.io': 'ingress',
  nodes: 'minions',
  replicationcontrollers: 'controllers',
  services: 'services/specs',
};

/** Built-in groups of the API servers that kube-apiserver embeds: their keys begin with the group, and the values are JSON. */
const EMBEDDED: ReadonlySet<string> = new Set(['apiextensions.k8s.io', 'apiregistration.k8s.io']);

/** Reports whether a real server stores a kind as JSON, and not as protobuf. */
export function isStoredAsJson({ builtIn, group }: ResourceType): boolean {
  return !builtIn || EMBEDDED.has(group);
}

/** Returns the key of an object in etcd, after the prefix `/registry/`. @param namespace `''` for none. */
export function storageKey(type: ResourceType, namespace: string, name: string): string {
  const own = KEYS[type.storage] ?? `${isStoredAsJson(type) ? `${type.group}/` : ''}${type.plural}`;
  return `${own}/${namespace && `${namespace}/`}${name}`;
}
