import type { Project, ProjectPermission } from '../../project/project.ts';
import type { Manifest } from '../manifest.ts';

type Origin = ProjectPermission['in'];
type Definition = Project['definitions'][number];

/** A file with the CustomResourceDefinition of a kind. */
export interface DefinitionFile {
  readonly name: string;
  readonly manifest: Manifest;
}

/**
 * Returns the CustomResourceDefinitions that are needed in the local cluster, or in the clusters of the provider. Those that
 * the program installs there by itself are left out. A kind that no permission names is needed in the local cluster.
 */
export function definitionsOf({ definitions, permissions }: Project, origin: Origin): DefinitionFile[] {
  return definitions
    .filter((definition) => {
      const declared = permissions.filter((permission) => isOfKind(permission, definition));
      const origins = declared.length > 0 ? declared.map((permission) => permission.in) : ['local'];
      return origins.includes(origin) && !permissions.some((permission) => installs(permission, definition, origin));
    })
    .map((definition) => ({ name: definition.metadata.name, manifest: { object: definition } }))
    .sort((left, right) => (left.name < right.name ? -1 : 1));
}

function isOfKind({ group, resource }: ProjectPermission, { spec }: Definition): boolean {
  return group === spec.group && resource === spec.names.plural;
}

/** Whether a permission is that of `ensureCrds` for this definition. */
function installs(permission: ProjectPermission, { metadata }: Definition, origin: Origin): boolean {
  const { group, resource, verbs, names, in: place } = permission;
  const isOfDefinitions = group === 'apiextensions.k8s.io' && resource === 'customresourcedefinitions';
  return place === origin && isOfDefinitions && verbs.includes('create') && names?.includes(metadata.name) === true;
}
