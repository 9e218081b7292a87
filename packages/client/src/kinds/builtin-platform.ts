// Imported by file, because the package's index declares WebSockets and requires @types/ws.
import type {
  ResourceV1ResourceClaim,
  V1APIService,
  V1Binding,
  V1CSIDriver,
  V1CSINode,
  V1CSIStorageCapacity,
  V1CertificateSigningRequest,
  V1ControllerRevision,
  V1DeviceClass,
  V1FlowSchema,
  V1IPAddress,
  V1IngressClass,
  V1LocalSubjectAccessReview,
  V1PodTemplate,
  V1PriorityLevelConfiguration,
  V1ReplicationController,
  V1ResourceClaimTemplate,
  V1ResourceSlice,
  V1RuntimeClass,
  V1SelfSubjectRulesReview,
  V1ServiceCIDR,
  V1ValidatingAdmissionPolicy,
  V1ValidatingAdmissionPolicyBinding,
  V1VolumeAttachment,
  V1VolumeAttributesClass,
} from '@kubernetes/client-node/dist/gen/models/all.js';
import { clusterScoped, namespaced, type BuiltIn } from './builtin-kind.ts';

/*
 * Built-in kinds that few controllers need. Like those of `builtin.ts`, each is a type and a value with the same name.
 */

/* Workloads */

/** Assigns a Pod to a node: `client.subresource('binding', Binding)` of a Pod. */
export interface Binding extends BuiltIn<V1Binding> {}
export const Binding = namespaced<Binding>('v1', 'Binding', 'bindings');

export interface PodTemplate extends BuiltIn<V1PodTemplate> {}
export const PodTemplate = namespaced<PodTemplate>('v1', 'PodTemplate', 'podtemplates');

export interface ReplicationController extends BuiltIn<V1ReplicationController> {}
export const ReplicationController = namespaced<ReplicationController>(
  'v1',
  'ReplicationController',
  'replicationcontrollers',
);

export interface ControllerRevision extends BuiltIn<V1ControllerRevision> {}
export const ControllerRevision = namespaced<ControllerRevision>(
  'apps/v1',
  'ControllerRevision',
  'controllerrevisions',
);

export interface RuntimeClass extends BuiltIn<V1RuntimeClass> {}
export const RuntimeClass = clusterScoped<RuntimeClass>('node.k8s.io/v1', 'RuntimeClass', 'runtimeclasses');

/* Networking */

export interface IngressClass extends BuiltIn<V1IngressClass> {}
export const IngressClass = clusterScoped<IngressClass>('networking.k8s.io/v1', 'IngressClass', 'ingressclasses');

export interface IPAddress extends BuiltIn<V1IPAddress> {}
export const IPAddress = clusterScoped<IPAddress>('networking.k8s.io/v1', 'IPAddress', 'ipaddresses');

export interface ServiceCIDR extends BuiltIn<V1ServiceCIDR> {}
export const ServiceCIDR = clusterScoped<ServiceCIDR>('networking.k8s.io/v1', 'ServiceCIDR', 'servicecidrs');

/* Storage */

export interface CSIDriver extends BuiltIn<V1CSIDriver> {}
export const CSIDriver = clusterScoped<CSIDriver>('storage.k8s.io/v1', 'CSIDriver', 'csidrivers');

export interface CSINode extends BuiltIn<V1CSINode> {}
export const CSINode = clusterScoped<CSINode>('storage.k8s.io/v1', 'CSINode', 'csinodes');

export interface CSIStorageCapacity extends BuiltIn<V1CSIStorageCapacity> {}
export const CSIStorageCapacity = namespaced<CSIStorageCapacity>(
  'storage.k8s.io/v1',
  'CSIStorageCapacity',
  'csistoragecapacities',
);

export interface VolumeAttachment extends BuiltIn<V1VolumeAttachment> {}
export const VolumeAttachment = clusterScoped<VolumeAttachment>(
  'storage.k8s.io/v1',
  'VolumeAttachment',
  'volumeattachments',
);

