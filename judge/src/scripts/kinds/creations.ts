import type { Step } from '../session.ts';
import { post } from './step.ts';

const containers = [{ name: 'main', image: 'nginx' }];
const labels = { app: 'web' };
const template = { metadata: { labels }, spec: { containers } };
const selector = { matchLabels: labels };
const once = { metadata: { labels }, spec: { restartPolicy: 'Never', containers } };

const fullPod = {
  spec: {
    activeDeadlineSeconds: 600,
    serviceAccountName: 'builder',
    nodeSelector: { disk: 'ssd' },
    hostNetwork: true,
    securityContext: { runAsUser: 1000, fsGroup: 2000 },
    initContainers: [
      { name: 'init', image: 'busybox:latest', resources: { limits: { cpu: '0.5', memory: '1024Mi' } } },
    ],
    containers: [
      {
        name: 'main',
        image: 'registry.example.com:5000/team/app:v1',
        ports: [{ containerPort: 8080 }, { name: 'metrics', containerPort: 9090, protocol: 'TCP' }],
        env: [
          { name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
          { name: 'LIMIT', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } },
        ],
        livenessProbe: { httpGet: { port: 8080 } },
        readinessProbe: { tcpSocket: { port: 'metrics' }, periodSeconds: 3 },
        startupProbe: { grpc: { port: 8080 } },
        lifecycle: { preStop: { exec: { command: ['sleep', '1'] } } },
        resources: { limits: { cpu: '1000m', memory: '1.5Gi' }, requests: { cpu: '0.25' } },
        volumeMounts: [
          { name: 'config', mountPath: '/config' },
          { name: 'scratch', mountPath: '/scratch', subPath: 'a' },
        ],
      },
      { name: 'digest', image: 'app@sha256:abcdefabcdefabcdefabcdefabcdefabcdefabcdefabcdefabcdefabcdefabcd' },
    ],
    volumes: [
      { name: 'config', configMap: { name: 'settings' } },
      { name: 'scratch' },
      { name: 'secret', secret: { secretName: 's' } },
      { name: 'host', hostPath: { path: '/var' } },
      {
        name: 'projected',
        projected: {
          sources: [
            { serviceAccountToken: { path: 'token' } },
            { downwardAPI: { items: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }] } },
          ],
        },
      },
    ],
    tolerations: [
      { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 },
    ],
    topologySpreadConstraints: [
      { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', labelSelector: selector },
    ],
  },
};

