import type { Change } from '../resource-type.ts';

const noNodeInfo = Object.fromEntries(
  [
    'machineID',
    'systemUUID',
    'bootID',
    'kernelVersion',
    'osImage',
    'containerRuntimeVersion',
    'kubeletVersion',
    'kubeProxyVersion',
    'operatingSystem',
    'architecture',
  ].map((field) => [field, '']),
);

/** Status of a new object, by kind: what the Go types write without a value. */
const firstStatus: Readonly<Record<string, object>> = {
  CertificateSigningRequest: {},
  CronJob: {},
  DaemonSet: { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 },
  Deployment: {},
  FlowSchema: {},
  HorizontalPodAutoscaler: { desiredReplicas: 0, currentMetrics: null },
  Ingress: { loadBalancer: {} },
  Job: {},
  Node: { daemonEndpoints: { kubeletEndpoint: { Port: 0 } }, nodeInfo: noNodeInfo },
  PersistentVolumeClaim: { phase: 'Pending' },
  PodDisruptionBudget: { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
  PriorityLevelConfiguration: {},
  ReplicaSet: { replicas: 0 },
  ReplicationController: { replicas: 0 },
  ResourceClaim: {},
  ResourceQuota: {},
  Service: { loadBalancer: {} },
  ServiceCIDR: {},
  StatefulSet: { replicas: 0, availableReplicas: 0 },
  ValidatingAdmissionPolicy: {},
  VolumeAttachment: { attached: false },
};

/** Sets the status of a new object. */
export function setFirstStatus(kind: string, { object, previous }: Change): void {
  if (previous || !Object.hasOwn(firstStatus, kind)) return;
  const first = structuredClone(firstStatus[kind]);
  object['status'] = kind === 'Node' ? { ...first, ...(object['status'] as object | undefined) } : first;
}
