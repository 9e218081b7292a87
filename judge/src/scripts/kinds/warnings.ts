import type { Step } from '../session.ts';
import { patch, post } from './step.ts';

type Warned = readonly [spec: object, annotations?: object];

const containers = [{ name: 'main', image: 'nginx' }];
const labels = { app: 'web' };
const selector = { matchLabels: labels };

/** Specs of Pods that the server accepts with warnings. */
const specs: readonly Warned[] = [
  [{ nodeSelector: { 'beta.kubernetes.io/arch': 'x' } }],
  [
    {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [
              { matchExpressions: [{ key: 'beta.kubernetes.io/os', operator: 'In', values: ['a'] }] },
            ],
          },
          preferredDuringSchedulingIgnoredDuringExecution: [
            {
              weight: 1,
              preference: { matchExpressions: [{ key: 'beta.kubernetes.io/os', operator: 'In', values: ['a b'] }] },
            },
          ],
        },
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'a' }],
          preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: { topologyKey: 'a' } }],
        },
        podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'a' }] },
      },
    },
  ],
  [
    {
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: 'failure-domain.beta.kubernetes.io/zone', whenUnsatisfiable: 'DoNotSchedule' },
      ],
    },
  ],
  [
    {
      volumes: [
        { name: 'a', gitRepo: { repository: 'x' } },
        { name: 'b', storageos: { volumeName: 'x' } },
        { name: 'c', cephfs: { monitors: ['x'] } },
        { name: 'd', rbd: { monitors: ['x'], image: 'y' } },
        { name: 'e', glusterfs: { endpoints: 'x', path: 'y' } },
        { name: 'f', scaleIO: { gateway: 'a', system: 'b', volumeName: 'c', secretRef: { name: 's' } } },
        { name: 'g', flocker: { datasetName: 'x' } },
        { name: 'h', quobyte: { registry: 'a:1', volume: 'b' } },
        { name: 'i', photonPersistentDisk: { pdID: 'x' } },
      ],
    },
  ],
  [
    {
      volumes: [
        {
          name: 'e',
          ephemeral: {
            volumeClaimTemplate: {
              spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1500m' } } },
            },
          },
        },
      ],
    },
  ],
  [
    {
      volumes: [
        {
          name: 'a',
          configMap: {
            name: 'x',
            items: [
              { key: 'k', path: 'p' },
              { key: 'l', path: 'p/q' },
              { key: 'm', path: 'p' },
            ],
          },
        },
        {
          name: 'b',
          secret: {
            secretName: 's',
            items: [
              { key: 'k', path: 'p' },
              { key: 'l', path: 'p' },
            ],
          },
        },
        {
          name: 'p',
          projected: {
            sources: [
              { configMap: { name: 'x', items: [{ key: 'k', path: 'p' }] } },
              {},
              { secret: { name: 'y', items: [{ key: 'k', path: 'p/z' }] } },
              { downwardAPI: { items: [{ path: 'q', fieldRef: { fieldPath: 'metadata.name' } }] } },
            ],
          },
        },
        {
          name: 'd',
          downwardAPI: {
            items: [
              { path: 'q', fieldRef: { fieldPath: 'metadata.name' } },
              { path: 'q', fieldRef: { fieldPath: 'metadata.name' } },
            ],
          },
        },
      ],
    },
  ],
  [
    {
      hostAliases: [{ ip: '1.2.3.4' }, { ip: '1.2.3.4' }, { ip: '::0001' }],
      imagePullSecrets: [{ name: 'a' }, { name: 'a' }, {}],
      dnsConfig: { nameservers: ['::0001'] },
    },
  ],
  [
    {
      containers: [
        { name: 'main', image: 'nginx', resources: { limits: { memory: '1500m', 'ephemeral-storage': '0.5' } } },
      ],
    },
  ],
  [
    {
      containers: [
        {
          name: 'main',
          image: 'nginx',
          env: [
            { name: 'A', value: '1' },
            { name: 'A', value: '$(A)' },
            { name: 'A', value: '$(A)2' },
            { name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
          ],
        },
      ],
    },
  ],
  [
    {
      containers: [
        {
          name: 'main',
          image: 'nginx',
          ports: [
            { containerPort: 80 },
            { containerPort: 80, hostIP: '10.0.0.1' },
            { containerPort: 80, hostPort: 81 },
            { containerPort: 80, hostPort: 81, hostIP: '10.0.0.1' },
            { containerPort: 82, name: 'x' },
          ],
        },
        { name: 'b', image: 'nginx', ports: [{ containerPort: 80 }, { containerPort: 83, name: 'x' }] },
      ],
      initContainers: [{ name: 'i', image: 'nginx', ports: [{ containerPort: 80 }] }],
    },
  ],
  [{ terminationGracePeriodSeconds: -3 }],
  [
    {},
    {
      'seccomp.security.alpha.kubernetes.io/pod': 'unconfined',
      'container.seccomp.security.alpha.kubernetes.io/main': 'unconfined',
      'container.apparmor.security.beta.kubernetes.io/main': 'unconfined',
      'scheduler.alpha.kubernetes.io/critical-pod': '',
      'security.alpha.kubernetes.io/sysctls': '',
    },
  ],
];

