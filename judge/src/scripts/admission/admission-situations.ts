import type { Answer } from '../../../../packages/apiserver/src/webhooks/webhook-server.fixture.ts';
import {
  admissionReview,
  allow,
  deny,
  patchWith,
} from '../../../../packages/apiserver/src/webhooks/webhook-server.fixture.ts';
import type { Situation } from './situation.ts';
import { CONFIG_MAPS, createMap, map } from './situation.ts';

/** Appends a letter to an entry of the data. */
const append =
  (letter: string): Answer =>
  (review, response) => {
    const before = review.request.object.data['trace'] ?? '';
    return patchWith({ op: 'add', path: '/data/trace', value: `${before}${letter}` })(review, response);
  };

const status =
  (fields: object): Answer =>
  (review) =>
    admissionReview(review, { allowed: false, status: fields });

const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const PODS = '/api/v1/namespaces/default/pods';

const rule = (group: string, version: string, ...resources: string[]): object => ({
  rules: [{ apiGroups: [group], apiVersions: [version], operations: ['*'], resources }],
});

/** Webhooks that respond properly. */
export const admissionSituations: readonly Situation[] = [
  {
    name: 'order',
    webhooks: [
      { kind: 'Mutating', answer: append('a'), fields: { reinvocationPolicy: 'IfNeeded' } },
      { kind: 'Mutating', answer: append('b') },
      { kind: 'Mutating', answer: append('c'), fields: { reinvocationPolicy: 'IfNeeded' } },
      { kind: 'Validating', answer: allow, records: true },
    ],
    requests: [createMap('order')],
  },
  {
    name: 'operations',
    webhooks: [{ kind: 'Validating', answer: allow, records: true }],
    requests: [
      createMap('operations'),
      { method: 'PUT', path: `${CONFIG_MAPS}/operations`, body: map('operations', 'operations', { a: 'c' }) },
      { method: 'PATCH', path: `${CONFIG_MAPS}/operations?fieldManager=me`, body: { data: { a: 'd' } }, type: 'merge' },
      {
        method: 'PATCH',
        path: `${CONFIG_MAPS}/operations?fieldManager=me&force=true`,
        body: map('operations', 'operations', { a: 'e' }),
        type: 'apply',
      },
      {
        method: 'PATCH',
        path: `${CONFIG_MAPS}/operations-2?fieldManager=me`,
        body: map('operations', 'operations-2'),
        type: 'apply',
      },
      { method: 'POST', path: `${CONFIG_MAPS}?dryRun=All`, body: map('operations', 'operations-3') },
      { method: 'PATCH', path: `${CONFIG_MAPS}/operations`, body: {}, type: 'merge' },
      { method: 'DELETE', path: `${CONFIG_MAPS}/operations`, body: { gracePeriodSeconds: 5 } },
      { method: 'DELETE', path: `${CONFIG_MAPS}?labelSelector=case%3Doperations` },
    ],
  },
  {
    name: 'generated',
    webhooks: [{ kind: 'Mutating', answer: allow, records: true }],
    requests: [
      {
        method: 'POST',
        path: CONFIG_MAPS,
        body: {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { generateName: 'generated-', labels: { case: 'generated' } },
        },
      },
    ],
  },
  { name: 'denied', webhooks: [{ kind: 'Validating', answer: deny('not today') }], requests: [createMap('denied')] },
  {
    name: 'unexplained',
    webhooks: [{ kind: 'Validating', answer: (review) => admissionReview(review, { allowed: false }) }],
    requests: [createMap('unexplained')],
  },
  {
    name: 'reason',
    webhooks: [{ kind: 'Mutating', answer: status({ reason: 'Teapot', code: 418 }) }],
    requests: [createMap('reason')],
  },
  {
    name: 'details',
    webhooks: [
      {
        kind: 'Validating',
        answer: status({
          status: 'Success',
          code: 200,
          reason: 'Invalid',
          message: 'bad',
          details: { name: 'n', kind: 'k', causes: [{ reason: 'FieldValueInvalid', message: 'm', field: 'data.a' }] },
        }),
      },
    ],
    requests: [createMap('details')],
  },
  {
    name: 'warnings',
    webhooks: [
      {
        kind: 'Validating',
        answer: (review) => admissionReview(review, { allowed: true, warnings: ['one', 'two "quoted"', 'one'] }),
      },
    ],
    requests: [createMap('warnings')],
  },
  {
    name: 'long-warnings',
    webhooks: [
      {
        kind: 'Validating',
        answer: (review) => admissionReview(review, { allowed: true, warnings: ['short', 'x'.repeat(5000)] }),
      },
    ],
    requests: [createMap('long-warnings')],
  },
  {
    name: 'old-review',
    webhooks: [
      {
        kind: 'Mutating',
        answer: (review) => admissionReview(review, { allowed: true, uid: 'ignored' }),
        fields: { admissionReviewVersions: ['v9', 'v1beta1', 'v1'] },
      },
    ],
    requests: [createMap('old-review')],
  },
  {
    name: 'invalid-result',
    webhooks: [{ kind: 'Mutating', answer: patchWith({ op: 'add', path: '/metadata/labels/a', value: 'not valid!' }) }],
    requests: [createMap('invalid-result')],
  },
  {
    name: 'unknown-field',
    webhooks: [{ kind: 'Mutating', answer: patchWith({ op: 'add', path: '/nothing', value: 'x' }) }],
    requests: [createMap('unknown-field')],
  },
  {
    name: 'conditions',
    webhooks: [
      {
        kind: 'Validating',
        answer: deny('selected'),
        fields: {
          matchConditions: [
            { name: 'create', expression: 'request.operation == "CREATE" && oldObject == null' },
            { name: 'data', expression: 'object.data.a == "yes"' },
          ],
        },
      },
    ],
    requests: [
      createMap('conditions', { a: 'yes' }),
      createMap('conditions', { a: 'no' }),
      { method: 'DELETE', path: `${CONFIG_MAPS}/conditions` },
      createMap('conditions', { b: 'no' }),
    ],
  },
  {
    name: 'lenient-conditions',
    webhooks: [
      {
        kind: 'Validating',
        answer: deny('selected'),
        fields: {
          failurePolicy: 'Ignore',
          matchConditions: [{ name: 'data', expression: 'object.data.none == "yes"' }],
        },
      },
    ],
    requests: [createMap('lenient-conditions')],
  },
  {
    name: 'subresources',
    webhooks: [
      {
        kind: 'Validating',
        answer: allow,
        records: true,
        fields: { objectSelector: {}, ...rule('apps', 'v1', 'deployments/*') },
      },
    ],
    requests: [
      {
        method: 'POST',
        path: DEPLOYMENTS,
        body: {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          metadata: { name: 'subresources' },
          spec: {
            selector: { matchLabels: { a: 'b' } },
            template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'a', image: 'a' }] } },
          },
        },
      },
      { method: 'PATCH', path: `${DEPLOYMENTS}/subresources/scale`, body: { spec: { replicas: 3 } }, type: 'merge' },
      { method: 'PATCH', path: `${DEPLOYMENTS}/subresources/status`, body: { status: { replicas: 3 } }, type: 'merge' },
    ],
  },
  {
    name: 'scaled',
    webhooks: [
      {
        kind: 'Mutating',
        answer: patchWith({ op: 'replace', path: '/spec/replicas', value: 9 }),
        fields: { objectSelector: {}, ...rule('apps', 'v1', 'deployments/scale') },
      },
    ],
    requests: [
      { method: 'PATCH', path: `${DEPLOYMENTS}/subresources/scale`, body: { spec: { replicas: 4 } }, type: 'merge' },
      { method: 'GET', path: `${DEPLOYMENTS}/subresources/scale` },
    ],
  },
  {
    name: 'actions',
    webhooks: [
      {
        kind: 'Validating',
        answer: deny('no action'),
        records: true,
        fields: { objectSelector: {}, ...rule('', 'v1', 'pods/eviction', 'pods/binding', 'serviceaccounts/token') },
      },
    ],
    requests: [
      {
        method: 'POST',
        path: '/api/v1/namespaces/default/serviceaccounts',
        body: { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'actor' } },
      },
      {
        method: 'POST',
        path: PODS,
        body: {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: 'actions' },
          spec: {
            serviceAccountName: 'actor',
            automountServiceAccountToken: false,
            containers: [{ name: 'a', image: 'a' }],
          },
        },
      },
      {
        method: 'POST',
        path: `${PODS}/actions/eviction`,
        body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'actions' } },
      },
      {
        method: 'POST',
        path: `${PODS}/actions/binding`,
        body: { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'actions' }, target: { name: 'n' } },
      },
      {
        method: 'POST',
        path: '/api/v1/namespaces/default/serviceaccounts/actor/token',
        body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
      },
    ],
  },
  {
    name: 'equivalent',
    webhooks: [
      {
        kind: 'Mutating',
        answer: patchWith({ op: 'replace', path: '/spec/maxReplicas', value: 8 }),
        fields: rule('autoscaling', 'v2', 'horizontalpodautoscalers'),
      },
    ],
    requests: [
      {
        method: 'POST',
        path: '/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers',
        body: {
          apiVersion: 'autoscaling/v1',
          kind: 'HorizontalPodAutoscaler',
          metadata: { name: 'equivalent', labels: { case: 'equivalent' } },
          spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' }, maxReplicas: 3 },
        },
      },
    ],
  },
  {
    name: 'exact',
    webhooks: [
      {
        kind: 'Mutating',
        answer: deny('never'),
        fields: { matchPolicy: 'Exact', ...rule('autoscaling', 'v2', 'horizontalpodautoscalers') },
      },
    ],
    requests: [
      {
        method: 'POST',
        path: '/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers',
        body: {
          apiVersion: 'autoscaling/v1',
          kind: 'HorizontalPodAutoscaler',
          metadata: { name: 'exact', labels: { case: 'exact' } },
          spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' }, maxReplicas: 3 },
        },
      },
    ],
  },
  {
    name: 'namespaces',
    webhooks: [
      {
        kind: 'Validating',
        answer: deny('no such namespace'),
        records: true,
        fields: {
          namespaceSelector: { matchExpressions: [{ key: 'case', operator: 'In', values: ['namespaces'] }] },
          objectSelector: {},
          rules: [
            { apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['namespaces'], scope: 'Cluster' },
          ],
        },
      },
    ],
    requests: [
      {
        method: 'POST',
        path: '/api/v1/namespaces',
        body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'judged', labels: { case: 'namespaces' } } },
      },
      {
        method: 'POST',
        path: '/api/v1/namespaces',
        body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'free' } },
      },
    ],
  },
];
