/**
 * Fields of Go types whose type has a name of its own: `field=Type field=Type …`. A type without a package is of `v1`.
 * Generated from the sources of `k8s.io/api` and its sisters, v0.35.4.
 */
const NAMED: Readonly<Record<string, string>> = {
  Preconditions: 'uid=types.UID',
  DeleteOptions: 'propagationPolicy=DeletionPropagation',
  APIServiceCondition: 'type=APIServiceConditionType status=ConditionStatus',
  AppArmorProfile: 'type=AppArmorProfileType',
  AttachedVolume: 'name=UniqueVolumeName',
  AzureDiskVolumeSource: 'cachingMode=AzureDataDiskCachingMode kind=AzureDataDiskKind',
  CSIDriverSpec: 'volumeLifecycleModes=[]VolumeLifecycleMode fsGroupPolicy=FSGroupPolicy',
  Capabilities: 'add=[]Capability drop=[]Capability',
  CapacityRequirements: 'requests=map[QualifiedName]resource.Quantity',
  CertificateSigningRequestCondition: 'type=RequestConditionType status=ConditionStatus',
  CertificateSigningRequestSpec: 'usages=[]KeyUsage extra=map[string]ExtraValue',
  Condition: 'status=ConditionStatus',
  ConfigMapNodeConfigSource: 'uid=types.UID',
  Container: `restartPolicy=ContainerRestartPolicy terminationMessagePolicy=TerminationMessagePolicy imagePullPolicy=PullPolicy`,
  ContainerPort: 'protocol=Protocol',
  ContainerResizePolicy: 'resourceName=ResourceName restartPolicy=ResourceResizeRestartPolicy',
  ContainerResourceMetricSource: 'name=ResourceName',
  ContainerResourceMetricStatus: 'name=ResourceName',
  ContainerRestartRule: 'action=ContainerRestartRuleAction',
  ContainerRestartRuleOnExitCodes: 'operator=ContainerRestartRuleOnExitCodesOperator',
  ContainerStatus: 'allocatedResources=ResourceList stopSignal=Signal',
  CronJobSpec: 'concurrencyPolicy=ConcurrencyPolicy',
  CustomResourceConversion: 'strategy=ConversionStrategyType',
  CustomResourceDefinitionCondition: 'type=CustomResourceDefinitionConditionType status=ConditionStatus',
  CustomResourceDefinitionSpec: 'scope=ResourceScope',
  DaemonSetCondition: 'type=DaemonSetConditionType status=ConditionStatus',
  DaemonSetUpdateStrategy: 'type=DaemonSetUpdateStrategyType',
  DeploymentCondition: 'type=DeploymentConditionType status=ConditionStatus',
  DeploymentStrategy: 'type=DeploymentStrategyType',
  Device: 'attributes=map[QualifiedName]DeviceAttribute capacity=map[QualifiedName]DeviceCapacity',
  DeviceAllocationConfiguration: 'source=AllocationConfigSource',
  DeviceConstraint: 'matchAttribute=FullyQualifiedName distinctAttribute=FullyQualifiedName',
  DeviceRequestAllocationResult: 'shareID=types.UID consumedCapacity=map[QualifiedName]resource.Quantity',
  DeviceSubRequest: 'allocationMode=DeviceAllocationMode',
  DeviceTaint: 'effect=DeviceTaintEffect',
  DeviceToleration: 'operator=DeviceTolerationOperator effect=DeviceTaintEffect',
  DiscoveryEndpointPort: 'protocol=Protocol',
  EmptyDirVolumeSource: 'medium=StorageMedium',
  EndpointPort: 'protocol=Protocol',
  EndpointSlice: 'addressType=AddressType',
  EphemeralContainer: `restartPolicy=ContainerRestartPolicy terminationMessagePolicy=TerminationMessagePolicy imagePullPolicy=PullPolicy`,
  ExactDeviceRequest: 'allocationMode=DeviceAllocationMode',
  FlowControlSubject: 'kind=SubjectKind',
  FlowDistinguisherMethod: 'type=FlowDistinguisherMethodType',
  FlowSchemaCondition: 'type=FlowSchemaConditionType status=ConditionStatus',
  HPAScalingPolicy: 'type=v2.HPAScalingPolicyType',
  HPAScalingRules: 'selectPolicy=v2.ScalingPolicySelect',
  HTTPGetAction: 'scheme=URIScheme',
  HTTPIngressPath: 'pathType=PathType',
  HorizontalPodAutoscalerCondition: 'type=v2.HorizontalPodAutoscalerConditionType status=ConditionStatus',
  HostPathVolumeSource: 'type=HostPathType',
  ImageVolumeSource: 'pullPolicy=PullPolicy',
  IngressPortStatus: 'protocol=Protocol',
  JSONSchemaProps: `$schema=JSONSchemaURL dependencies=JSONSchemaDependencies definitions=JSONSchemaDefinitions x-kubernetes-validations=ValidationRules enum=[]JSON`,
  JSONSchemaPropsOrOther: `$schema=JSONSchemaURL dependencies=JSONSchemaDependencies definitions=JSONSchemaDefinitions x-kubernetes-validations=ValidationRules enum=[]JSON`,
  JobCondition: 'type=JobConditionType status=ConditionStatus',
  JobSpec: 'completionMode=CompletionMode podReplacementPolicy=PodReplacementPolicy',
  LabelSelectorRequirement: 'operator=LabelSelectorOperator',
  LeaseSpec: 'strategy=CoordinatedLeaseStrategy',
  Lifecycle: 'stopSignal=Signal',
  LimitRangeItem: `type=LimitType max=ResourceList min=ResourceList default=ResourceList defaultRequest=ResourceList maxLimitRequestRatio=ResourceList`,
  LimitResponse: 'type=LimitResponseType',
  LoadBalancerIngress: 'ipMode=LoadBalancerIPMode',
  ManagedFieldsEntry: 'operation=ManagedFieldsOperationType',
  MatchResources: 'matchPolicy=MatchPolicyType',
  MetricSpec: 'type=v2.MetricSourceType',
  MetricStatus: 'type=v2.MetricSourceType',
  MetricTarget: 'type=v2.MetricTargetType',
  ModifyVolumeStatus: 'status=PersistentVolumeClaimModifyVolumeStatus',
  MutatingWebhook: `failurePolicy=FailurePolicyType matchPolicy=MatchPolicyType sideEffects=SideEffectClass reinvocationPolicy=ReinvocationPolicyType`,
  NamedRuleWithOperations: 'operations=[]OperationType scope=ScopeType',
  NamespaceCondition: 'type=NamespaceConditionType status=ConditionStatus',
  NamespaceSpec: 'finalizers=[]FinalizerName',
  NamespaceStatus: 'phase=NamespacePhase',
  NetworkPolicyPort: 'protocol=Protocol',
  NetworkPolicySpec: 'policyTypes=[]PolicyType',
  NodeAddress: 'type=NodeAddressType',
  NodeCondition: 'type=NodeConditionType status=ConditionStatus',
  NodeSelectorRequirement: 'operator=NodeSelectorOperator',
  NodeStatus: `capacity=ResourceList allocatable=ResourceList phase=NodePhase volumesInUse=[]UniqueVolumeName`,
  ObjectMeta: 'uid=types.UID',
  ObjectReference: 'uid=types.UID',
  Overhead: 'podFixed=ResourceList',
  OwnerReference: 'uid=types.UID',
  ParamRef: 'parameterNotFoundAction=ParameterNotFoundActionType',
  PersistentVolumeClaimCondition: 'type=PersistentVolumeClaimConditionType status=ConditionStatus',
  PersistentVolumeClaimSpec: 'accessModes=[]PersistentVolumeAccessMode volumeMode=PersistentVolumeMode',
  PersistentVolumeClaimStatus: `phase=PersistentVolumeClaimPhase accessModes=[]PersistentVolumeAccessMode capacity=ResourceList allocatedResources=ResourceList allocatedResourceStatuses=map[ResourceName]ClaimResourceStatus`,
  PersistentVolumeSpec: `capacity=ResourceList accessModes=[]PersistentVolumeAccessMode persistentVolumeReclaimPolicy=PersistentVolumeReclaimPolicy volumeMode=PersistentVolumeMode`,
  PersistentVolumeStatus: 'phase=PersistentVolumePhase',
  PodCondition: 'type=PodConditionType status=ConditionStatus',
  PodDisruptionBudgetSpec: 'unhealthyPodEvictionPolicy=UnhealthyPodEvictionPolicyType',
  PodFailurePolicyOnExitCodesRequirement: 'operator=PodFailurePolicyOnExitCodesOperator',
  PodFailurePolicyOnPodConditionsPattern: 'type=PodConditionType status=ConditionStatus',
  PodFailurePolicyRule: 'action=PodFailurePolicyAction',
  PodOS: 'name=OSName',
  PodReadinessGate: 'conditionType=PodConditionType',
  PodSecurityContext: `supplementalGroupsPolicy=SupplementalGroupsPolicy fsGroupChangePolicy=PodFSGroupChangePolicy seLinuxChangePolicy=PodSELinuxChangePolicy`,
  PodSpec: `restartPolicy=RestartPolicy dnsPolicy=DNSPolicy preemptionPolicy=PreemptionPolicy overhead=ResourceList`,
  PodStatus: 'phase=PodPhase qosClass=PodQOSClass resize=PodResizeStatus allocatedResources=ResourceList',
  PortStatus: 'protocol=Protocol',
  PriorityLevelConfigurationCondition: 'type=PriorityLevelConfigurationConditionType status=ConditionStatus',
  PriorityLevelConfigurationSpec: 'type=PriorityLevelEnablement',
  ReplicaSetCondition: 'type=ReplicaSetConditionType status=ConditionStatus',
  ReplicationControllerCondition: 'type=ReplicationControllerConditionType status=ConditionStatus',
  ResourceClaimConsumerReference: 'uid=types.UID',
  ResourceHealth: 'resourceID=ResourceID health=ResourceHealthStatus',
  ResourceMetricSource: 'name=ResourceName',
  ResourceMetricStatus: 'name=ResourceName',
  ResourceQuotaSpec: 'hard=ResourceList scopes=[]ResourceQuotaScope',
  ResourceQuotaStatus: 'hard=ResourceList used=ResourceList',
  ResourceRequirements: 'limits=ResourceList requests=ResourceList',
  ResourceStatus: 'name=ResourceName',
  RuleWithOperations: 'operations=[]OperationType scope=ScopeType',
  ScopedResourceSelectorRequirement: 'scopeName=ResourceQuotaScope operator=ScopeSelectorOperator',
  SeccompProfile: 'type=SeccompProfileType',
  Secret: 'type=SecretType',
  SecurityContext: 'procMount=ProcMountType',
  ServicePort: 'protocol=Protocol',
  ServiceSpec: `type=ServiceType sessionAffinity=ServiceAffinity externalTrafficPolicy=ServiceExternalTrafficPolicy ipFamilies=[]IPFamily ipFamilyPolicy=IPFamilyPolicy internalTrafficPolicy=ServiceInternalTrafficPolicy`,
  StatefulSetCondition: 'type=StatefulSetConditionType status=ConditionStatus',
  StatefulSetPersistentVolumeClaimRetentionPolicy: `whenDeleted=PersistentVolumeClaimRetentionPolicyType whenScaled=PersistentVolumeClaimRetentionPolicyType`,
  StatefulSetSpec: 'podManagementPolicy=PodManagementPolicyType',
  StatefulSetUpdateStrategy: 'type=StatefulSetUpdateStrategyType',
  StorageClass: 'reclaimPolicy=PersistentVolumeReclaimPolicy volumeBindingMode=VolumeBindingMode',
  Taint: 'effect=TaintEffect',
  Toleration: 'operator=TolerationOperator effect=TaintEffect',
  TopologySpreadConstraint: `whenUnsatisfiable=UnsatisfiableConstraintAction nodeAffinityPolicy=NodeInclusionPolicy nodeTaintsPolicy=NodeInclusionPolicy`,
  UncountedTerminatedPods: 'succeeded=[]types.UID failed=[]types.UID',
  ValidatingAdmissionPolicyBindingSpec: 'validationActions=[]ValidationAction',
  ValidatingAdmissionPolicySpec: 'failurePolicy=FailurePolicyType',
  ValidatingWebhook: 'failurePolicy=FailurePolicyType matchPolicy=MatchPolicyType sideEffects=SideEffectClass',
  Validation: 'reason=StatusReason',
  ValidationRule: 'reason=FieldValueErrorReason',
  VolumeMount: 'recursiveReadOnly=RecursiveReadOnlyMode mountPropagation=MountPropagationMode',
  VolumeMountStatus: 'recursiveReadOnly=RecursiveReadOnlyMode',
  VolumeResourceRequirements: 'limits=ResourceList requests=ResourceList',
};

