import type { Kind, KubernetesObject } from '@mcr/client';
import { ConfigMap, Namespace } from '@mcr/client';
import type { Permission } from '../../permissions/permission.ts';
import type { PlacementOptions } from './placement-options.ts';

const READ = ['get', 'list', 'watch'];
const READ_AND_WRITE = [...READ, 'create', 'patch', 'delete'];

/** Returns the permissions of a placement. */
export function placementPermissions<T extends KubernetesObject>(
  owner: Kind<T>,
  { kinds, status = true, namespaces }: Pick<PlacementOptions<T>, 'kinds' | 'status' | 'namespaces'>,
): Permission[] {
  const owners = { kind: owner, ...(namespaces && { namespaces }), in: 'local' } as const;
  return [
    // The placement sets a finalizer.
    { ...owners, verbs: [...READ, 'patch'] },
    ...(status ? [{ ...owners, subresource: 'status', verbs: ['patch'] }] : []),
    // The placement records.
    { kind: ConfigMap, verbs: READ_AND_WRITE, in: 'local' },
    { kind: Namespace, names: ['kube-system'], verbs: ['get'], in: 'local' },
    ...kinds.map((kind) => ({ kind, verbs: READ_AND_WRITE, in: 'members' }) as const),
  ];
}
