import type { Choices } from '../choices.ts';
import { NAMESPACE } from '../examples.ts';
import type { Json, JsonObject, Operation } from '../operation.ts';
import { JSON_TYPE } from '../operation.ts';
import { accept } from './queries.ts';

const GROUPS = [
  ...[
    'apps/v1',
    'batch/v1',
    'autoscaling/v1',
    'autoscaling/v2',
    'policy/v1',
    'networking.k8s.io/v1',
    'rbac.authorization.k8s.io/v1',
  ],
  ...['coordination.k8s.io/v1', 'events.k8s.io/v1', 'discovery.k8s.io/v1', 'storage.k8s.io/v1', 'scheduling.k8s.io/v1'],
  ...['node.k8s.io/v1', 'admissionregistration.k8s.io/v1', 'apiextensions.k8s.io/v1', 'apiregistration.k8s.io/v1'],
  ...[
    'certificates.k8s.io/v1',
    'authentication.k8s.io/v1',
    'authorization.k8s.io/v1',
    'flowcontrol.apiserver.k8s.io/v1',
  ],
  ...['resource.k8s.io/v1', 'judge.example.com/v1', 'judge.example.com/v1beta1', 'absent.example.com/v1', 'apps/v2'],
] as const;

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

const OTHERS = [
  ...[
    '/api',
    '/apis',
    '/api/v1',
    '/version',
    '/version/',
    '/healthz',
    '/livez',
    '/readyz',
    '/readyz/ping',
    '/livez/x',
    '/',
    '/x',
  ],
  ...[
    '/api/',
    '/apis/',
    '/api/v2',
    '/apis/apps/',
    '/api/v1/',
    '/openapi/v3',
    '/openapi/x',
    '/openid/v1/jwks',
    '/metrics/x',
  ],
  ...[
    '/.well-known/openid-configuration',
    '/api/v1/x',
    '/apis/apps/v1/x',
    '/api/v1/namespaces/judge/x/y',
    '/logs',
    '/debug',
  ],
  ...[
    '/api/v1/namespaces',
    '/api/v1/namespaces/judge',
    '/api/v1/namespaces/judge/pods/',
    '/api/v1/watch/x',
    '/readyz?exclude=x',
  ],
  ...[
    '/healthz/etcd',
    '/api/v1/componentstatuses/x',
    '/apis/metrics.k8s.io/v1beta1',
    '/api/v1/namespaces/judge/finalize',
  ],
  ...[
    '/apis/apiregistration.k8s.io/v1/apiservices/v1.apps',
    '/apis/apiregistration.k8s.io/v1/apiservices',
    '/apis/apps',
  ],
] as const;

/** Returns a request for what the server says about itself. */
export function onServer(choices: Choices): Operation {
  return choices.weighted<() => Operation>([
    [4, () => ({ method: 'GET', path: choices.one(OTHERS), headers: accept(choices, 0.3) })],
    [3, () => ({ method: 'GET', path: `/apis/${choices.one(GROUPS)}`, headers: accept(choices, 0.2) })],
    [
      1,
      () => ({
        method: 'GET',
        path: `/apis/${choices.one(GROUPS).split('/')[0] ?? ''}`,
        headers: accept(choices, 0.2),
      }),
    ],
    [0.5, () => ({ method: 'GET', path: choices.one(['/api', '/apis']), headers: { accept: AGGREGATED } })],
    [0.7, () => ({ method: 'GET', path: `/openapi/v3/apis/${choices.one(GROUPS)}` })],
    [
      1,
      () =>
        keepingNamespace({
          method: choices.one(['POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS', 'X']),
          path: choices.one(OTHERS),
          headers: accept(choices),
        }),
    ],
  ])();
}

/** Reads the namespace of the objects instead of deleting it. */
function keepingNamespace(operation: Operation): Operation {
  const { method, path } = operation;
  return method === 'DELETE' && path === `/api/v1/namespaces/${NAMESPACE}`
    ? { ...operation, method: 'GET' }
    : operation;
}

const USERS: readonly JsonObject[] = [
  { user: 'jane' },
  { user: 'root', groups: ['system:masters'] },
  { user: 'system:serviceaccount:judge:a', groups: ['system:serviceaccounts', 'system:authenticated'] },
  { groups: ['system:authenticated'] },
  {},
];

/** Returns a review, or a request as another user. */
export function onAccess(choices: Choices): Operation {
  const attributes: JsonObject = choices.one<JsonObject>([
    {
      resourceAttributes: {
        verb: choices.one(['get', 'list', '*', '']),
        resource: choices.one(['pods', 'secrets', 'x']),
        namespace: NAMESPACE,
      },
    },
    { resourceAttributes: { verb: 'create', resource: 'deployments', group: 'apps', subresource: 'scale' } },
    { nonResourceAttributes: { path: choices.one(['/healthz', '/version', '/x']), verb: 'get' } },
    { resourceAttributes: { verb: 'get' }, nonResourceAttributes: { path: '/', verb: 'get' } },
    {},
  ]);
  const review = (kind: string, spec: JsonObject, group = 'authorization'): JsonObject => ({
    apiVersion: `${group}.k8s.io/v1`,
    kind,
    spec,
  });
  const headers = {
    'impersonate-user': choices.one(['jane', 'system:anonymous', 'system:serviceaccount:judge:a', '']),
  };
  return choices.one<() => Operation>([
    () => post('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', review('SelfSubjectAccessReview', attributes)),
    () =>
      post(
        '/apis/authorization.k8s.io/v1/subjectaccessreviews',
        review('SubjectAccessReview', { ...attributes, ...choices.one(USERS) }),
      ),
    () =>
      post(
        `/apis/authorization.k8s.io/v1/namespaces/${NAMESPACE}/localsubjectaccessreviews`,
        review('LocalSubjectAccessReview', { ...attributes, ...choices.one(USERS) }),
      ),
    () =>
      post(
        '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews',
        review('SelfSubjectRulesReview', choices.one<JsonObject>([{ namespace: NAMESPACE }, {}])),
      ),
    () => post('/apis/authentication.k8s.io/v1/selfsubjectreviews', {}),
    () =>
      post(
        '/apis/authentication.k8s.io/v1/tokenreviews',
        review('TokenReview', { token: choices.one(['', 'x', 'a.b.c']) }, 'authentication'),
      ),
    () => ({
      method: 'GET',
      path: `/api/v1/namespaces/${NAMESPACE}/${choices.one(['pods', 'secrets/a', 'x'])}`,
      headers,
    }),
    () => ({
      method: choices.one(['GET', 'DELETE', 'PATCH']),
      path: choices.one(['/apis/apps/v1/deployments', '/api/v1/nodes/a', '/version', '/x']),
      headers,
    }),
    () => ({
      method: 'GET',
      path: '/api/v1/nodes',
      headers: { ...headers, 'impersonate-group': choices.one(['system:masters', 'x']) },
    }),
    () => ({ method: 'GET', path: '/api/v1/nodes', headers: { 'impersonate-group': 'system:masters' } }),
    () => ({
      method: 'GET',
      path: '/api/v1/nodes',
      headers: { authorization: choices.one(['Bearer x', 'Basic eA==', 'x']) },
    }),
  ])();
}

function post(path: string, body: Json): Operation {
  return { method: 'POST', path, headers: JSON_TYPE, body };
}