export interface VolumeAttributesClass extends BuiltIn<V1VolumeAttributesClass> {}
export const VolumeAttributesClass = clusterScoped<VolumeAttributesClass>(
  'storage.k8s.io/v1',
  'VolumeAttributesClass',
  'volumeattributesclasses',
);

/* Devices */

export interface DeviceClass extends BuiltIn<V1DeviceClass> {}
export const DeviceClass = clusterScoped<DeviceClass>('resource.k8s.io/v1', 'DeviceClass', 'deviceclasses');

export interface ResourceClaim extends BuiltIn<ResourceV1ResourceClaim> {}
export const ResourceClaim = namespaced<ResourceClaim>('resource.k8s.io/v1', 'ResourceClaim', 'resourceclaims');

export interface ResourceClaimTemplate extends BuiltIn<V1ResourceClaimTemplate> {}
export const ResourceClaimTemplate = namespaced<ResourceClaimTemplate>(
  'resource.k8s.io/v1',
  'ResourceClaimTemplate',
  'resourceclaimtemplates',
);

export interface ResourceSlice extends BuiltIn<V1ResourceSlice> {}
export const ResourceSlice = clusterScoped<ResourceSlice>('resource.k8s.io/v1', 'ResourceSlice', 'resourceslices');

/* Access and policies */

export interface CertificateSigningRequest extends BuiltIn<V1CertificateSigningRequest> {}
export const CertificateSigningRequest = clusterScoped<CertificateSigningRequest>(
  'certificates.k8s.io/v1',
  'CertificateSigningRequest',
  'certificatesigningrequests',
);

export interface ValidatingAdmissionPolicy extends BuiltIn<V1ValidatingAdmissionPolicy> {}
export const ValidatingAdmissionPolicy = clusterScoped<ValidatingAdmissionPolicy>(
  'admissionregistration.k8s.io/v1',
  'ValidatingAdmissionPolicy',
  'validatingadmissionpolicies',
);

export interface ValidatingAdmissionPolicyBinding extends BuiltIn<V1ValidatingAdmissionPolicyBinding> {}
export const ValidatingAdmissionPolicyBinding = clusterScoped<ValidatingAdmissionPolicyBinding>(
  'admissionregistration.k8s.io/v1',
  'ValidatingAdmissionPolicyBinding',
  'validatingadmissionpolicybindings',
);

/* API server */

export interface APIService extends BuiltIn<V1APIService> {}
export const APIService = clusterScoped<APIService>('apiregistration.k8s.io/v1', 'APIService', 'apiservices');

export interface FlowSchema extends BuiltIn<V1FlowSchema> {}
export const FlowSchema = clusterScoped<FlowSchema>('flowcontrol.apiserver.k8s.io/v1', 'FlowSchema', 'flowschemas');

export interface PriorityLevelConfiguration extends BuiltIn<V1PriorityLevelConfiguration> {}
export const PriorityLevelConfiguration = clusterScoped<PriorityLevelConfiguration>(
  'flowcontrol.apiserver.k8s.io/v1',
  'PriorityLevelConfiguration',
  'prioritylevelconfigurations',
);

/* Review kinds: a create request returns the result of a check, and the server does not store the object. */

export interface LocalSubjectAccessReview extends BuiltIn<V1LocalSubjectAccessReview> {}
export const LocalSubjectAccessReview = namespaced<LocalSubjectAccessReview>(
  'authorization.k8s.io/v1',
  'LocalSubjectAccessReview',
  'localsubjectaccessreviews',
);

export interface SelfSubjectRulesReview extends BuiltIn<V1SelfSubjectRulesReview> {}
export const SelfSubjectRulesReview = clusterScoped<SelfSubjectRulesReview>(
  'authorization.k8s.io/v1',
  'SelfSubjectRulesReview',
  'selfsubjectrulesreviews',
);