/** Structs that Go types embed, with the fields that they have: `Struct=field,field Struct=field`. */
const EMBEDDED: Readonly<Record<string, string>> = {
  ConfigMapEnvSource: 'LocalObjectReference=name',
  ConfigMapKeySelector: 'LocalObjectReference=name',
  ConfigMapProjection: 'LocalObjectReference=name',
  ConfigMapVolumeSource: 'LocalObjectReference=name',
  DeviceAllocationConfiguration: 'DeviceConfiguration=opaque',
  DeviceClaimConfiguration: 'DeviceConfiguration=opaque',
  DeviceClassConfiguration: 'DeviceConfiguration=opaque',
  EphemeralContainer:
    'EphemeralContainerCommon=name,image,command,args,workingDir,ports,envFrom,env,resources,resizePolicy,restartPolicy,restartPolicyRules,volumeMounts,volumeDevices,livenessProbe,readinessProbe,startupProbe,lifecycle,terminationMessagePath,terminationMessagePolicy,imagePullPolicy,securityContext,stdin,stdinOnce,tty',
  IngressRule: 'IngressRuleValue=http',
  NamedRuleWithOperations:
    'RuleWithOperations=operations RuleWithOperations.Rule=apiGroups,apiVersions,resources,scope',
  PersistentVolumeSpec:
    'PersistentVolumeSource=gcePersistentDisk,awsElasticBlockStore,hostPath,glusterfs,nfs,rbd,iscsi,cinder,cephfs,fc,flocker,flexVolume,azureFile,vsphereVolume,quobyte,azureDisk,photonPersistentDisk,portworxVolume,scaleIO,local,storageos,csi',
  Probe: 'ProbeHandler=exec,httpGet,tcpSocket,grpc',
  RuleWithOperations: 'Rule=apiGroups,apiVersions,resources,scope',
  SecretEnvSource: 'LocalObjectReference=name',
  SecretKeySelector: 'LocalObjectReference=name',
  SecretProjection: 'LocalObjectReference=name',
  Volume:
    'VolumeSource=hostPath,emptyDir,gcePersistentDisk,awsElasticBlockStore,gitRepo,secret,nfs,iscsi,glusterfs,persistentVolumeClaim,rbd,flexVolume,cinder,cephfs,flocker,downwardAPI,fc,azureFile,configMap,vsphereVolume,quobyte,azureDisk,photonPersistentDisk,projected,portworxVolume,scaleIO,storageos,csi,ephemeral,image',
};

/** A capitalised name without a package. */
const BARE = /(?<![\w.])[A-Z]\w*/gu;

/** Returns the Go type of a field if it has a name, for example `v1.ServiceType`. @param struct type that has the field. */
export function namedType(struct: string | undefined, field: string): string | undefined {
  const fields = struct === undefined ? undefined : ownText(NAMED, struct);
  const entry = fields?.split(' ').find((text) => text.startsWith(`${field}=`));
  return entry?.slice(field.length + 1).replaceAll(BARE, 'v1.$&');
}

/** Returns the embedded struct that has a field: it is a part of the path in errors. */
export function embeddedStruct(struct: string | undefined, field: string): string | undefined {
  const structs = struct === undefined ? undefined : ownText(EMBEDDED, struct);
  const entry = structs?.split(' ').find((text) =>
    text
      .slice(text.indexOf('=') + 1)
      .split(',')
      .includes(field),
  );
  return entry?.slice(0, entry.indexOf('='));
}

/** Returns the type of the items of a list type, or of the values of a map type. */
export function elementType(type: string | undefined): string | undefined {
  return type === undefined ? undefined : /^(?:\[\]|map\[[^\]]*\])(.*)$/u.exec(type)?.[1];
}

function ownText(table: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
