import type { Step } from '../session.ts';
import type { Situation } from './situation.ts';
import { CONFIG_MAPS, createMap, map } from './situation.ts';

function policy(name: string, spec: object, binding: object = {}, requests?: readonly Step[]): Situation {
  return { name, policy: { spec, binding }, requests: requests ?? [createMap(name)] };
}

const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap' };

/** A parameter, which is an object that no policy selects. */
const params: Step = {
  method: 'POST',
  path: CONFIG_MAPS,
  body: map('none', 'params', { limit: '3' }, { labels: { param: 'yes' } }),
};

/** Expressions that ask the authorizer. */
const checks: readonly string[] = [
  '["a"].all(x, authorizer.requestResource.name(x).check("get").reason() == "x")',
  'authorizer.requestResource.fieldSelector("a=b").labelSelector("c").check("list").errored()',
  'authorizer.requestResource.labelSelector("((").check("list").allowed()',
  'authorizer.group("").resource(" ").check("get").allowed()',
  'authorizer.path("").check("get").allowed()',
  'authorizer.serviceAccount("default", "A").path("/x").check("get").allowed()',
  'authorizer.serviceAccount("A", "a").path("/x").check("get").allowed()',
  '!authorizer.serviceAccount("default", "a").path("/version").check("get").allowed()',
  'authorizer.serviceAccount("default", "a").path("/version").check("get").reason() == ""',
  'authorizer.serviceAccount("default", "a").group("").resource("pods").check("get").reason() == "x"',
];

