import type { CrdManifest, DeepReadonly } from '@mcr/client';
import { CustomResourceDefinition } from '@mcr/client';
import type { SourcePermission } from '../permissions/permission.ts';

/** Returns the permission for definitions that `ensureCrds` needs in each cluster. */
export function definitionPermission(
  names: readonly string[],
  { install }: { readonly install: boolean },
): SourcePermission {
  return { kind: CustomResourceDefinition, names, verbs: install ? ['get', 'create', 'patch'] : ['get'] };
}

/** Returns the permissions of `ensureCrds` in each cluster. */
export function crdPermissions(
  definitions: readonly DeepReadonly<CrdManifest>[],
  { install = false, migrateStorage = false }: { readonly install?: boolean; readonly migrateStorage?: boolean },
): SourcePermission[] {
  const names = definitions.map(({ metadata }) => metadata.name);
  const crds = definitionPermission(names, { install });
  if (!migrateStorage) return [crds];
  const objects = definitions.map(({ spec: { group, names, versions } }) => ({
    kind: {
      apiVersion: `${group}/${versions.find(({ storage }) => storage)?.name}`,
      kind: names.kind,
      plural: names.plural,
    },
    verbs: ['get', 'list', 'update'],
  }));
  return [crds, { ...crds, subresource: 'status', verbs: ['patch'] }, ...objects];
}
