/** An object whose status the cases write, and the path of its collection. */
export interface StatusObject {
  readonly path: string;
  readonly object: { readonly apiVersion: string; readonly kind: string; readonly [field: string]: unknown };
}

const container = {
  name: 'main',
  image: 'example.com/main:1',
  resources: { requests: { 'example.com/gpu': '1' }, limits: { 'example.com/gpu': '1' } },
};
const selector = { matchLabels: { app: 'judge' } };
const metadata = { labels: selector.matchLabels };
const template = { metadata, spec: { containers: [container] } };
const apps = (plural: string): string => `/apis/apps/v1/namespaces/default/${plural}`;

function job(spec: object): StatusObject {
  const own = { spec: { containers: [container], restartPolicy: 'Never' } };
  return {
    path: '/apis/batch/v1/namespaces/default/jobs',
    object: { apiVersion: 'batch/v1', kind: 'Job', spec: { template: own, ...spec } },
  };
}

function workload(kind: string, spec: object = {}): StatusObject {
  return {
    path: apps(`${kind.toLowerCase()}s`),
    object: { apiVersion: 'apps/v1', kind, spec: { selector, template, ...spec } },
  };
}

function pod(spec: object): StatusObject {
  return {
    path: '/api/v1/namespaces/default/pods',
    object: { apiVersion: 'v1', kind: 'Pod', spec: { containers: [container], ...spec } },
  };
}

const isFail = [{ action: 'Restart', exitCodes: { operator: 'In', values: [3] } }];

/** Valid objects, by name. */
export const objects: Readonly<Record<string, StatusObject>> = {
  job: job({}),
  'job-suspended': job({ suspend: true, completions: 0 }),
  'job-indexed': job({ completionMode: 'Indexed', completions: 5, parallelism: 2 }),
  'job-elastic': job({ completionMode: 'Indexed', completions: 2, parallelism: 2 }),
  'job-limited': job({ completionMode: 'Indexed', completions: 5, parallelism: 2, backoffLimitPerIndex: 1 }),
  'job-policy': job({
    completionMode: 'Indexed',
    completions: 5,
    successPolicy: { rules: [{ succeededIndexes: '0' }] },
  }),
  deployment: workload('Deployment'),
  replicaset: workload('ReplicaSet'),
  statefulset: workload('StatefulSet', { serviceName: 'judge' }),
  daemonset: workload('DaemonSet'),
  replicationcontroller: {
    path: '/api/v1/namespaces/default/replicationcontrollers',
    object: { apiVersion: 'v1', kind: 'ReplicationController', spec: { selector: selector.matchLabels, template } },
  },
  poddisruptionbudget: {
    path: '/apis/policy/v1/namespaces/default/poddisruptionbudgets',
    object: { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', spec: { selector, minAvailable: 1 } },
  },
  horizontalpodautoscaler: {
    path: '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers',
    object: {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      spec: { maxReplicas: 2, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' } },
    },
  },
  persistentvolumeclaim: {
    path: '/api/v1/namespaces/default/persistentvolumeclaims',
    object: {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    },
  },
  service: {
    path: '/api/v1/namespaces/default/services',
    object: { apiVersion: 'v1', kind: 'Service', spec: { ports: [{ port: 80 }] } },
  },
  flowschema: {
    path: '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas',
    object: {
      apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
      kind: 'FlowSchema',
      spec: { priorityLevelConfiguration: { name: 'exempt' }, matchingPrecedence: 9000 },
    },
  },
  validatingadmissionpolicy: {
    path: '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies',
    object: {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicy',
      spec: {
        matchConstraints: {
          resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
        },
        validations: [{ expression: 'true' }],
      },
    },
  },
  pod: pod({ restartPolicy: 'Never' }),
  'pod-restarting': pod({ restartPolicy: 'OnFailure' }),
  'pod-ruled': pod({
    restartPolicy: 'Never',
    containers: [{ ...container, restartPolicy: 'Never', restartPolicyRules: isFail }],
  }),
  'pod-bound': pod({ nodeName: 'node-1' }),
  'pod-windows': pod({ os: { name: 'windows' } }),
  'resource-claim': {
    path: '/apis/resource.k8s.io/v1/namespaces/default/resourceclaims',
    object: {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceClaim',
      spec: { devices: { requests: [{ name: 'gpu', exactly: { deviceClassName: 'gpu.example.com' } }] } },
    },
  },
};
