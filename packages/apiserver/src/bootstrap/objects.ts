import type { ResourceType } from '../resources/resource-type.ts';
import { apiServices } from './api-services.ts';
import { bootstrapRoles } from './bootstrap-roles.ts';
import { flowControlObjects } from './flow-control.ts';

/** Address of the Service `kubernetes`: the first of the range. */
const FIRST_ADDRESS = '10.0.0.1';

const namespaces = ['default', 'kube-system', 'kube-public', 'kube-node-lease'].map((name) => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name },
}));

function priorityClass(name: string, value: number, description: string): object {
  return { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name }, value, description };
}

/** The Service that leads to the API server, and the address range. It has no endpoints on loopback. */
const ownService = [
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'kubernetes', namespace: 'default', labels: { component: 'apiserver', provider: 'kubernetes' } },
    spec: {
      clusterIP: FIRST_ADDRESS,
      ipFamilyPolicy: 'SingleStack',
      ports: [{ name: 'https', port: 443, targetPort: 6443 }],
    },
  },
  // The last object: it is written once more, and later clusters get it with its status.
  {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'ServiceCIDR',
    metadata: { name: 'kubernetes' },
    spec: { cidrs: ['10.0.0.0/24'] },
  },
];

/**
 * Returns the objects that a new control plane has before its clients write any, without kube-controller-manager. The two
 * ConfigMaps of a real server in `kube-system` are missing, so that tests find only their own ConfigMaps.
 *
 * @param types kinds that the cluster serves.
 */
export function bootstrapObjects(types: readonly ResourceType[]): object[] {
  return [
    ...namespaces,
    ...bootstrapRoles(),
    priorityClass(
      'system-node-critical',
      2_000_001_000,
      'Used for system critical pods that must not be moved from their current node.',
    ),
    priorityClass(
      'system-cluster-critical',
      2_000_000_000,
      'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
    ),
    ...flowControlObjects(),
    ...apiServices(types),
    ...ownService,
  ];
}
