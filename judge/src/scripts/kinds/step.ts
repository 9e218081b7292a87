import type { Step } from '../session.ts';

const NAMESPACE = '/namespaces/default';

/** Paths of the collections in namespace `default`, by kind, and those of cluster-scoped kinds. */
const COLLECTIONS: Readonly<Record<string, string>> = {
  APIService: '/apis/apiregistration.k8s.io/v1/apiservices',
  ConfigMap: `/api/v1${NAMESPACE}/configmaps`,
  ControllerRevision: `/apis/apps/v1${NAMESPACE}/controllerrevisions`,
  CronJob: `/apis/batch/v1${NAMESPACE}/cronjobs`,
  CSIDriver: '/apis/storage.k8s.io/v1/csidrivers',
  CSINode: '/apis/storage.k8s.io/v1/csinodes',
  CSIStorageCapacity: `/apis/storage.k8s.io/v1${NAMESPACE}/csistoragecapacities`,
  CertificateSigningRequest: '/apis/certificates.k8s.io/v1/certificatesigningrequests',
  ClusterRole: '/apis/rbac.authorization.k8s.io/v1/clusterroles',
  DaemonSet: `/apis/apps/v1${NAMESPACE}/daemonsets`,
  Deployment: `/apis/apps/v1${NAMESPACE}/deployments`,
  DeviceClass: '/apis/resource.k8s.io/v1/deviceclasses',
  EndpointSlice: `/apis/discovery.k8s.io/v1${NAMESPACE}/endpointslices`,
  Endpoints: `/api/v1${NAMESPACE}/endpoints`,
  FlowSchema: '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas',
  HorizontalPodAutoscaler: `/apis/autoscaling/v2${NAMESPACE}/horizontalpodautoscalers`,
  HorizontalPodAutoscalerV1: `/apis/autoscaling/v1${NAMESPACE}/horizontalpodautoscalers`,
  IPAddress: '/apis/networking.k8s.io/v1/ipaddresses',
  Ingress: `/apis/networking.k8s.io/v1${NAMESPACE}/ingresses`,
  IngressClass: '/apis/networking.k8s.io/v1/ingressclasses',
  Job: `/apis/batch/v1${NAMESPACE}/jobs`,
  Lease: `/apis/coordination.k8s.io/v1${NAMESPACE}/leases`,
  LimitRange: `/api/v1${NAMESPACE}/limitranges`,
  MutatingWebhookConfiguration: '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations',
  Namespace: '/api/v1/namespaces',
  NetworkPolicy: `/apis/networking.k8s.io/v1${NAMESPACE}/networkpolicies`,
  Node: '/api/v1/nodes',
  PersistentVolume: '/api/v1/persistentvolumes',
  PersistentVolumeClaim: `/api/v1${NAMESPACE}/persistentvolumeclaims`,
  Pod: `/api/v1${NAMESPACE}/pods`,
  PodDisruptionBudget: `/apis/policy/v1${NAMESPACE}/poddisruptionbudgets`,
  PodTemplate: `/api/v1${NAMESPACE}/podtemplates`,
  PriorityClass: '/apis/scheduling.k8s.io/v1/priorityclasses',
  PriorityLevelConfiguration: '/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations',
  ReplicaSet: `/apis/apps/v1${NAMESPACE}/replicasets`,
  ReplicationController: `/api/v1${NAMESPACE}/replicationcontrollers`,
  ResourceClaim: `/apis/resource.k8s.io/v1${NAMESPACE}/resourceclaims`,
  ResourceClaimTemplate: `/apis/resource.k8s.io/v1${NAMESPACE}/resourceclaimtemplates`,
  ResourceQuota: `/api/v1${NAMESPACE}/resourcequotas`,
  ResourceSlice: '/apis/resource.k8s.io/v1/resourceslices',
  Role: `/apis/rbac.authorization.k8s.io/v1${NAMESPACE}/roles`,
  RoleBinding: `/apis/rbac.authorization.k8s.io/v1${NAMESPACE}/rolebindings`,
  RuntimeClass: '/apis/node.k8s.io/v1/runtimeclasses',
  Secret: `/api/v1${NAMESPACE}/secrets`,
  Service: `/api/v1${NAMESPACE}/services`,
  ServiceAccount: `/api/v1${NAMESPACE}/serviceaccounts`,
  ServiceCIDR: '/apis/networking.k8s.io/v1/servicecidrs',
  StatefulSet: `/apis/apps/v1${NAMESPACE}/statefulsets`,
  StorageClass: '/apis/storage.k8s.io/v1/storageclasses',
  ValidatingAdmissionPolicy: '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies',
  ValidatingAdmissionPolicyBinding: '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings',
  ValidatingWebhookConfiguration: '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
  VolumeAttachment: '/apis/storage.k8s.io/v1/volumeattachments',
  VolumeAttributesClass: '/apis/storage.k8s.io/v1/volumeattributesclasses',
};

export function collection(kind: string): string {
  const path = COLLECTIONS[kind];
  if (path === undefined) throw new TypeError(`no collection of kind ${kind}`);
  return path;
}

/** Returns a step that creates an object. @param kind kind, or `HorizontalPodAutoscalerV1`. */
export function post(kind: string, name: string, fields: object = {}, metadata: object = {}): Step {
  const path = collection(kind);
  const [, root, ...segments] = path.split('/');
  const apiVersion = root === 'api' ? 'v1' : `${segments[0] ?? ''}/${segments[1] ?? ''}`;
  const body = { apiVersion, kind: kind.replace(/V1$/u, ''), metadata: { name, ...metadata }, ...fields };
  return { method: 'POST', path, body };
}

export function get(kind: string, name: string, query = ''): Step {
  return { method: 'GET', path: `${collection(kind)}/${name}${query}` };
}

export function remove(kind: string, name: string, body?: object): Step {
  return { method: 'DELETE', path: `${collection(kind)}/${name}`, ...(body && { body }) };
}

export function patch(kind: string, name: string, body: unknown, type: Step['type'] = 'merge'): Step {
  return { method: 'PATCH', path: `${collection(kind)}/${name}`, body, type };
}
