import type { Step } from '../session.ts';

const GROUP = '/apis/admissionregistration.k8s.io/v1';

function configuration(kind: 'Mutating' | 'Validating', ...webhooks: readonly object[]): Step {
  return {
    method: 'POST',
    path: `${GROUP}/${kind.toLowerCase()}webhookconfigurations?dryRun=All`,
    body: {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: `${kind}WebhookConfiguration`,
      metadata: { name: 'configured' },
      webhooks,
    },
  };
}

const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] };
const good = {
  name: 'a.example.com',
  clientConfig: { url: 'https://127.0.0.1/x' },
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  rules: [rule],
};

function policy(spec: object): Step {
  return {
    method: 'POST',
    path: `${GROUP}/validatingadmissionpolicies?dryRun=All`,
    body: {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name: 'configured' },
      spec,
    },
  };
}

function binding(spec: object): Step {
  return {
    method: 'POST',
    path: `${GROUP}/validatingadmissionpolicybindings?dryRun=All`,
    body: {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name: 'configured' },
      spec,
    },
  };
}

const matchConstraints = { resourceRules: [rule] };

/** Configurations with errors, and their defaults. */
export const configurationErrors: readonly Step[] = [
  policy({ matchConstraints, validations: [{ expression: 'true' }] }),
  policy({}),
  policy({ matchConstraints: {}, failurePolicy: 'Maybe', paramKind: {}, validations: [] }),
  policy({ matchConstraints, paramKind: { apiVersion: 'A/b/c', kind: 'x_y' }, validations: [{ expression: 'true' }] }),
  policy({ matchConstraints, paramKind: { apiVersion: 'A_/V_', kind: 'x' }, validations: [{ expression: 'true' }] }),
  policy({
    matchConstraints,
    validations: [
      { expression: '' },
      { expression: 'object.a' },
      { expression: '1 + 1', message: 'a\nb', reason: 'Other' },
      { expression: 'params.x == 1', messageExpression: '1' },
      { expression: 'variables.x == 1', messageExpression: ' ', message: ' ' },
      { expression: 'true', messageExpression: 'authorizer.path("/").check("get").reason()' },
    ],
  }),
  policy({
    matchConstraints,
    validations: [
      { expression: 'true', messageExpression: 'authorizer.requestResource.check("get").reason()' },
      { expression: 'authorizer.requestResource.path("/").check("get").allowed()' },
      { expression: 'authorizer.requestResource == "x"' },
      { expression: 'authorizer.other.check("get").allowed()' },
      { expression: 'authorizer.requestResource' },
      { expression: '[object].all(authorizer, authorizer.requestResource == "x")' },
    ],
  }),
  policy({
    matchConstraints,
    variables: [
      { name: 'a', expression: 'variables.b' },
      { name: 'not-valid', expression: '1' },
      { name: 'b', expression: '' },
      { name: 'c', expression: '1 +' },
      { name: 'd', expression: 'size(object.x)' },
    ],
    validations: [
      { expression: 'variables.d == 1' },
      { expression: 'variables.d == "x"' },
      { expression: 'variables.z' },
    ],
  }),
  policy({
    matchConstraints,
    matchConditions: [{ name: 'x', expression: 'variables.x' }],
    auditAnnotations: [
      { key: 'k', valueExpression: '1' },
      { key: 'k', valueExpression: '' },
      { key: 'not valid!', valueExpression: 'null' },
    ],
  }),
  policy({
    matchConstraints: {
      matchPolicy: 'Some',
      resourceRules: [{ ...rule, resourceNames: ['a', 'a', 'b/c'] }],
      excludeResourceRules: [{ ...rule, operations: [] }],
    },
    validations: [{ expression: 'true' }],
  }),
  binding({ policyName: 'p', validationActions: ['Deny'] }),
  binding({}),
  binding({
    policyName: 'P_',
    validationActions: ['Deny', 'Warn', 'Deny', 'Log'],
    matchResources: { matchPolicy: 'X' },
  }),
  binding({ policyName: 'p', validationActions: ['Deny'], paramRef: {} }),
  binding({
    policyName: 'p',
    validationActions: ['Deny'],
    paramRef: { name: 'a/b', selector: {}, parameterNotFoundAction: 'Maybe' },
  }),
  configuration('Mutating', good),
  configuration('Validating', { ...good, clientConfig: { service: { name: 's', namespace: 'n' } } }),
  configuration('Mutating', {}),
  configuration('Validating', { ...good, name: 'short' }, good, good),
  configuration('Validating', { ...good, clientConfig: { url: 'http://user@/x?y#z' } }),
  configuration('Validating', {
    ...good,
    clientConfig: { url: 'https://a/x', service: { name: 's', namespace: 'n' } },
  }),
  configuration('Validating', {
    ...good,
    clientConfig: { service: { name: '', namespace: '', port: 0, path: 'a//b' } },
  }),
  configuration('Mutating', {
    ...good,
    failurePolicy: 'Maybe',
    matchPolicy: 'Some',
    sideEffects: 'Some',
    timeoutSeconds: 31,
    reinvocationPolicy: 'Always',
    admissionReviewVersions: ['v1', 'v1', 'V_9'],
  }),
  configuration('Validating', { ...good, admissionReviewVersions: ['v9'] }),
  configuration('Validating', {
    ...good,
    rules: [
      { apiGroups: [], apiVersions: [], operations: [], resources: [] },
      {
        apiGroups: ['*', 'a'],
        apiVersions: ['*', ''],
        operations: ['*', 'READ'],
        resources: ['*/*', 'pods', 'pods/*', 'pods/log', '*/status', 'x/status', '', '*'],
        scope: 'Local',
      },
    ],
  }),
  configuration('Validating', {
    ...good,
    namespaceSelector: { matchExpressions: [{ key: '-', operator: 'Is' }] },
    objectSelector: { matchLabels: { a: 'not valid!' } },
  }),
  configuration('Validating', {
    ...good,
    matchConditions: [
      { name: 'a', expression: 'object.a ==' },
      { name: 'a', expression: 'true' },
      { name: '', expression: ' ' },
      { name: 'not valid!', expression: '"text"' },
      { name: 'unknown', expression: 'params.x == 1' },
    ],
  }),
];
