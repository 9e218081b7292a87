import { bindingErrors, roleErrors } from '../validation/roles.ts';
import { listAt } from '../cells.ts';
import { ageColumn, defaultColumns, nameColumn } from '../columns.ts';
import type { Column } from '../resource-type.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import type { KindRow } from '../kind-row.ts';

const roleColumn: Column = {
  name: 'Role',
  type: 'string',
  cell: (binding) => `${scalarText(valueAt(binding, 'roleRef.kind'))}/${scalarText(valueAt(binding, 'roleRef.name'))}`,
};

/** Columns of wide output: the subjects of each kind. */
const subjectColumns: readonly Column[] = (['User', 'Group', 'ServiceAccount'] as const).map((kind) => ({
  name: `${kind}s`,
  type: 'string',
  priority: 1,
  cell: (binding) =>
    listAt(binding, 'subjects')
      .filter((subject) => valueAt(subject, 'kind') === kind)
      .map((subject) => {
        const [namespace, name] = ['namespace', 'name'].map((field) => scalarText(valueAt(subject, field)));
        return kind === 'ServiceAccount' ? `${namespace}/${name}` : name;
      })
      .join(', '),
}));

/** RBAC. */
export const accessKinds: readonly KindRow[] = [
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    validate: roleErrors(true),
    plural: 'roles',
    nameRule: 'path segment',
    createsOnUpdate: true,
    columns: defaultColumns,
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    validate: roleErrors(false),
    plural: 'clusterroles',
    scope: 'Cluster',
    nameRule: 'path segment',
    createsOnUpdate: true,
    columns: defaultColumns,
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    validate: bindingErrors(['Role', 'ClusterRole']),
    plural: 'rolebindings',
    nameRule: 'path segment',
    createsOnUpdate: true,
    columns: [nameColumn, roleColumn, ageColumn, ...subjectColumns],
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    validate: bindingErrors(['ClusterRole']),
    plural: 'clusterrolebindings',
    scope: 'Cluster',
    nameRule: 'path segment',
    createsOnUpdate: true,
    columns: [nameColumn, roleColumn, ageColumn, ...subjectColumns],
  },
];
