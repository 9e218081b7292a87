import type { Step } from '../session.ts';
import { podRules } from './pod-rules.ts';
import { post } from './step.ts';
import { invalidWorkloads } from './workload-rules.ts';

const containers = [{ name: 'main', image: 'nginx' }];
const labels = { app: 'web' };
const template = { metadata: { labels }, spec: { containers } };
const selector = { matchLabels: labels };
const once = { spec: { restartPolicy: 'Never', containers } };

const pod = (name: string, spec: object): Step => post('Pod', name, { spec });
const container = (name: string, fields: object, more: object = {}): Step =>
  pod(name, { containers: [{ name: 'main', image: 'nginx', ...fields }], ...more });

/** Objects that the server refuses. */
export const invalidObjects: readonly Step[] = [
  ...podRules,
  ...invalidWorkloads,
  pod('empty', {}),
  pod('no-containers', { containers: [] }),
  pod('no-name', { containers: [{ image: 'nginx' }] }),
  pod('no-image', { containers: [{ name: 'main' }] }),
  pod('bad-name', { containers: [{ name: 'Main', image: 'nginx' }] }),
  pod('twice', { containers: [...containers, ...containers] }),
  pod('bad-policies', { containers, restartPolicy: 'Sometimes', dnsPolicy: 'None' }),
  pod('bad-grace', { containers, terminationGracePeriodSeconds: -5, activeDeadlineSeconds: 0 }),
  pod('no-class', { containers, priorityClassName: 'absent' }),
  pod('bad-priority', { containers, priority: 7 }),
  pod('bad-node-selector', { containers, nodeSelector: { 'a b': 'c d' } }),
  pod('bad-service-account', { containers, serviceAccountName: 'A' }),
  pod('bad-node', { containers, nodeName: 'A' }),
  pod('bad-hostname', { containers, hostname: 'A.b', subdomain: '-' }),
  pod('bad-tolerations', {
    containers,
    tolerations: [
      { operator: 'Exists', value: 'a' },
      { key: 'a', effect: 'No' },
    ],
  }),
  pod('bad-volumes', { containers, volumes: [{ name: 'A' }, { name: 'b', secret: {} }, { name: 'b' }] }),
  pod('bad-volume-sources', {
    containers,
    volumes: [
      { name: 'a', emptyDir: {}, hostPath: { path: '/a' } },
      { name: 'b', hostPath: { path: 'a/../b' } },
      { name: 'c', persistentVolumeClaim: {} },
      { name: 'd', configMap: { name: 'x', items: [{ key: 'k', path: '/abs' }] } },
    ],
  }),
  pod('bad-spread', {
    containers,
    topologySpreadConstraints: [{ maxSkew: 0, topologyKey: '', whenUnsatisfiable: 'x' }],
  }),
  pod('bad-security', { containers, securityContext: { runAsUser: -1, fsGroup: -1 } }),
  container('bad-port', {
    ports: [{ containerPort: 0 }, { containerPort: 70000, protocol: 'ICMP' }, { name: 'A', containerPort: 1 }],
  }),
  container('same-port', {
    ports: [
      { name: 'a', containerPort: 1 },
      { name: 'a', containerPort: 2 },
    ],
  }),
  container('bad-env', {
    env: [{}, { name: '=' }, { name: 'A', value: 'b', valueFrom: { fieldRef: { fieldPath: 'x' } } }],
  }),
  container('bad-env-source', {
    env: [
      { name: 'A', valueFrom: {} },
      { name: 'B', valueFrom: { secretKeyRef: { name: 's' } } },
    ],
  }),
  container('bad-env-from', { envFrom: [{}, { prefix: '=', configMapRef: {} }] }),
  container('bad-mounts', {
    volumeMounts: [
      { name: 'absent', mountPath: '/a' },
      { name: '', mountPath: '' },
    ],
  }),
  container(
    'bad-mount-paths',
    {
      volumeMounts: [
        { name: 'v', mountPath: '/a', subPath: '../b' },
        { name: 'v', mountPath: '/a' },
      ],
    },
    { volumes: [{ name: 'v' }] },
  ),
  container('bad-probe', { livenessProbe: {} }),
  container('bad-probes', {
    livenessProbe: { httpGet: { port: 0, path: 'a' }, timeoutSeconds: -1, successThreshold: 2 },
    readinessProbe: { exec: {}, tcpSocket: { port: 'UPPER' } },
  }),
  container('bad-pull-policy', { imagePullPolicy: 'Maybe', terminationMessagePolicy: 'x' }),
  container('bad-resources', { resources: { limits: { cpu: '-1' }, requests: { memory: '1Gi', 'bad name': '1' } } }),
  container('too-large-request', { resources: { limits: { cpu: '1' }, requests: { cpu: '2' } } }),
  container('bad-quantity', { resources: { limits: { cpu: 'lots' } } }),
  container('bad-privilege', { securityContext: { privileged: true, allowPrivilegeEscalation: false } }),
  pod('bad-init', {
    containers,
    initContainers: [
      { name: 'main', image: 'a' },
      { name: 'i', image: 'a', livenessProbe: { exec: { command: ['a'] } } },
    ],
  }),
  pod('ephemeral', { containers, ephemeralContainers: [{ name: 'debug', image: 'a' }] }),
  post('Deployment', 'empty'),
  post('Deployment', 'no-selector', { spec: { template } }),
  post('Deployment', 'mismatch', { spec: { selector: { matchLabels: { app: 'other' } }, template } }),
  post('Deployment', 'negative', { spec: { replicas: -1, minReadySeconds: -1, selector, template } }),
  post('Deployment', 'bad-strategy', {
    spec: { selector, template, strategy: { type: 'Recreate', rollingUpdate: { maxSurge: 1 } } },
  }),
  post('Deployment', 'bad-rolling', {
    spec: { selector, template, strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: '0%' } } },
  }),
  post('Deployment', 'never', {
    spec: { selector, template: { ...template, spec: { containers, restartPolicy: 'Never' } } },
  }),
  post('Deployment', 'bad-deadline', { spec: { selector, template, minReadySeconds: 10, progressDeadlineSeconds: 5 } }),
  post('Deployment', 'bad-expression', {
    spec: {
      selector: {
        matchExpressions: [
          { key: 'a', operator: 'Is' },
          { key: 'b', operator: 'In' },
        ],
      },
      template,
    },
  }),
  post('ReplicaSet', 'mismatch', { spec: { selector: { matchLabels: { a: 'b' } }, template } }),
  post('StatefulSet', 'empty', { spec: {} }),
  post('StatefulSet', 'bad', { spec: { selector, template, podManagementPolicy: 'x', updateStrategy: { type: 'x' } } }),
  post('DaemonSet', 'bad', { spec: { selector, template, updateStrategy: { rollingUpdate: { maxUnavailable: 0 } } } }),
  post('Job', 'always', { spec: { template: { spec: { containers } } } }),
  post('Job', 'negative', { spec: { template: once, parallelism: -1, completions: -1, backoffLimit: -1 } }),
  post('Job', 'with-selector', { spec: { template: once, selector } }),
  post('Job', 'bad-mode', { spec: { template: once, completionMode: 'Indexed', parallelism: 2 } }),
  post('CronJob', 'empty', { spec: { jobTemplate: { spec: { template: once } } } }),
  post('CronJob', 'bad-schedule', { spec: { schedule: '61 * * * *', jobTemplate: { spec: { template: once } } } }),
  post('CronJob', 'bad-fields', {
    spec: { schedule: '* * *', concurrencyPolicy: 'x', jobTemplate: { spec: { template: once } } },
  }),
  post('CronJob', 'bad-zone', {
    spec: { schedule: '@daily', timeZone: 'Mars/Base', jobTemplate: { spec: { template: once } } },
  }),
  post('CronJob', 'zone-in-schedule', {
    spec: { schedule: 'TZ=UTC 0 0 * * *', jobTemplate: { spec: { template: once } } },
  }),
  post('CronJob', 'a-very-long-name-of-a-cron-job-that-leaves-no-room-for-a-suffix', {
    spec: { schedule: '@daily', jobTemplate: { spec: { template: once } } },
  }),
  post('Service', 'no-ports', { spec: {} }),
  post('Service', 'bad-ports', {
    spec: { ports: [{ port: 0 }, { port: 70000, protocol: 'X', targetPort: 'UPPER' }, { name: 'a', port: 1 }] },
  }),
  post('Service', 'same-ports', {
    spec: {
      ports: [
        { name: 'a', port: 1 },
        { name: 'b', port: 1 },
        { name: 'b', port: 2 },
      ],
    },
  }),
  post('Service', 'bad-type', { spec: { type: 'Other', ports: [{ port: 1 }] } }),
  post('Service', 'bad-affinity', { spec: { sessionAffinity: 'x', ports: [{ port: 1 }] } }),
  post('Service', 'bad-selector', { spec: { selector: { 'a b': 'c d' }, ports: [{ port: 1 }] } }),
  post('Service', 'bad-address', { spec: { clusterIP: 'x', ports: [{ port: 1 }] } }),
  post('Service', 'far-address', { spec: { clusterIP: '192.168.1.1', ports: [{ port: 1 }] } }),
  post('Service', 'taken-address', { spec: { clusterIP: '10.0.0.1', ports: [{ port: 1 }] } }),
  post('Service', 'taken-node-port', { spec: { type: 'NodePort', ports: [{ port: 1, nodePort: 30124 }] } }),
  post('Service', 'low-node-port', { spec: { type: 'NodePort', ports: [{ port: 1, nodePort: 80 }] } }),
  post('Service', 'node-port-of-cluster', { spec: { ports: [{ port: 1, nodePort: 30125 }] } }),
  post('Service', 'external-without-name', { spec: { type: 'ExternalName' } }),
  post('Service', '1digit', { spec: { ports: [{ port: 1 }] } }),
  post('Ingress', 'empty', { spec: {} }),
  post('Ingress', 'bad', {
    spec: {
      rules: [
        {
          host: 'A_b',
          http: {
            paths: [
              { path: 'a', pathType: 'Exact', backend: {} },
              { path: '/', backend: { service: { name: 'a' } } },
            ],
          },
        },
      ],
    },
  }),
  post('Ingress', 'bad-path-type', {
    spec: {
      rules: [
        {
          http: {
            paths: [{ path: '//', pathType: 'Other', backend: { service: { name: 'a', port: { number: 0 } } } }],
          },
        },
      ],
    },
  }),
  post('NetworkPolicy', 'bad', {
    spec: { podSelector: {}, ingress: [{ from: [{}], ports: [{ port: 0 }] }, { from: [{ ipBlock: { cidr: 'x' } }] }] },
  }),
  post('PodDisruptionBudget', 'both', { spec: { selector, minAvailable: 1, maxUnavailable: 1 } }),
  post('PodDisruptionBudget', 'bad', { spec: { selector, minAvailable: '150%' } }),
  post('PodDisruptionBudget', 'negative', { spec: { selector, maxUnavailable: -1 } }),
  post('HorizontalPodAutoscaler', 'empty', { spec: {} }),
  post('HorizontalPodAutoscaler', 'bad', {
    spec: { minReplicas: 5, maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'a' } },
  }),
  post('HorizontalPodAutoscaler', 'bad-metrics', {
    spec: {
      maxReplicas: 3,
      scaleTargetRef: { kind: 'Deployment', name: 'a' },
      metrics: [{ type: 'Resource' }, { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization' } } }],
    },
  }),
  post('PersistentVolumeClaim', 'empty', { spec: {} }),
  post('PersistentVolumeClaim', 'bad', { spec: { accessModes: ['x'], resources: { requests: { storage: '-1Gi' } } } }),
  post('PersistentVolume', 'empty', { spec: {} }),
  post('StorageClass', 'empty'),
  post('StorageClass', 'bad', { provisioner: 'A B', reclaimPolicy: 'x', volumeBindingMode: 'x' }),
  post('PriorityClass', 'too-high', { value: 2000000000 }),
  post('PriorityClass', 'system-mine', { value: 5 }),
  // One resource each: the server reports them in a random order.
  post('ResourceQuota', 'bad', { spec: { hard: { pods: '-1' } } }),
  post('ResourceQuota', 'bad-name', { spec: { hard: { 'bad name': '1' } } }),
  post('Secret', 'bad-tls', { type: 'kubernetes.io/tls', data: {} }),
  post('Secret', 'bad-docker', { type: 'kubernetes.io/dockerconfigjson', stringData: { '.dockerconfigjson': 'x' } }),
  post('Secret', 'bad-token', { type: 'kubernetes.io/service-account-token' }),
  post('Lease', 'bad', { spec: { leaseDurationSeconds: 0, leaseTransitions: -1 } }),
  post('Role', 'bad', {
    rules: [
      { apiGroups: [''], resources: ['pods'] },
      { verbs: ['get'], resources: ['a'] },
      { verbs: ['get'], nonResourceURLs: ['/a'] },
    ],
  }),
  post('RoleBinding', 'bad', { roleRef: { kind: 'X', name: '' }, subjects: [{ kind: 'X', name: '' }] }),
  post('Namespace', 'Bad_Name'),
  post('Node', 'bad', { spec: { taints: [{ key: '', effect: 'x' }] } }),
  post('ReplicationController', 'bad', { spec: { replicas: -1, selector: { a: 'b' }, template } }),
  post('EndpointSlice', 'bad', { addressType: 'x', endpoints: [{ addresses: [] }] }),
  post('IngressClass', 'bad', { spec: { controller: 'nodomain' } }),
  post('RuntimeClass', 'bad', { handler: 'A' }),
  post('ControllerRevision', 'bad', { revision: -1 }),
  post('APIService', 'v1.a.example.com', {
    spec: { group: 'b', version: 'v1', groupPriorityMinimum: 1, versionPriority: 1 },
  }),
  post('APIService', 'v1.a.example.com', { spec: {} }),
  post('APIService', 'v1.a.example.com', {
    spec: { group: 'a.example.com', version: 'v1', groupPriorityMinimum: 20001, versionPriority: 1001, service: {} },
  }),
  post('APIService', 'v1.a.example.com', {
    spec: {
      group: 'a.example.com',
      version: 'v1',
      groupPriorityMinimum: 1,
      versionPriority: 1,
      insecureSkipTLSVerify: true,
      caBundle: 'YQ==',
    },
  }),
  // Limits apply to later Pods, so they come last.
  post('LimitRange', 'minimal', { spec: { limits: [{ type: 'Pod', max: { cpu: '4' } }] } }),
];