/** ValidatingAdmissionPolicies. */
export const policySituations: readonly Situation[] = [
  policy('p-denied', { validations: [{ expression: 'object.data.a == "x"' }] }),
  policy('p-allowed', { validations: [{ expression: 'object.data.a == "b" && oldObject == null' }] }),
  policy('p-message', { validations: [{ expression: 'false', message: 'no, never', reason: 'Forbidden' }] }),
  policy('p-message-expression', {
    validations: [
      {
        expression: 'object.data.size() > 5',
        messageExpression: '"only " + string(object.data.size()) + " in " + object.metadata.name',
        reason: 'RequestEntityTooLarge',
      },
    ],
  }),
  policy('p-message-fallback', {
    validations: [{ expression: 'false', messageExpression: 'object.data.none + ""', message: 'fallback' }],
  }),
  policy('p-message-lines', { validations: [{ expression: 'false', messageExpression: '"a\\nb"' }] }),
  policy('p-error', { validations: [{ expression: 'object.data.none == "x"' }] }),
  policy('p-ignored', { failurePolicy: 'Ignore', validations: [{ expression: 'object.data.none == "x"' }] }),
  policy('p-several', {
    validations: [{ expression: 'true' }, { expression: '1 == 2' }, { expression: 'false', reason: 'Forbidden' }],
  }),
  policy('p-variables', {
    variables: [
      { name: 'size', expression: 'object.data.size()' },
      { name: 'double', expression: 'variables.size * 2' },
      { name: 'broken', expression: 'object.data.none' },
    ],
    validations: [
      { expression: 'variables.double == 2' },
      { expression: 'variables.double > 2', messageExpression: '"double is " + string(variables.double)' },
    ],
  }),
  policy('p-broken-variable', {
    variables: [{ name: 'broken', expression: 'object.data.none' }],
    validations: [{ expression: 'variables.broken == "x"' }],
  }),
  policy('p-conditions', {
    matchConditions: [{ name: 'named', expression: 'object.metadata.name != "p-conditions"' }],
    validations: [{ expression: 'false' }],
  }),
  policy('p-condition-error', {
    matchConditions: [{ name: 'named', expression: 'object.data.none == ""' }],
    validations: [{ expression: 'true' }],
  }),
  policy(
    'p-warn',
    { validations: [{ expression: 'false', message: 'only a warning' }] },
    { validationActions: ['Warn', 'Audit'] },
  ),
  policy('p-audit', { validations: [{ expression: 'false' }] }, { validationActions: ['Audit'] }),
  policy('p-annotation', {
    auditAnnotations: [{ key: 'k', valueExpression: 'string(object.data.none)' }],
  }),
  policy('p-annotation-value', { auditAnnotations: [{ key: 'k', valueExpression: '"value"' }] }),
  policy('p-request', {
    validations: [
      {
        expression:
          'request.operation == "CREATE" && request.resource.resource == "configmaps" && !has(request.subResource)',
      },
      {
        expression: 'request.namespace == "default" && request.name == "p-request" && request.kind.kind == "ConfigMap"',
      },
      { expression: '!request.dryRun && request.options.kind == "CreateOptions"' },
      { expression: 'namespaceObject.metadata.name == "default" && namespaceObject.status.phase == "Active"' },
      { expression: 'has(object.metadata.uid) && object.metadata.creationTimestamp != ""' },
      { expression: 'namespaceObject.metadata.labels["kubernetes.io/metadata.name"] == "default"', message: 'labels' },
      { expression: 'false', messageExpression: 'request.operation + " " + request.resource.version' },
    ],
  }),
  policy('p-authorizer', {
    validations: [
      { expression: 'authorizer.group("").resource("secrets").namespace("x").name("y").check("get").allowed()' },
      {
        expression: '!authorizer.serviceAccount("default", "other").group("").resource("pods").check("get").allowed()',
      },
      {
        expression:
          'authorizer.path("/metrics").check("get").allowed() && !authorizer.path("/x").check("get").errored()',
      },
      { expression: 'false', message: 'authorized' },
    ],
  }),
  policy('p-request-resource', {
    validations: [
      { expression: 'authorizer.requestResource.check("create").allowed()' },
      { expression: 'authorizer.requestResource.subresource("status").check("get").allowed()' },
      { expression: 'false', messageExpression: '"in " + request.namespace' },
    ],
  }),
  ...checks.map((expression, index) => policy(`p-check-${index}`, { validations: [{ expression }] })),
  policy('p-two-checks', {
    validations: [
      { expression: 'authorizer.path("/a").check("get").allowed() && authorizer.path("/b").check("get").allowed()' },
      { expression: 'false', message: 'two checks fit' },
    ],
  }),
  policy('p-three-checks', {
    validations: [{ expression: '["/a", "/b", "/c"].all(x, authorizer.path(x).check("get").allowed())' }],
  }),
  policy('p-many-checks', {
    validations: Array.from({ length: 32 }, () => ({ expression: 'authorizer.path("/a").check("get").allowed()' })),
  }),
  policy('p-condition-authorizer', {
    matchConditions: [{ name: 'c', expression: 'authorizer.requestResource.check("create").allowed()' }],
    validations: [{ expression: 'false', message: 'the condition is true' }],
  }),
  policy('p-variable-authorizer', {
    variables: [{ name: 'may', expression: 'authorizer.requestResource.check("delete")' }],
    validations: [{ expression: '!variables.may.allowed()' }],
  }),
  policy('p-cost', {
    validations: [
      {
        expression:
          '[1,2,3,4,5,6,7,8,9,10].all(a, [1,2,3,4,5,6,7,8,9,10].all(b, [1,2,3,4,5,6,7,8,9,10].all(c, [1,2,3,4,5,6,7,8,9,10].all(d, [1,2,3,4,5,6,7,8,9,10].all(e, [1,2,3,4,5,6,7,8,9,10].all(f, a + b + c + d + e + f > 0))))))',
      },
    ],
  }),
  policy(
    'p-update',
    { validations: [{ expression: 'request.operation != "UPDATE" || object.data.a == oldObject.data.a' }] },
    {},
    [
      createMap('p-update'),
      { method: 'PATCH', path: `${CONFIG_MAPS}/p-update`, body: { data: { a: 'c' } }, type: 'merge' },
      { method: 'PATCH', path: `${CONFIG_MAPS}/p-update`, body: { data: { b: 'c' } }, type: 'merge' },
    ],
  ),
  policy(
    'p-delete',
    { validations: [{ expression: 'request.operation != "DELETE" || oldObject.data.a != "b"' }] },
    {},
    [createMap('p-delete'), { method: 'DELETE', path: `${CONFIG_MAPS}/p-delete` }],
  ),
  policy(
    'p-names',
    {
      matchConstraints: {
        objectSelector: { matchLabels: { case: 'p-names' } },
        resourceRules: [
          {
            apiGroups: [''],
            apiVersions: ['v1'],
            operations: ['CREATE'],
            resources: ['configmaps'],
            resourceNames: ['other', 'p-names'],
          },
        ],
        excludeResourceRules: [
          {
            apiGroups: [''],
            apiVersions: ['v1'],
            operations: ['CREATE'],
            resources: ['configmaps'],
            resourceNames: ['other'],
          },
        ],
      },
      validations: [{ expression: 'false' }],
    },
    {},
    [createMap('p-names'), { method: 'POST', path: CONFIG_MAPS, body: map('p-names', 'other') }],
  ),
  policy(
    'p-no-params',
    { paramKind: CONFIG_MAP, validations: [{ expression: 'params == null', message: 'there are params' }] },
    {},
  ),
  policy(
    'p-unknown-params',
    { paramKind: { apiVersion: 'none.example.com/v1', kind: 'None' }, validations: [{ expression: 'true' }] },
    { paramRef: { name: 'x', parameterNotFoundAction: 'Deny' } },
  ),
  policy(
    'p-missing-params',
    { paramKind: CONFIG_MAP, validations: [{ expression: 'true' }] },
    { paramRef: { name: 'missing', parameterNotFoundAction: 'Deny' } },
  ),
  policy(
    'p-absent-params',
    { paramKind: CONFIG_MAP, validations: [{ expression: 'false' }] },
    { paramRef: { name: 'missing', namespace: 'default', parameterNotFoundAction: 'Allow' } },
  ),
];

/** Policies whose parameters exist. */
export const parameterSituations: readonly Situation[] = [
  policy(
    'p-params',
    {
      paramKind: CONFIG_MAP,
      matchConditions: [{ name: 'c', expression: 'params.data.limit == "3"' }],
      validations: [
        {
          expression: 'object.data.size() < int(params.data.limit)',
          messageExpression: '"limit is " + params.data.limit',
        },
      ],
    },
    { paramRef: { name: 'params', parameterNotFoundAction: 'Deny' } },
    [
      createMap('p-params'),
      { method: 'POST', path: CONFIG_MAPS, body: map('p-params', 'p-params-2', { a: '1', b: '2', c: '3' }) },
    ],
  ),
  policy(
    'p-selected-params',
    {
      paramKind: CONFIG_MAP,
      validations: [{ expression: 'false', messageExpression: 'string(params.metadata.name)' }],
    },
    {
      paramRef: { selector: { matchLabels: { param: 'yes' } }, namespace: 'default', parameterNotFoundAction: 'Deny' },
    },
  ),
];

export const parameter = params;
