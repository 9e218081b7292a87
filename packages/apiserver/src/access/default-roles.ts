import { AUTHENTICATED, MASTERS } from './user.ts';

const API_VERSION = 'rbac.authorization.k8s.io/v1';
const GROUP = 'rbac.authorization.k8s.io';

const READ = ['get', 'list', 'watch'];
const WRITE = ['create', 'delete', 'deletecollection', 'patch', 'update'];

/**
 * Resources in the default roles for users of a namespace. Only `admin` contains RBAC, and `view` contains no Secrets.
 */
const VIEWED = [
  {
    apiGroups: [''],
    resources: [
      'configmaps',
      'endpoints',
      'events',
      'limitranges',
      'namespaces',
      'persistentvolumeclaims',
      'pods',
      'pods/status',
      'resourcequotas',
      'serviceaccounts',
      'services',
      'services/status',
    ],
  },
  { apiGroups: ['apps', 'autoscaling', 'batch', 'policy', 'networking.k8s.io', 'discovery.k8s.io'], resources: ['*'] },
];
const SECRETS = { apiGroups: [''], resources: ['secrets'] };
const EVICTION = { apiGroups: [''], resources: ['pods/eviction'], verbs: ['create'] };
const RBAC = { apiGroups: [GROUP], resources: ['roles', 'rolebindings'], verbs: [...READ, ...WRITE] };

const view = VIEWED.map((reach) => ({ ...reach, verbs: READ }));
const edit = [...view, ...[...VIEWED, SECRETS].map((reach) => ({ ...reach, verbs: [...READ, ...WRITE] })), EVICTION];

function role(name: string, rules: readonly object[]): object {
  return { apiVersion: API_VERSION, kind: 'ClusterRole', metadata: { name }, rules };
}

function binding(name: string, group: string): object {
  return {
    apiVersion: API_VERSION,
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name },
    subjects: [{ apiGroup: GROUP, kind: 'Group', name: group }],
  };
}

/** Returns the roles and bindings that every cluster starts with: those of a real cluster that users refer to. */
export const defaultRoles = (): readonly object[] => [
  role('cluster-admin', [
    { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
    { nonResourceURLs: ['*'], verbs: ['*'] },
  ]),
  binding('cluster-admin', MASTERS),
  role('admin', [...edit, RBAC]),
  role('edit', edit),
  role('view', view),
  role('system:discovery', [
    {
      nonResourceURLs: [
        ...['/api', '/api/*', '/apis', '/apis/*', '/healthz', '/livez', '/openapi', '/openapi/*', '/readyz'],
        ...['/version', '/version/'],
      ],
      verbs: ['get'],
    },
  ]),
  binding('system:discovery', AUTHENTICATED),
  role('system:public-info-viewer', [
    { nonResourceURLs: ['/healthz', '/livez', '/readyz', '/version', '/version/'], verbs: ['get'] },
  ]),
  binding('system:public-info-viewer', AUTHENTICATED),
  role('system:basic-user', [
    {
      apiGroups: ['authorization.k8s.io'],
      resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'],
      verbs: ['create'],
    },
    { apiGroups: ['authentication.k8s.io'], resources: ['selfsubjectreviews'], verbs: ['create'] },
  ]),
  binding('system:basic-user', AUTHENTICATED),
  role('system:auth-delegator', [
    { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
    { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
  ]),
];
