import type { TypeTable } from './notation.ts';

/**
 * The types of Pod and Job templates in Kubernetes 1.35, in the notation of {@link TypeTable}. Written by
 * write-type-table.fixture.ts from the OpenAPI document of kube-apiserver.
 */
export const TYPE_TABLE: TypeTable = {
  EmbeddedMeta: 'annotations string{},finalizers string[*],labels string{},name string,namespace string',
  AWSElasticBlockStoreVolumeSource: 'fsType string,partition int32,readOnly bool,volumeID! string',
  Affinity: 'nodeAffinity NodeAffinity,podAffinity PodAffinity,podAntiAffinity PodAntiAffinity',
  AppArmorProfile: 'localhostProfile string,type! string',
  AzureDiskVolumeSource: 'cachingMode string,diskName! string,diskURI! string,fsType string,kind string,readOnly bool',
  AzureFileVolumeSource: 'readOnly bool,secretName! string,shareName! string',
  CSIVolumeSource:
    'driver! string,fsType string,nodePublishSecretRef LocalObjectReference,readOnly bool,volumeAttributes string{}',
  Capabilities: 'add string[],drop string[]',
  CephFSVolumeSource:
    'monitors! string[],path string,readOnly bool,secretFile string,secretRef LocalObjectReference,user string',
  CinderVolumeSource: 'fsType string,readOnly bool,secretRef LocalObjectReference,volumeID! string',
  ClusterTrustBundleProjection: 'labelSelector LabelSelector,name string,optional bool,path! string,signerName string',
  ConfigMapEnvSource: 'name string,optional bool',
  'ConfigMapKeySelector!': 'key! string,name string,optional bool',
  ConfigMapProjection: 'items KeyToPath[],name string,optional bool',
  ConfigMapVolumeSource: 'defaultMode int32,items KeyToPath[],name string,optional bool',
  Container:
    'args string[],command string[],env EnvVar[name],envFrom EnvFromSource[],image string,imagePullPolicy string,lifecycle Lifecycle,livenessProbe Probe,name! string,ports ContainerPort[containerPort+protocol],readinessProbe Probe,resizePolicy ContainerResizePolicy[],resources ResourceRequirements,restartPolicy string,restartPolicyRules ContainerRestartRule[],securityContext SecurityContext,startupProbe Probe,stdin bool,stdinOnce bool,terminationMessagePath string,terminationMessagePolicy string,tty bool,volumeDevices VolumeDevice[devicePath],volumeMounts VolumeMount[mountPath],workingDir string',
  ContainerPort: 'containerPort! int32,hostIP string,hostPort int32,name string,protocol string=TCP',
  ContainerResizePolicy: 'resourceName! string,restartPolicy! string',
  ContainerRestartRule: 'action! string,exitCodes ContainerRestartRuleOnExitCodes',
  ContainerRestartRuleOnExitCodes: 'operator! string,values int32[*]',
  DownwardAPIProjection: 'items DownwardAPIVolumeFile[]',
  DownwardAPIVolumeFile: 'fieldRef ObjectFieldSelector,mode int32,path! string,resourceFieldRef ResourceFieldSelector',
  DownwardAPIVolumeSource: 'defaultMode int32,items DownwardAPIVolumeFile[]',
  EmptyDirVolumeSource: 'medium string,sizeLimit quantity',
  EnvFromSource: 'configMapRef ConfigMapEnvSource,prefix string,secretRef SecretEnvSource',
  EnvVar: 'name! string,value string,valueFrom EnvVarSource',
  EnvVarSource:
    'configMapKeyRef ConfigMapKeySelector,fieldRef ObjectFieldSelector,fileKeyRef FileKeySelector,resourceFieldRef ResourceFieldSelector,secretKeyRef SecretKeySelector',
  EphemeralContainer:
    'args string[],command string[],env EnvVar[name],envFrom EnvFromSource[],image string,imagePullPolicy string,lifecycle Lifecycle,livenessProbe Probe,name! string,ports ContainerPort[containerPort+protocol],readinessProbe Probe,resizePolicy ContainerResizePolicy[],resources ResourceRequirements,restartPolicy string,restartPolicyRules ContainerRestartRule[],securityContext SecurityContext,startupProbe Probe,stdin bool,stdinOnce bool,targetContainerName string,terminationMessagePath string,terminationMessagePolicy string,tty bool,volumeDevices VolumeDevice[devicePath],volumeMounts VolumeMount[mountPath],workingDir string',
  EphemeralVolumeSource: 'volumeClaimTemplate PersistentVolumeClaimTemplate',
  ExecAction: 'command string[]',
  FCVolumeSource: 'fsType string,lun int32,readOnly bool,targetWWNs string[],wwids string[]',
  'FileKeySelector!': 'key! string,optional bool,path! string,volumeName! string',
  FlexVolumeSource: 'driver! string,fsType string,options string{},readOnly bool,secretRef LocalObjectReference',
  FlockerVolumeSource: 'datasetName string,datasetUUID string',
  GCEPersistentDiskVolumeSource: 'fsType string,partition int32,pdName! string,readOnly bool',
  GRPCAction: 'port! int32,service string',
  GitRepoVolumeSource: 'directory string,repository! string,revision string',
  GlusterfsVolumeSource: 'endpoints! string,path! string,readOnly bool',
  HTTPGetAction: 'host string,httpHeaders HTTPHeader[],path string,port! intOrString,scheme string',
  HTTPHeader: 'name! string,value! string',
  HostAlias: 'hostnames string[],ip! string',
  HostPathVolumeSource: 'path! string,type string',
  ISCSIVolumeSource:
    'chapAuthDiscovery bool,chapAuthSession bool,fsType string,initiatorName string,iqn! string,iscsiInterface string,lun! int32,portals string[],readOnly bool,secretRef LocalObjectReference,targetPortal! string',
  ImageVolumeSource: 'pullPolicy string,reference string',
  JobSpec:
    'activeDeadlineSeconds int64,backoffLimit int32,backoffLimitPerIndex int32,completionMode string,completions int32,managedBy string,manualSelector bool,maxFailedIndexes int32,parallelism int32,podFailurePolicy PodFailurePolicy,podReplacementPolicy string,selector LabelSelector,successPolicy SuccessPolicy,suspend bool,template! PodTemplateSpec,ttlSecondsAfterFinished int32',
  JobTemplateSpec: 'metadata EmbeddedMeta,spec JobSpec',
  KeyToPath: 'key! string,mode int32,path! string',
  'LabelSelector!': 'matchExpressions LabelSelectorRequirement[],matchLabels string{}',
  LabelSelectorRequirement: 'key! string,operator! string,values string[]',
  Lifecycle: 'postStart LifecycleHandler,preStop LifecycleHandler,stopSignal string',
  LifecycleHandler: 'exec ExecAction,httpGet HTTPGetAction,sleep SleepAction,tcpSocket TCPSocketAction',
  'LocalObjectReference!': 'name string=',
  NFSVolumeSource: 'path! string,readOnly bool,server! string',
  NodeAffinity:
    'preferredDuringSchedulingIgnoredDuringExecution PreferredSchedulingTerm[],requiredDuringSchedulingIgnoredDuringExecution NodeSelector',
  'NodeSelector!': 'nodeSelectorTerms! NodeSelectorTerm[]',
  NodeSelectorRequirement: 'key! string,operator! string,values string[]',
  'NodeSelectorTerm!': 'matchExpressions NodeSelectorRequirement[],matchFields NodeSelectorRequirement[]',
  'ObjectFieldSelector!': 'apiVersion string,fieldPath! string',
  'ObjectReference!':
    'apiVersion string,fieldPath string,kind string,name string,namespace string,resourceVersion string,uid string',
  PersistentVolumeClaimSpec:
    'accessModes string[],dataSource TypedLocalObjectReference,dataSourceRef TypedObjectReference,resources VolumeResourceRequirements,selector LabelSelector,storageClassName string,volumeAttributesClassName string,volumeMode string,volumeName string',
  PersistentVolumeClaimTemplate: 'metadata EmbeddedMeta,spec! PersistentVolumeClaimSpec',
  PersistentVolumeClaimVolumeSource: 'claimName! string,readOnly bool',
  PhotonPersistentDiskVolumeSource: 'fsType string,pdID! string',
  PodAffinity:
    'preferredDuringSchedulingIgnoredDuringExecution WeightedPodAffinityTerm[],requiredDuringSchedulingIgnoredDuringExecution PodAffinityTerm[]',
  PodAffinityTerm:
    'labelSelector LabelSelector,matchLabelKeys string[],mismatchLabelKeys string[],namespaceSelector LabelSelector,namespaces string[],topologyKey! string',
  PodAntiAffinity:
    'preferredDuringSchedulingIgnoredDuringExecution WeightedPodAffinityTerm[],requiredDuringSchedulingIgnoredDuringExecution PodAffinityTerm[]',
  PodCertificateProjection:
    'certificateChainPath string,credentialBundlePath string,keyPath string,keyType! string,maxExpirationSeconds int32,signerName! string,userAnnotations string{}',
  PodDNSConfig: 'nameservers string[],options PodDNSConfigOption[],searches string[]',
  PodDNSConfigOption: 'name string,value string',
  PodFailurePolicy: 'rules! PodFailurePolicyRule[]',
  PodFailurePolicyOnExitCodesRequirement: 'containerName string,operator! string,values! int32[*]',
  PodFailurePolicyOnPodConditionsPattern: 'status string,type! string',
  PodFailurePolicyRule:
    'action! string,onExitCodes PodFailurePolicyOnExitCodesRequirement,onPodConditions PodFailurePolicyOnPodConditionsPattern[]',
  PodOS: 'name! string',
  PodReadinessGate: 'conditionType! string',
  PodResourceClaim: 'name! string,resourceClaimName string,resourceClaimTemplateName string',
  PodSchedulingGate: 'name! string',
  PodSecurityContext:
    'appArmorProfile AppArmorProfile,fsGroup int64,fsGroupChangePolicy string,runAsGroup int64,runAsNonRoot bool,runAsUser int64,seLinuxChangePolicy string,seLinuxOptions SELinuxOptions,seccompProfile SeccompProfile,supplementalGroups int64[],supplementalGroupsPolicy string,sysctls Sysctl[],windowsOptions WindowsSecurityContextOptions',
  PodSpec:
    'activeDeadlineSeconds int64,affinity Affinity,automountServiceAccountToken bool,containers! Container[name],dnsConfig PodDNSConfig,dnsPolicy string,enableServiceLinks bool,ephemeralContainers EphemeralContainer[name],hostAliases HostAlias[ip],hostIPC bool,hostNetwork bool,hostPID bool,hostUsers bool,hostname string,hostnameOverride string,imagePullSecrets LocalObjectReference[name],initContainers Container[name],nodeName string,nodeSelector string{}!,os PodOS,overhead quantity{},preemptionPolicy string,priority int32,priorityClassName string,readinessGates PodReadinessGate[],resourceClaims PodResourceClaim[name],resources ResourceRequirements,restartPolicy string,runtimeClassName string,schedulerName string,schedulingGates PodSchedulingGate[name],securityContext PodSecurityContext,serviceAccount string,serviceAccountName string,setHostnameAsFQDN bool,shareProcessNamespace bool,subdomain string,terminationGracePeriodSeconds int64,tolerations Toleration[],topologySpreadConstraints TopologySpreadConstraint[topologyKey+whenUnsatisfiable],volumes Volume[name],workloadRef WorkloadReference',
  PodTemplateSpec: 'metadata EmbeddedMeta,spec PodSpec',
  PortworxVolumeSource: 'fsType string,readOnly bool,volumeID! string',
  PreferredSchedulingTerm: 'preference! NodeSelectorTerm,weight! int32',
  Probe:
    'exec ExecAction,failureThreshold int32,grpc GRPCAction,httpGet HTTPGetAction,initialDelaySeconds int32,periodSeconds int32,successThreshold int32,tcpSocket TCPSocketAction,terminationGracePeriodSeconds int64,timeoutSeconds int32',
  ProjectedVolumeSource: 'defaultMode int32,sources VolumeProjection[]',
  QuobyteVolumeSource: 'group string,readOnly bool,registry! string,tenant string,user string,volume! string',
  RBDVolumeSource:
    'fsType string,image! string,keyring string,monitors! string[],pool string,readOnly bool,secretRef LocalObjectReference,user string',
  ResourceClaim: 'name! string,request string',
  'ResourceFieldSelector!': 'containerName string,divisor quantity,resource! string',
  ResourceRequirements: 'claims ResourceClaim[name],limits quantity{},requests quantity{}',
  SELinuxOptions: 'level string,role string,type string,user string',
  ScaleIOVolumeSource:
    'fsType string,gateway! string,protectionDomain string,readOnly bool,secretRef! LocalObjectReference,sslEnabled bool,storageMode string,storagePool string,system! string,volumeName string',
  SeccompProfile: 'localhostProfile string,type! string',
  SecretEnvSource: 'name string,optional bool',
  'SecretKeySelector!': 'key! string,name string,optional bool',
  SecretProjection: 'items KeyToPath[],name string,optional bool',
  SecretVolumeSource: 'defaultMode int32,items KeyToPath[],optional bool,secretName string',
  SecurityContext:
    'allowPrivilegeEscalation bool,appArmorProfile AppArmorProfile,capabilities Capabilities,privileged bool,procMount string,readOnlyRootFilesystem bool,runAsGroup int64,runAsNonRoot bool,runAsUser int64,seLinuxOptions SELinuxOptions,seccompProfile SeccompProfile,windowsOptions WindowsSecurityContextOptions',
  ServiceAccountTokenProjection: 'audience string,expirationSeconds int64,path! string',
  SleepAction: 'seconds! int64',
  StorageOSVolumeSource:
    'fsType string,readOnly bool,secretRef LocalObjectReference,volumeName string,volumeNamespace string',
  SuccessPolicy: 'rules! SuccessPolicyRule[]',
  SuccessPolicyRule: 'succeededCount int32,succeededIndexes string',
  Sysctl: 'name! string,value! string',
  TCPSocketAction: 'host string,port! intOrString',
  Toleration: 'effect string,key string,operator string,tolerationSeconds int64,value string',
  TopologySpreadConstraint:
    'labelSelector LabelSelector,matchLabelKeys string[],maxSkew! int32,minDomains int32,nodeAffinityPolicy string,nodeTaintsPolicy string,topologyKey! string,whenUnsatisfiable! string',
  'TypedLocalObjectReference!': 'apiGroup string,kind! string,name! string',
  TypedObjectReference: 'apiGroup string,kind! string,name! string,namespace string',
  Volume:
    'awsElasticBlockStore AWSElasticBlockStoreVolumeSource,azureDisk AzureDiskVolumeSource,azureFile AzureFileVolumeSource,cephfs CephFSVolumeSource,cinder CinderVolumeSource,configMap ConfigMapVolumeSource,csi CSIVolumeSource,downwardAPI DownwardAPIVolumeSource,emptyDir EmptyDirVolumeSource,ephemeral EphemeralVolumeSource,fc FCVolumeSource,flexVolume FlexVolumeSource,flocker FlockerVolumeSource,gcePersistentDisk GCEPersistentDiskVolumeSource,gitRepo GitRepoVolumeSource,glusterfs GlusterfsVolumeSource,hostPath HostPathVolumeSource,image ImageVolumeSource,iscsi ISCSIVolumeSource,name! string,nfs NFSVolumeSource,persistentVolumeClaim PersistentVolumeClaimVolumeSource,photonPersistentDisk PhotonPersistentDiskVolumeSource,portworxVolume PortworxVolumeSource,projected ProjectedVolumeSource,quobyte QuobyteVolumeSource,rbd RBDVolumeSource,scaleIO ScaleIOVolumeSource,secret SecretVolumeSource,storageos StorageOSVolumeSource,vsphereVolume VsphereVirtualDiskVolumeSource',
  VolumeDevice: 'devicePath! string,name! string',
  VolumeMount:
    'mountPath! string,mountPropagation string,name! string,readOnly bool,recursiveReadOnly string,subPath string,subPathExpr string',
  VolumeProjection:
    'clusterTrustBundle ClusterTrustBundleProjection,configMap ConfigMapProjection,downwardAPI DownwardAPIProjection,podCertificate PodCertificateProjection,secret SecretProjection,serviceAccountToken ServiceAccountTokenProjection',
  VolumeResourceRequirements: 'limits quantity{},requests quantity{}',
  VsphereVirtualDiskVolumeSource: 'fsType string,storagePolicyID string,storagePolicyName string,volumePath! string',
  WeightedPodAffinityTerm: 'podAffinityTerm! PodAffinityTerm,weight! int32',
  WindowsSecurityContextOptions:
    'gmsaCredentialSpec string,gmsaCredentialSpecName string,hostProcess bool,runAsUserName string',
  WorkloadReference: 'name! string,podGroup! string,podGroupReplicaKey string',
};
