import type { CrdManifest, DeepReadonly } from '@mcr/client';
import { CustomResourceDefinition } from '@mcr/client';
import type { Permission } from '../permissions/permission.ts';

/** Returns the permissions of `ensureCrds` in each cluster. */
export function crdPermissions(
  definitions: readonly DeepReadonly<CrdManifest>[],
  { install = false, migrateStorage = false }: { readonly install?: boolean; readonly migrateStorage?: boolean },
): Omit<Permission, 'in'>[] {
  const crds = { kind: CustomResourceDefinition, names: definitions.map(({ metadata }) => metadata.name) };
  const verbs = install ? ['get', 'create', 'patch'] : ['get'];
  if (!migrateStorage) return [{ ...crds, verbs }];
  const objects = definitions.map(({ spec: { group, names, versions } }) => ({
    kind: {
      apiVersion: `${group}/${versions.find(({ storage }) => storage)?.name}`,
      kind: names.kind,
      plural: names.plural,
    },
    verbs: ['get', 'list', 'update'],
  }));
  return [{ ...crds, verbs }, { ...crds, subresource: 'status', verbs: ['patch'] }, ...objects];
}
