import { allow, deny, patchWith } from '../../../../packages/apiserver/src/webhooks/webhook-server.fixture.ts';
import type { Step } from '../session.ts';
import type { Situation } from './situation.ts';

const CORE = '/api/v1/namespaces/default';

const rules = (...resources: string[]): object => ({
  rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CONNECT'], resources }],
  objectSelector: {},
});

const connect = (path: string, method = 'POST'): Step => ({ method, path: `${CORE}/${path}` });

function create(kind: string, plural: string, name: string, fields: object): Step {
  return { method: 'POST', path: `${CORE}/${plural}`, body: { apiVersion: 'v1', kind, metadata: { name }, ...fields } };
}

const pod = (name: string, spec: object = {}): Step =>
  create('Pod', 'pods', name, { spec: { containers: [{ name: 'main', image: 'nginx' }], ...spec } });

const nodes = '/api/v1/nodes';

/** Connections to Pods, Services and Nodes, which are subject to admission before the server dials. */
export const connectSituations: readonly Situation[] = [
  {
    name: 'c-objects',
    requests: [
      pod('connected'),
      pod('bound', { nodeName: 'n1' }),
      pod('several', { containers: ['a', 'b'].map((name) => ({ name, image: 'nginx' })) }),
      create('Service', 'services', 'plain', { spec: { ports: [{ name: 'web', port: 80 }], clusterIP: '10.0.0.77' } }),
      create('Endpoints', 'endpoints', 'served', {}),
      create('Service', 'services', 'served', { spec: { ports: [{ name: 'web', port: 80 }], clusterIP: '10.0.0.78' } }),
      connect('pods/bound/exec?command=sh'),
      { method: 'POST', path: nodes, body: { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } } },
    ],
  },
  {
    name: 'c-allowed',
    webhooks: [{ kind: 'Validating', answer: allow, records: true, fields: rules('pods/exec') }],
    requests: [
      connect('pods/connected/exec?command=sh&command=-c&container=main&stdin=1&tty=true&stdout=0'),
      connect('pods/connected/exec', 'GET'),
      connect('pods/absent/exec?command=sh&stderr=true'),
      connect('pods/bound/exec?command=sh&other=x'),
      connect('pods/several/exec?command=sh'),
      connect('pods/several/exec?command=sh&dryRun=All'),
      connect('pods/connected/exec', 'PUT'),
    ],
  },
  {
    name: 'c-mutated',
    webhooks: [
      {
        kind: 'Mutating',
        answer: patchWith({ op: 'add', path: '/container', value: 'other' }),
        records: true,
        fields: rules('pods/attach'),
      },
    ],
    requests: [connect('pods/connected/attach?stdout=true')],
  },
  {
    name: 'c-denied',
    webhooks: [{ kind: 'Validating', answer: deny('no tunnels'), records: true, fields: rules('pods/portforward') }],
    requests: [connect('pods/connected/portforward?ports=80,443'), connect('pods/connected/portforward', 'GET')],
  },
  {
    name: 'c-proxy',
    webhooks: [
      {
        kind: 'Validating',
        answer: allow,
        records: true,
        fields: rules('pods/proxy', 'services/proxy', 'nodes/proxy'),
      },
    ],
    requests: [
      connect('pods/connected/proxy', 'GET'),
      connect('pods/connected:8080/proxy/a/b/?x=y', 'DELETE'),
      connect('pods/ftp:connected:1/proxy/', 'GET'),
      connect('pods/connected/proxy', 'PUT'),
      connect('services/plain/proxy/', 'GET'),
      connect('services/https:plain:81/proxy/', 'GET'),
      connect('services/plain:80/proxy/', 'GET'),
      connect('services/served/proxy/', 'GET'),
      connect('services/served:80/proxy/', 'GET'),
      { method: 'GET', path: `${nodes}/n1/proxy/metrics` },
      { method: 'GET', path: `${nodes}/n2/proxy/metrics` },
    ],
  },
  {
    name: 'c-selected',
    webhooks: [
      {
        kind: 'Validating',
        answer: deny('options have no labels'),
        fields: { ...rules('pods/exec'), objectSelector: { matchLabels: { a: 'b' } } },
      },
    ],
    requests: [connect('pods/connected/exec?command=sh')],
  },
  {
    name: 'c-policy',
    policy: {
      spec: {
        matchConstraints: {
          resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CONNECT'], resources: ['pods/exec'] }],
        },
        matchConditions: [{ name: 'c', expression: 'request.name == "several"' }],
        validations: [
          {
            expression: 'object.command != ["rm"]',
            messageExpression: '"no " + object.kind + string(oldObject == null) + string(request.options == null)',
          },
        ],
      },
    },
    requests: [connect('pods/several/exec?command=rm'), connect('pods/several/exec?command=sh&container=a')],
  },
];
