import { ageColumn, nameColumn, textColumn } from '../columns.ts';
import type { Change, Column } from '../resource-type.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import type { KindRow } from '../kind-row.ts';

const RBAC_GROUP = 'rbac.authorization.k8s.io';

const roleColumn: Column = {
  name: 'Role',
  type: 'string',
  cell: (binding) => `${scalarText(valueAt(binding, 'roleRef.kind'))}/${scalarText(valueAt(binding, 'roleRef.name'))}`,
};

/** Sets the default API group of subjects: RBAC for a user or group, core for a service account. */
function defaultApiGroups({ object }: Change): void {
  const roleRef = object['roleRef'];
  if (typeof roleRef === 'object' && roleRef !== null) object['roleRef'] = { apiGroup: RBAC_GROUP, ...roleRef };
  const subjects = object['subjects'];
  if (!Array.isArray(subjects)) return;
  object['subjects'] = subjects.map((subject: unknown) => {
    const isAccount = valueAt(subject, 'kind') === 'ServiceAccount';
    return isAccount ? subject : { apiGroup: RBAC_GROUP, ...(subject as object) };
  });
}

/** RBAC. */
export const accessKinds: readonly KindRow[] = [
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    plural: 'roles',
    nameRule: 'path segment',
    columns: [nameColumn, textColumn('Created At', 'metadata.creationTimestamp')],
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    plural: 'clusterroles',
    scope: 'Cluster',
    nameRule: 'path segment',
    columns: [nameColumn, textColumn('Created At', 'metadata.creationTimestamp')],
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    plural: 'rolebindings',
    nameRule: 'path segment',
    immutable: ['roleRef'],
    prepare: defaultApiGroups,
    columns: [nameColumn, roleColumn, ageColumn],
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    plural: 'clusterrolebindings',
    scope: 'Cluster',
    nameRule: 'path segment',
    immutable: ['roleRef'],
    prepare: defaultApiGroups,
    columns: [nameColumn, roleColumn, ageColumn],
  },
];
