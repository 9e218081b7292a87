import type { Step } from '../session.ts';
import { get, post } from './step.ts';

const containers = [{ name: 'main', image: 'nginx' }];
const labels = { app: 'web', 'bad-key': 'x' };
const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

const pod = (name: string, spec: object): Step => post('Pod', name, { spec: { containers, ...spec } }, { labels });
const affinity = (name: string, fields: object): Step => pod(name, { affinity: fields });
const nodeTerms = (name: string, ...terms: readonly object[]): Step =>
  affinity(name, { nodeAffinity: { [REQUIRED]: { nodeSelectorTerms: terms } } });
const spread = (name: string, ...topologySpreadConstraints: readonly object[]): Step =>
  pod(name, { topologySpreadConstraints });

const zone = { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' };
const term = { topologyKey: 'zone', labelSelector: { matchLabels: { app: 'web' } } };

/** Where Pods may run: affinity, tolerations, spread constraints. */
const pods: readonly Step[] = [
  affinity('affine', {
    nodeAffinity: {
      [REQUIRED]: {
        nodeSelectorTerms: [
          {
            matchExpressions: [
              { key: 'zone', operator: 'In', values: ['a'] },
              { key: 'cpus', operator: 'Gt', values: ['4'] },
            ],
            matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1'] }],
          },
        ],
      },
      [PREFERRED]: [
        { weight: 1, preference: { matchExpressions: [{ key: 'a', operator: 'In', values: ['not valid!'] }] } },
      ],
    },
    podAffinity: { [REQUIRED]: [{ ...term, matchLabelKeys: ['app'], mismatchLabelKeys: ['bad-key', 'absent'] }] },
    podAntiAffinity: { [PREFERRED]: [{ weight: 100, podAffinityTerm: { ...term, namespaceSelector: {} } }] },
  }),
  affinity('no-node-terms', { nodeAffinity: { [REQUIRED]: {} } }),
  nodeTerms(
    'bad-node-terms',
    {},
    {
      matchExpressions: [
        { key: '-', operator: 'In' },
        { key: 'a', operator: 'Exists', values: ['b'] },
        { key: 'a', operator: 'Gt', values: ['1', '2'] },
        { operator: 'Is', values: ['not valid!'] },
      ],
    },
    {
      matchFields: [
        { key: 'metadata.name', operator: 'In', values: ['a', 'B_'] },
        { key: 'spec.x', operator: 'Exists' },
      ],
    },
  ),
  affinity('bad-weights', {
    nodeAffinity: { [PREFERRED]: [{ weight: 0, preference: { matchExpressions: [{ key: '', operator: 'Exists' }] } }] },
    podAffinity: { [PREFERRED]: [{ weight: 101, podAffinityTerm: {} }] },
  }),
  affinity('bad-terms', {
    podAffinity: {
      [REQUIRED]: [
        { topologyKey: 'a b', namespaces: ['A'], matchLabelKeys: ['app'] },
        {
          topologyKey: 'a',
          labelSelector: { matchExpressions: [{ key: 'app', operator: 'In' }] },
          namespaceSelector: { matchLabels: { a: '!' } },
          matchLabelKeys: ['app', 'not valid!'],
          mismatchLabelKeys: ['app'],
        },
      ],
    },
  }),
  pod('odd-tolerations', {
    tolerations: [
      { key: 'a', operator: 'Equal', value: 'not valid!' },
      { key: 'a b', operator: 'Exists' },
      { key: 'a', operator: 'Lt', value: '1' },
      { key: 'a', operator: 'In' },
      { operator: 'Equal' },
      { key: 'a', operator: 'Exists', tolerationSeconds: 3, effect: 'NoSchedule' },
      { key: 'a', operator: 'Exists', effect: 'Never' },
    ],
  }),
  spread('spread', {
    ...zone,
    labelSelector: { matchLabels: { app: 'web' } },
    matchLabelKeys: ['bad-key'],
    minDomains: 2,
  }),
  spread('spread-empty', {}),
  spread('spread-twice', zone, zone),
  spread('spread-bad', {
    ...zone,
    maxSkew: -1,
    whenUnsatisfiable: 'ScheduleAnyway',
    minDomains: 0,
    nodeAffinityPolicy: 'Maybe',
    nodeTaintsPolicy: 'Never',
    matchLabelKeys: ['app'],
  }),
  spread('spread-keys', {
    ...zone,
    labelSelector: { matchLabels: { app: 'web' } },
    matchLabelKeys: ['app', '-'],
  }),
];

const range = (name: string, ...limits: readonly object[]): Step => post('LimitRange', name, { spec: { limits } });

/** Limits apply to later Pods, so they come last. */
export const limitRanges: readonly Step[] = [
  range('empty'),
  range('no-type', {}),
  range('odd-types', { type: 'pods' }, { type: 'a b' }, { type: 'example.com/x' }, { type: 'example.com/x' }),
  range('odd-pod', { type: 'Pod', default: { cpu: '1' }, defaultRequest: { cpu: '1' }, max: { storage: '1' } }),
  // One name each: the server reports them in a random order.
  ...['a b', 'gpu', 'services', 'storage', 'a/b/c'].flatMap((name, index) => [
    range(`odd-name-${index}`, { type: 'Container', max: { [name]: '1' } }),
    range(`odd-claim-name-${index}`, { type: 'example.com/x', max: { [name]: '1' } }),
  ]),
  range('other-names', { type: 'Container', max: { 'example.com/gpu': '1' }, min: { 'hugepages-2Mi': '2Mi' } }),
  range('claim', { type: 'PersistentVolumeClaim' }),
  range('odd-claim', { type: 'PersistentVolumeClaim', max: { storage: '1Gi' }, min: { storage: '2Gi' } }),
  range('order', { type: 'Container', min: { cpu: '2' }, max: { cpu: '1' } }),
  range('order-of-defaults', {
    type: 'Container',
    min: { cpu: '200m' },
    max: { cpu: '1' },
    default: { cpu: '2' },
    defaultRequest: { cpu: '100m' },
  }),
  range('order-of-requests', { type: 'Container', default: { memory: '1Gi' }, defaultRequest: { memory: '1536Mi' } }),
  range('small-default', { type: 'Container', min: { cpu: '2' }, default: { cpu: '1' }, defaultRequest: { cpu: '2' } }),
  range('ratio', { type: 'Pod', maxLimitRequestRatio: { cpu: '500m' } }),
  range('high-ratio', { type: 'Pod', min: { cpu: '1' }, max: { cpu: '2' }, maxLimitRequestRatio: { cpu: '3' } }),
  range('exact', {
    type: 'Container',
    default: { 'example.com/gpu': '2' },
    defaultRequest: { 'example.com/gpu': '1' },
  }),
  range('defaulted', { type: 'Container', max: { cpu: '2000m' }, min: { memory: '64Mi' } }),
  get('LimitRange', 'defaulted'),
];

export const scheduling: readonly Step[] = [
  ...pods,
  post('EndpointSlice', 'without-endpoints', { addressType: 'IPv4', endpoints: [] }),
];
