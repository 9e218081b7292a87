// Imported by file, because the package's index declares WebSockets and requires @types/ws.
import type {
  AuthenticationV1TokenRequest,
  CoreV1Event as V1CoreEvent,
  EventsV1Event as V1EventsEvent,
  V1ClusterRole,
  V1ClusterRoleBinding,
  V1ConfigMap,
  V1CronJob,
  V1CustomResourceDefinition,
  V1DaemonSet,
  V1Deployment,
  V1EndpointSlice,
  V1Endpoints,
  V1Eviction,
  V1Ingress,
  V1Job,
  V1Lease,
  V1LimitRange,
  V1MutatingWebhookConfiguration,
  V1Namespace,
  V1NetworkPolicy,
  V1Node,
  V1PersistentVolume,
  V1PersistentVolumeClaim,
  V1Pod,
  V1PodDisruptionBudget,
  V1PriorityClass,
  V1ReplicaSet,
  V1ResourceQuota,
  V1Role,
  V1RoleBinding,
  V1Scale,
  V1Secret,
  V1SelfSubjectAccessReview,
  V1SelfSubjectReview,
  V1Service,
  V1ServiceAccount,
  V1StatefulSet,
  V1StorageClass,
  V1SubjectAccessReview,
  V1TokenReview,
  V1ValidatingWebhookConfiguration,
  V2HorizontalPodAutoscaler,
} from '@kubernetes/client-node/dist/gen/models/all.js';
import { clusterScoped, namespaced, type BuiltIn } from './builtin-kind.ts';
import { defineKind } from './kind.ts';

export type { BuiltIn };

/*
 * Each built-in kind is a type and a value with the same name: `client.get(ConfigMap, key)` resolves to a `ConfigMap`.
 */

/** The values of `data` are text; the values of `binaryData` are base64. */
export interface ConfigMap extends BuiltIn<V1ConfigMap> {}
export const ConfigMap = namespaced<ConfigMap>('v1', 'ConfigMap', 'configmaps');

/**
 * The values of `data` are base64. To write plain text, use `stringData`: the server encodes it and never returns it.
 */
export interface Secret extends BuiltIn<V1Secret> {}
export const Secret = namespaced<Secret>('v1', 'Secret', 'secrets');

export interface Namespace extends BuiltIn<V1Namespace> {}
export const Namespace = clusterScoped<Namespace>('v1', 'Namespace', 'namespaces');

export interface Pod extends BuiltIn<V1Pod> {}
export const Pod = namespaced<Pod>('v1', 'Pod', 'pods');

export interface Service extends BuiltIn<V1Service> {}
export const Service = namespaced<Service>('v1', 'Service', 'services');

export interface ServiceAccount extends BuiltIn<V1ServiceAccount> {}
export const ServiceAccount = namespaced<ServiceAccount>('v1', 'ServiceAccount', 'serviceaccounts');

export interface Node extends BuiltIn<V1Node> {}
export const Node = clusterScoped<Node>('v1', 'Node', 'nodes');

export interface PersistentVolume extends BuiltIn<V1PersistentVolume> {}
export const PersistentVolume = clusterScoped<PersistentVolume>('v1', 'PersistentVolume', 'persistentvolumes');

export interface PersistentVolumeClaim extends BuiltIn<V1PersistentVolumeClaim> {}
export const PersistentVolumeClaim = namespaced<PersistentVolumeClaim>(
  'v1',
  'PersistentVolumeClaim',
  'persistentvolumeclaims',
);

export interface ResourceQuota extends BuiltIn<V1ResourceQuota> {}
export const ResourceQuota = namespaced<ResourceQuota>('v1', 'ResourceQuota', 'resourcequotas');

export interface LimitRange extends BuiltIn<V1LimitRange> {}
export const LimitRange = namespaced<LimitRange>('v1', 'LimitRange', 'limitranges');

export interface Endpoints extends BuiltIn<V1Endpoints> {}
export const Endpoints = namespaced<Endpoints>('v1', 'Endpoints', 'endpoints');

/** The event type of the core group. New code records {@link EventsV1Event} objects of `events.k8s.io/v1`. */
export interface CoreV1Event extends BuiltIn<V1CoreEvent> {}
export const CoreV1Event = namespaced<CoreV1Event>('v1', 'Event', 'events');

export interface Deployment extends BuiltIn<V1Deployment> {}
export const Deployment = namespaced<Deployment>('apps/v1', 'Deployment', 'deployments');

export interface ReplicaSet extends BuiltIn<V1ReplicaSet> {}
export const ReplicaSet = namespaced<ReplicaSet>('apps/v1', 'ReplicaSet', 'replicasets');

export interface StatefulSet extends BuiltIn<V1StatefulSet> {}
export const StatefulSet = namespaced<StatefulSet>('apps/v1', 'StatefulSet', 'statefulsets');

export interface DaemonSet extends BuiltIn<V1DaemonSet> {}
export const DaemonSet = namespaced<DaemonSet>('apps/v1', 'DaemonSet', 'daemonsets');

export interface Job extends BuiltIn<V1Job> {}
export const Job = namespaced<Job>('batch/v1', 'Job', 'jobs');

export interface CronJob extends BuiltIn<V1CronJob> {}
export const CronJob = namespaced<CronJob>('batch/v1', 'CronJob', 'cronjobs');

