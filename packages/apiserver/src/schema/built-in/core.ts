import type { TypeTable } from './notation.ts';

/** The types of the core group, except Pods, in the notation of {@link TypeTable}. */
export const coreTypes: TypeTable = {
  Namespace: 'spec NamespaceSpec, status NamespaceStatus',
  ConfigMap: 'binaryData bytes{}, data string{}, immutable bool',
  Secret: 'data bytes{}, immutable bool, stringData string{}, type string',
  Service: 'spec ServiceSpec, status ServiceStatus',
  ServiceAccount: `
    automountServiceAccountToken bool, imagePullSecrets LocalObjectReference[], secrets ObjectReference[name]`,
  Node: 'spec NodeSpec, status NodeStatus',
  Event: `
    action string, count int, eventTime time, firstTimestamp time, involvedObject ObjectReference, lastTimestamp time,
    message string, reason string, related ObjectReference, reportingComponent string, reportingInstance string,
    series EventSeries, source EventSource, type string`,
  EventsEvent: `
    action string, deprecatedCount int, deprecatedFirstTimestamp time, deprecatedLastTimestamp time,
    deprecatedSource EventSource, eventTime time, note string, reason string, regarding ObjectReference,
    related ObjectReference, reportingController string, reportingInstance string, series EventSeries, type string`,
  Endpoints: 'subsets EndpointSubset[]',
  PersistentVolumeClaim:
    'apiVersion string, kind string, metadata ObjectMeta, spec PersistentVolumeClaimSpec, status PersistentVolumeClaimStatus',
  ResourceQuota: 'spec ResourceQuotaSpec, status ResourceQuotaStatus',
  LimitRange: 'spec LimitRangeSpec',
  NamespaceSpec: 'finalizers string[]',
  NamespaceStatus: 'conditions NamespaceCondition[type], phase string',
  ServiceSpec: `
    allocateLoadBalancerNodePorts bool, clusterIP string, clusterIPs string[], externalIPs string[],
    externalName string, externalTrafficPolicy string, healthCheckNodePort int, internalTrafficPolicy string,
    ipFamilies string[], ipFamilyPolicy string, loadBalancerClass string, loadBalancerIP string,
    loadBalancerSourceRanges string[], ports ServicePort[port+protocol], publishNotReadyAddresses bool,
    selector string{}!, sessionAffinity string, sessionAffinityConfig SessionAffinityConfig,
    trafficDistribution string, type string`,
  ServiceStatus: 'conditions Condition[type], loadBalancer LoadBalancerStatus',
  NodeSpec: `
    configSource NodeConfigSource, externalID string, podCIDR string, podCIDRs string[*], providerID string,
    taints Taint[], unschedulable bool`,
  NodeStatus: `
    addresses NodeAddress[type], allocatable quantity{}, capacity quantity{}, conditions NodeCondition[type],
    config NodeConfigStatus, daemonEndpoints NodeDaemonEndpoints, declaredFeatures string[], features NodeFeatures,
    images ContainerImage[], nodeInfo NodeSystemInfo, phase string, runtimeHandlers NodeRuntimeHandler[],
    volumesAttached AttachedVolume[], volumesInUse string[]`,
  EventSeries: 'count int, lastObservedTime time',
  EventSource: 'component string, host string',
  EndpointSubset: 'addresses EndpointAddress[], notReadyAddresses EndpointAddress[], ports EndpointPort[]',
  PersistentVolumeClaimSpec: `
    accessModes string[], dataSource TypedLocalObjectReference, dataSourceRef TypedObjectReference,
    resources VolumeResourceRequirements, selector LabelSelector, storageClassName string,
    volumeAttributesClassName string, volumeMode string, volumeName string`,
  PersistentVolumeClaimStatus: `
    accessModes string[], allocatedResourceStatuses string{}, allocatedResources quantity{}, capacity quantity{},
    conditions PersistentVolumeClaimCondition[type], currentVolumeAttributesClassName string,
    modifyVolumeStatus ModifyVolumeStatus, phase string`,
  ResourceQuotaSpec: 'hard quantity{}, scopeSelector ScopeSelector, scopes string[]',
  ResourceQuotaStatus: 'hard quantity{}, used quantity{}',
  LimitRangeSpec: 'limits LimitRangeItem[]',
  NamespaceCondition: 'lastTransitionTime time, message string, reason string, status string, type string',
  ServicePort: 'appProtocol string, name string, nodePort int, port int, protocol string=TCP, targetPort intOrString',
  SessionAffinityConfig: 'clientIP ClientIPConfig',
  LoadBalancerStatus: 'ingress LoadBalancerIngress[]',
  NodeConfigSource: 'configMap ConfigMapNodeConfigSource',
  Taint: 'effect string, key string, timeAdded time, value string',
  NodeAddress: 'address string, type string',
  NodeCondition: `
    lastHeartbeatTime time, lastTransitionTime time, message string, reason string, status string, type string`,
  NodeConfigStatus: 'active NodeConfigSource, assigned NodeConfigSource, error string, lastKnownGood NodeConfigSource',
  NodeDaemonEndpoints: 'kubeletEndpoint DaemonEndpoint',
  NodeFeatures: 'supplementalGroupsPolicy bool',
  ContainerImage: 'names string[], sizeBytes int',
  NodeSystemInfo: `
    architecture string, bootID string, containerRuntimeVersion string, kernelVersion string, kubeProxyVersion string,
    kubeletVersion string, machineID string, operatingSystem string, osImage string, swap NodeSwapStatus,
    systemUUID string`,
  NodeRuntimeHandler: 'features NodeRuntimeHandlerFeatures, name string',
  AttachedVolume: 'devicePath string, name string',
  'EndpointAddress!': 'hostname string, ip string, nodeName string, targetRef ObjectReference',
  'EndpointPort!': 'appProtocol string, name string, port int, protocol string',
  VolumeResourceRequirements: 'limits quantity{}, requests quantity{}',
  PersistentVolumeClaimCondition: `
    lastProbeTime time, lastTransitionTime time, message string, reason string, status string, type string`,
  ModifyVolumeStatus: 'status string, targetVolumeAttributesClassName string',
  'ScopeSelector!': 'matchExpressions ScopedResourceSelectorRequirement[]',
  LimitRangeItem: `
    default quantity{}, defaultRequest quantity{}, max quantity{}, maxLimitRequestRatio quantity{}, min quantity{},
    type string`,
  ClientIPConfig: 'timeoutSeconds int',
  LoadBalancerIngress: 'hostname string, ip string, ipMode string, ports PortStatus[]',
  ConfigMapNodeConfigSource: `
    kubeletConfigKey string, name string, namespace string, resourceVersion string, uid string`,
  DaemonEndpoint: 'Port int',
  NodeSwapStatus: 'capacity int',
  NodeRuntimeHandlerFeatures: 'recursiveReadOnlyMounts bool, userNamespaces bool',
  ScopedResourceSelectorRequirement: 'operator string, scopeName string, values string[]',
  PortStatus: 'error string, port int, protocol string',
};