const old = { nodeSelector: { 'beta.kubernetes.io/arch': 'x' } };
const newer = { nodeSelector: { 'beta.kubernetes.io/arch': null, 'beta.kubernetes.io/os': 'y' } };
const templateOf = (spec: object, annotations?: object): object => ({
  metadata: { labels, ...(annotations && { annotations }) },
  spec: { containers, ...spec },
});
const template = templateOf(old);
const once = templateOf({ ...old, restartPolicy: 'Never' });
const claim = { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1500m' } } } };

/** Creates a workload, and changes its labels, its spec, its template and its status. */
function workload(kind: string, name: string, more: object = {}, own: object = selector): Step[] {
  return [
    post(kind, name, { spec: { selector: own, template, ...more } }),
    patch(kind, name, { metadata: { labels: { a: 'b' } } }),
    patch(kind, name, { spec: { minReadySeconds: 3 } }),
    patch(kind, name, { spec: { template: { spec: newer } } }),
    ...(kind === 'DaemonSet' ? [] : [patch(kind, `${name}/scale`, { spec: { replicas: 3 } })]),
    patch(kind, `${name}/status`, { status: { observedGeneration: 3 } }),
  ];
}

/** Objects that the server warns about. */
export const warnings: readonly Step[] = [
  ...specs.flatMap(([spec, annotations], index) => [
    post('Pod', `warned-${index}`, { spec: { containers, ...spec } }, annotations && { annotations }),
    post('Deployment', `warned-${index}`, { spec: { selector, template: templateOf(spec, annotations) } }),
  ]),
  post('Pod', 'with.dots', { spec: { containers } }),
  ...['Deployment', 'ReplicaSet', 'DaemonSet'].flatMap((kind) => workload(kind, 'with.dots')),
  ...workload('ReplicationController', 'with.dots', {}, labels),
  ...workload('StatefulSet', 'warned', {
    revisionHistoryLimit: -1,
    volumeClaimTemplates: [{ metadata: { name: 'data' }, ...claim }],
  }),
  post('Job', 'with.dots', { spec: { template: once } }),
  post('Job', 'large', {
    spec: { completionMode: 'Indexed', completions: 100_001, parallelism: 10_001, template: once },
  }),
  post('CronJob', 'with.dots', { spec: { schedule: '* * * * *', jobTemplate: { spec: { template: once } } } }),
  patch('CronJob', 'with.dots', { metadata: { labels: { a: 'b' } } }),
  patch('CronJob', 'with.dots', { spec: { suspend: true } }),
  post('PodTemplate', 'warned', { template }),
  patch('PodTemplate', 'warned', { metadata: { labels: { a: 'b' } } }),
  patch('PodTemplate', 'warned', { template: { spec: newer } }),
];
