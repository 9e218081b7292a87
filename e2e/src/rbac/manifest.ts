import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClusterRole, DeclaredPermission } from '@mcr/core';
import { parse } from 'yaml';

/** A published Role or ClusterRole. */
export interface RoleManifest {
  readonly kind: 'Role' | 'ClusterRole';
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules: NonNullable<ClusterRole['rules']>;
}

/** One verb on one resource, as requests are traced: `list secrets`, `patch clusters.cluster.k8s.io/status`. */
export type Permission = string;

/** @param file for example `packages/core/manifests/rbac-member.yaml`. */
export function roleManifest(file: string): RoleManifest {
  return parse(readFileSync(join(import.meta.dirname, '..', '..', '..', file), 'utf8')) as RoleManifest;
}

export function permissionsOf({ rules }: RoleManifest): Permission[] {
  return rules.flatMap(({ apiGroups = [], resources = [], verbs }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) => verbs.map((verb) => permissionText({ verb, resource, group }))),
    ),
  );
}

/** Returns the role without the permission. */
export function withoutPermission(role: RoleManifest, permission: Permission | undefined): RoleManifest {
  const rules = role.rules.map((rule) => {
    const [[group = ''] = [], [resource = ''] = []] = [rule.apiGroups, rule.resources];
    return { ...rule, verbs: rule.verbs.filter((verb) => permissionText({ verb, resource, group }) !== permission) };
  });
  return { ...role, rules: rules.filter(({ verbs }) => verbs.length > 0) };
}

/** Returns the declared permissions in the format of a {@link Permission}. */
export function declaredPermissions(declared: readonly DeclaredPermission[]): Permission[] {
  return declared.flatMap(({ kind, subresource, verbs, in: origin }) => {
    const [group = ''] = kind.apiVersion.includes('/') ? kind.apiVersion.split('/') : [];
    const resource = [kind.plural, subresource].filter(Boolean).join('/');
    const where = origin === 'local' ? 'hub' : 'member';
    return verbs.map((verb) => `${where}: ${permissionText({ verb, resource, group })}`);
  });
}

interface VerbOnResource {
  readonly verb: string;
  readonly resource: string;
  readonly group: string;
}

function permissionText({ verb, resource, group }: VerbOnResource): Permission {
  const [plural, ...subresource] = resource.split('/');
  return `${verb} ${[[plural, group].filter((part) => part !== '').join('.'), ...subresource].join('/')}`;
}
