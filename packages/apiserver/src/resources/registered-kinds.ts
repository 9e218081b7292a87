import { apiVersionOf } from './resource-type.ts';
import type { ResourceType } from './resource-type.ts';

/** Kinds of the machinery, which every version of a group has. */
const MACHINERY: ReadonlySet<string> = new Set([
  ...[
    'Status',
    'APIVersions',
    'APIGroup',
    'APIGroupList',
    'APIResourceList',
    'WatchEvent',
    'ListOptions',
    'GetOptions',
  ],
  ...['DeleteOptions', 'CreateOptions', 'UpdateOptions', 'PatchOptions'],
]);

/** Returns the type of a kind or of its list, among the built-in types. */
export function registeredType(
  types: readonly ResourceType[],
  apiVersion: string,
  kind: string,
): ResourceType | undefined {
  const single = kind.endsWith('List') ? kind.slice(0, -'List'.length) : kind;
  return types.find((type) => apiVersionOf(type) === apiVersion && (type.kind === kind || type.kind === single));
}

/** Reports whether a kind is one of the machinery, whose types are all `v1`. */
export function isMachinery(kind: string): boolean {
  return MACHINERY.has(kind);
}

/** Reports whether a real server has a type for the kind. */
export function isRegistered(types: readonly ResourceType[], apiVersion: string, kind: string): boolean {
  if (registeredType(types, apiVersion, kind)) return true;
  return MACHINERY.has(kind) && types.some((type) => apiVersionOf(type) === apiVersion);
}

/** Returns the Go package of the internal version of a group: that of `rbac.authorization.k8s.io` is `rbac`. */
export function internalPackage(group: string): string {
  // Events of both groups are one internal type.
  if (group === 'events.k8s.io') return 'core';
  return group.split('.')[0] || 'core';
}
