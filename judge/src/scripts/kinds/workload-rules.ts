import type { Step } from '../session.ts';
import { patch, post } from './step.ts';

const containers = [{ name: 'main', image: 'nginx' }];
const labels = { app: 'web' };
const template = { metadata: { labels }, spec: { containers } };
const selector = { matchLabels: labels };

const workload = (kind: string, name: string, spec: object): Step =>
  post(kind, name, { spec: { selector, template, ...spec } });
const daemonSet = (name: string, rollingUpdate: object): Step =>
  workload('DaemonSet', name, { updateStrategy: { type: 'RollingUpdate', rollingUpdate } });
const unlabelled = { template: { metadata: { labels: {} }, spec: { containers } } };
const unnamed = { template: { metadata: { labels }, spec: { containers: [{ image: 'nginx' }] } } };

/** Workloads that the server refuses. */
export const invalidWorkloads: readonly Step[] = [
  workload('Deployment', 'bad-strategy', { strategy: { type: 'Sometimes' } }),
  workload('DaemonSet', 'bad-strategy', { updateStrategy: { type: 'Sometimes', rollingUpdate: { maxSurge: 1 } } }),
  daemonSet('negative', { maxUnavailable: -1 }),
  daemonSet('too-many', { maxUnavailable: '101%' }),
  daemonSet('no-number', { maxUnavailable: 'x', maxSurge: 'y' }),
  daemonSet('both', { maxUnavailable: 1, maxSurge: '10%' }),
  daemonSet('none', { maxUnavailable: '0%', maxSurge: 0 }),
  workload('StatefulSet', 'bad.name', {}),
  workload('StatefulSet', 'bad-strategy', { updateStrategy: { type: 'x', rollingUpdate: { partition: 1 } } }),
  ...['Deployment', 'ReplicaSet', 'DaemonSet', 'StatefulSet'].flatMap((kind) => [
    workload(kind, 'unlabelled', unlabelled),
    workload(kind, 'bad-selector', { selector: { matchLabels: { '': 'x' } }, ...unnamed }),
  ]),
  post('ControllerRevision', 'number', { revision: 1, data: 1 }),
  post('ControllerRevision', 'list', { revision: -1, data: [] }),
  post('ControllerRevision', 'nothing', { revision: 1 }),
];

/** Changes of workloads that the server refuses, or does not show in all representations. */
export const workloadChanges: readonly Step[] = [
  post('Job', 'fixed', {
    spec: {
      template: {
        metadata: { annotations: { b: '1', a: '2' } },
        spec: {
          restartPolicy: 'Never',
          hostNetwork: true,
          nodeSelector: { b: '1', a: '2' },
          containers: [
            {
              name: 'main',
              image: 'nginx',
              command: ['a'],
              ports: [{ containerPort: 80 }],
              env: [
                { name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
                { name: 'B', valueFrom: { configMapKeyRef: { name: 'x', key: 'k' } } },
              ],
              resources: { limits: { memory: '1Gi', cpu: '1000m' } },
              livenessProbe: { httpGet: { port: 'http' } },
              securityContext: { runAsUser: 1, capabilities: { add: ['NET_ADMIN'] } },
              volumeMounts: [{ name: 'v', mountPath: '/v' }],
            },
          ],
          volumes: [
            {
              name: 'v',
              projected: { sources: [{ configMap: { name: 'x' } }, { serviceAccountToken: { path: 't' } }] },
            },
          ],
          affinity: {
            podAntiAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'zone', labelSelector: selector }],
            },
          },
          tolerations: [{ key: 'a', operator: 'Exists' }],
        },
      },
    },
  }),
  patch('Job', 'fixed', { spec: { template: { spec: { dnsPolicy: 'Default', hostPID: true } } } }),
  post('ControllerRevision', 'fixed', { revision: 1, data: { a: { b: 1 }, c: null } }),
  patch('ControllerRevision', 'fixed', { data: { d: 1 } }),
  patch('ControllerRevision', 'fixed', { data: { a: { b: 2 } } }, 'strategic'),
  workload('DaemonSet', 'counted', {}),
  patch('DaemonSet', 'counted/status', { metadata: { annotations: null }, status: { numberReady: 1 } }),
];
