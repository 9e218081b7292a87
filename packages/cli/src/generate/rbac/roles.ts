import { POD_NAMESPACE, type ProjectPermission } from '../../project/project.ts';
import type { Manifest } from '../manifest.ts';
import type { Target } from '../target.ts';
import { type Rule, rulesOf } from './rules.ts';

const API_VERSION = 'rbac.authorization.k8s.io/v1';
const API_GROUP = 'rbac.authorization.k8s.io';

/** Returns the roles of permissions: one for each namespace that they name, and a ClusterRole for the others. */
export function rolesOf(permissions: readonly ProjectPermission[], { name, namespace }: Target): Manifest[] {
  const byNamespace = new Map<string | undefined, ProjectPermission[]>();
  for (const permission of permissions) {
    // Cluster-scoped objects are in no namespace.
    const namespaces = permission.isClusterScoped ? [undefined] : (permission.namespaces ?? [undefined]);
    for (const declared of new Set(namespaces)) {
      const place = declared === POD_NAMESPACE ? namespace : declared;
      byNamespace.set(place, [...(byNamespace.get(place) ?? []), permission]);
    }
  }
  // The ClusterRole is first, then the namespaces in their order.
  const places = [...byNamespace].sort(([left = ''], [right = '']) => (left < right ? -1 : 1));
  return places.map(([place, declared]) => {
    const isOwn = place === undefined || place === namespace;
    return roleOf(isOwn ? name : `${name}-${place}`, place, rulesOf(declared));
  });
}

function roleOf(name: string, namespace: string | undefined, rules: readonly Rule[]): Manifest {
  return {
    object: {
      apiVersion: API_VERSION,
      kind: namespace === undefined ? 'ClusterRole' : 'Role',
      metadata: { name, ...(namespace !== undefined && { namespace }) },
      rules: rules.map(({ policy }) => policy),
    },
    ruleComments: rules.map(({ comments }) => comments),
  };
}

/** Returns the binding of a role to the ServiceAccount of the program. */
export function bindingOf({ object: { kind, metadata } }: Manifest, { name, namespace }: Target): Manifest {
  const object = {
    apiVersion: API_VERSION,
    kind: `${kind}Binding`,
    ...(metadata && { metadata }),
    roleRef: { apiGroup: API_GROUP, kind, name: metadata?.name },
    subjects: [{ kind: 'ServiceAccount', name, namespace }],
  };
  return { object };
}