export interface HorizontalPodAutoscaler extends BuiltIn<V2HorizontalPodAutoscaler> {}
export const HorizontalPodAutoscaler = namespaced<HorizontalPodAutoscaler>(
  'autoscaling/v2',
  'HorizontalPodAutoscaler',
  'horizontalpodautoscalers',
);

export interface PodDisruptionBudget extends BuiltIn<V1PodDisruptionBudget> {}
export const PodDisruptionBudget = namespaced<PodDisruptionBudget>(
  'policy/v1',
  'PodDisruptionBudget',
  'poddisruptionbudgets',
);

export interface Ingress extends BuiltIn<V1Ingress> {}
export const Ingress = namespaced<Ingress>('networking.k8s.io/v1', 'Ingress', 'ingresses');

export interface NetworkPolicy extends BuiltIn<V1NetworkPolicy> {}
export const NetworkPolicy = namespaced<NetworkPolicy>('networking.k8s.io/v1', 'NetworkPolicy', 'networkpolicies');

export interface EndpointSlice extends BuiltIn<V1EndpointSlice> {}
export const EndpointSlice = namespaced<EndpointSlice>('discovery.k8s.io/v1', 'EndpointSlice', 'endpointslices');

export interface Role extends BuiltIn<V1Role> {}
export const Role = namespaced<Role>('rbac.authorization.k8s.io/v1', 'Role', 'roles');

export interface RoleBinding extends BuiltIn<V1RoleBinding> {}
export const RoleBinding = namespaced<RoleBinding>('rbac.authorization.k8s.io/v1', 'RoleBinding', 'rolebindings');

export interface ClusterRole extends BuiltIn<V1ClusterRole> {}
export const ClusterRole = clusterScoped<ClusterRole>('rbac.authorization.k8s.io/v1', 'ClusterRole', 'clusterroles');

export interface ClusterRoleBinding extends BuiltIn<V1ClusterRoleBinding> {}
export const ClusterRoleBinding = clusterScoped<ClusterRoleBinding>(
  'rbac.authorization.k8s.io/v1',
  'ClusterRoleBinding',
  'clusterrolebindings',
);

export interface Lease extends BuiltIn<V1Lease> {}
export const Lease = namespaced<Lease>('coordination.k8s.io/v1', 'Lease', 'leases');

export interface EventsV1Event extends BuiltIn<V1EventsEvent> {}
export const EventsV1Event = namespaced<EventsV1Event>('events.k8s.io/v1', 'Event', 'events');

export interface StorageClass extends BuiltIn<V1StorageClass> {}
export const StorageClass = clusterScoped<StorageClass>('storage.k8s.io/v1', 'StorageClass', 'storageclasses');

export interface PriorityClass extends BuiltIn<V1PriorityClass> {}
export const PriorityClass = clusterScoped<PriorityClass>('scheduling.k8s.io/v1', 'PriorityClass', 'priorityclasses');

export interface CustomResourceDefinition extends BuiltIn<V1CustomResourceDefinition> {}
export const CustomResourceDefinition = clusterScoped<CustomResourceDefinition>(
  'apiextensions.k8s.io/v1',
  'CustomResourceDefinition',
  'customresourcedefinitions',
);

export interface ValidatingWebhookConfiguration extends BuiltIn<V1ValidatingWebhookConfiguration> {}
export const ValidatingWebhookConfiguration = clusterScoped<ValidatingWebhookConfiguration>(
  'admissionregistration.k8s.io/v1',
  'ValidatingWebhookConfiguration',
  'validatingwebhookconfigurations',
);

export interface MutatingWebhookConfiguration extends BuiltIn<V1MutatingWebhookConfiguration> {}
export const MutatingWebhookConfiguration = clusterScoped<MutatingWebhookConfiguration>(
  'admissionregistration.k8s.io/v1',
  'MutatingWebhookConfiguration',
  'mutatingwebhookconfigurations',
);

/* Review kinds: a create request returns the result of a check, and the server does not store the object. */

export interface TokenReview extends BuiltIn<V1TokenReview> {}
export const TokenReview = clusterScoped<TokenReview>('authentication.k8s.io/v1', 'TokenReview', 'tokenreviews');

export interface SelfSubjectReview extends BuiltIn<V1SelfSubjectReview> {}
export const SelfSubjectReview = clusterScoped<SelfSubjectReview>(
  'authentication.k8s.io/v1',
  'SelfSubjectReview',
  'selfsubjectreviews',
);

export interface SubjectAccessReview extends BuiltIn<V1SubjectAccessReview> {}
export const SubjectAccessReview = clusterScoped<SubjectAccessReview>(
  'authorization.k8s.io/v1',
  'SubjectAccessReview',
  'subjectaccessreviews',
);

export interface SelfSubjectAccessReview extends BuiltIn<V1SelfSubjectAccessReview> {}
export const SelfSubjectAccessReview = clusterScoped<SelfSubjectAccessReview>(
  'authorization.k8s.io/v1',
  'SelfSubjectAccessReview',
  'selfsubjectaccessreviews',
);

/* Kinds of subresources, for example `client.subresource('scale', Scale)`. */

export interface Scale extends BuiltIn<V1Scale> {}
export const Scale = defineKind<Scale>({ apiVersion: 'autoscaling/v1', kind: 'Scale' });

export interface Eviction extends BuiltIn<V1Eviction> {}
export const Eviction = defineKind<Eviction>({ apiVersion: 'policy/v1', kind: 'Eviction' });

export interface TokenRequest extends BuiltIn<AuthenticationV1TokenRequest> {}
export const TokenRequest = defineKind<TokenRequest>({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest' });