/** Creates one minimal object of each kind, and full ones of those that controllers create most. */
export const creations: readonly Step[] = [
  post('ConfigMap', 'minimal'),
  post('Secret', 'minimal', { stringData: { key: 'value' } }),
  post('Secret', 'basic', { type: 'kubernetes.io/basic-auth', stringData: { username: 'u' } }),
  post('ServiceAccount', 'minimal'),
  post('Namespace', 'minimal'),
  post('Node', 'minimal'),
  post('Node', 'full', { spec: { podCIDR: '10.1.0.0/24', taints: [{ key: 'a', effect: 'NoSchedule' }] } }),
  post('Pod', 'minimal', { spec: { containers } }, { labels }),
  post('Pod', 'full', fullPod, { labels }),
  post('Pod', 'guaranteed', {
    spec: { containers: [{ ...containers[0], resources: { limits: { cpu: 1, memory: '128974848' } } }] },
  }),
  post('Pod', 'gated', { spec: { containers, schedulingGates: [{ name: 'example.com/gate' }] } }),
  post('PriorityClass', 'high', { value: 1000 }),
  post('Pod', 'important', { spec: { containers, priorityClassName: 'high' } }),
  post('Deployment', 'minimal', { spec: { selector, template } }),
  post('Deployment', 'recreate', { spec: { replicas: 0, selector, template, strategy: { type: 'Recreate' } } }),
  post('ReplicaSet', 'minimal', { spec: { selector, template } }),
  post('StatefulSet', 'minimal', { spec: { selector, template } }),
  post('StatefulSet', 'full', {
    spec: {
      serviceName: 'web',
      selector,
      template,
      volumeClaimTemplates: [
        {
          metadata: { name: 'data' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        },
      ],
    },
  }),
  post('DaemonSet', 'minimal', { spec: { selector, template } }),
  post('ReplicationController', 'minimal', { spec: { template } }),
  post('PodTemplate', 'minimal', { template }),
  post('ControllerRevision', 'minimal', { revision: 1, data: { spec: { a: 1 } } }),
  post('Job', 'minimal', { spec: { template: once } }),
  post('Job', 'indexed', {
    spec: { template: once, completionMode: 'Indexed', completions: 3, parallelism: 2, backoffLimitPerIndex: 1 },
  }),
  post('CronJob', 'minimal', { spec: { schedule: '*/5 * * * *', jobTemplate: { spec: { template: once } } } }),
  post('HorizontalPodAutoscaler', 'minimal', {
    spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'minimal' } },
  }),
  post('HorizontalPodAutoscaler', 'full', {
    spec: {
      maxReplicas: 3,
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'recreate' },
      metrics: [
        { type: 'Pods', pods: { metric: { name: 'rate' }, target: { type: 'AverageValue', averageValue: '1k' } } },
      ],
      behavior: { scaleDown: { stabilizationWindowSeconds: 60 } },
    },
  }),
  post('HorizontalPodAutoscalerV1', 'old', {
    spec: {
      maxReplicas: 3,
      targetCPUUtilizationPercentage: 70,
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'minimal' },
    },
  }),
  { method: 'GET', path: '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers/old' },
  post('PodDisruptionBudget', 'minimal', { spec: { selector, minAvailable: 1 } }),
  post('Service', 'minimal', { spec: { ports: [{ port: 80 }] } }),
  post('Service', 'headless', { spec: { clusterIP: 'None', selector: labels, ports: [{ port: 80 }] } }),
  post('Service', 'bare', { spec: { clusterIP: 'None' } }),
  post('Service', 'node-port', {
    spec: { type: 'NodePort', ports: [{ port: 80, nodePort: 30123, targetPort: 'web' }] },
  }),
  post('Service', 'balanced', {
    spec: { type: 'LoadBalancer', sessionAffinity: 'ClientIP', ports: [{ port: 80, nodePort: 30124 }] },
  }),
  post('Service', 'external', { spec: { type: 'ExternalName', externalName: 'example.com' } }),
  post('Endpoints', 'minimal', { subsets: [{ addresses: [{ ip: '10.1.1.1' }], ports: [{ port: 80 }] }] }),
  post('EndpointSlice', 'minimal', {
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.1.1.1'] }],
    ports: [{ port: 80 }],
  }),
  post('Ingress', 'minimal', { spec: { defaultBackend: { service: { name: 'web', port: { number: 80 } } } } }),
  post('Ingress', 'full', {
    spec: {
      ingressClassName: 'nginx',
      tls: [{ hosts: ['a.example.com'], secretName: 's' }],
      rules: [
        {
          host: 'a.example.com',
          http: {
            paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 'web', port: { name: 'http' } } } }],
          },
        },
      ],
    },
  }),
  post('IngressClass', 'minimal', { spec: { controller: 'example.com/controller' } }),
  post('NetworkPolicy', 'minimal', { spec: { podSelector: {} } }),
  post('NetworkPolicy', 'full', {
    spec: { podSelector: selector, egress: [{ to: [{ podSelector: {} }], ports: [{ port: 53 }] }] },
  }),
  post('ResourceQuota', 'minimal', { spec: { hard: { 'limits.cpu': '1000m', pods: 10 } } }),
  post('PersistentVolume', 'minimal', {
    spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/data' } },
  }),
  post('PersistentVolumeClaim', 'minimal', {
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  }),
  post('StorageClass', 'minimal', { provisioner: 'example.com/disk' }),
  post('CSIDriver', 'minimal.example.com', { spec: {} }),
  post('CSINode', 'minimal', { spec: { drivers: [{ name: 'a.example.com', nodeID: 'n', topologyKeys: null }] } }),
  post('CSIStorageCapacity', 'minimal', { storageClassName: 'minimal', capacity: '1Gi' }),
  post('VolumeAttachment', 'minimal', {
    spec: { attacher: 'a.example.com', nodeName: 'n', source: { persistentVolumeName: 'minimal' } },
  }),
  post('VolumeAttributesClass', 'minimal', { driverName: 'a.example.com', parameters: { iops: '1' } }),
  post('Role', 'minimal', { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] }),
  post('RoleBinding', 'minimal', {
    roleRef: { kind: 'Role', name: 'minimal' },
    subjects: [
      { kind: 'User', name: 'u' },
      { kind: 'ServiceAccount', name: 'default', namespace: 'default' },
    ],
  }),
  post('ClusterRole', 'minimal', { rules: [] }),
  post('Lease', 'minimal', { spec: { holderIdentity: 'a' } }),
  post('RuntimeClass', 'minimal', { handler: 'runc' }),
  post('ServiceCIDR', 'minimal', { spec: { cidrs: ['10.9.0.0/24'] } }),
  post('IPAddress', '192.0.2.1', {
    spec: { parentRef: { resource: 'services', namespace: 'default', name: 'minimal' } },
  }),
  post('DeviceClass', 'minimal', { spec: {} }),
  post('ResourceClaim', 'minimal', {
    spec: { devices: { requests: [{ name: 'gpu', exactly: { deviceClassName: 'minimal' } }] } },
  }),
  post('ResourceClaimTemplate', 'minimal', {
    spec: { spec: { devices: { requests: [{ name: 'gpu', exactly: { deviceClassName: 'minimal' } }] } } },
  }),
  post('ResourceSlice', 'minimal', {
    spec: { driver: 'a.example.com', nodeName: 'n', pool: { name: 'p', generation: 1, resourceSliceCount: 1 } },
  }),
  post('FlowSchema', 'minimal', { spec: { priorityLevelConfiguration: { name: 'exempt' } } }),
  post('PriorityLevelConfiguration', 'minimal', {
    spec: { type: 'Limited', limited: { limitResponse: { type: 'Queue', queuing: {} } } },
  }),
  post('ValidatingAdmissionPolicy', 'minimal', {
    spec: {
      matchConstraints: {
        resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['nothings'] }],
      },
      validations: [{ expression: 'true' }],
    },
  }),
  post('ValidatingAdmissionPolicyBinding', 'minimal', {
    spec: { policyName: 'minimal', validationActions: ['Audit'] },
  }),
  post('ValidatingWebhookConfiguration', 'minimal', {
    webhooks: [
      {
        name: 'a.example.com',
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        clientConfig: { service: { namespace: 'default', name: 'hook' } },
        failurePolicy: 'Ignore',
        rules: [{ apiGroups: ['example.com'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['nothings'] }],
      },
    ],
  }),
  post('MutatingWebhookConfiguration', 'minimal', {
    webhooks: [
      {
        name: 'a.example.com',
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        clientConfig: { url: 'https://hook.example.com' },
        failurePolicy: 'Ignore',
      },
    ],
  }),
];
