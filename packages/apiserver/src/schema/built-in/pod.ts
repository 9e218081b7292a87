import type { TypeTable } from './notation.ts';

/** The types of Pods and their templates, in the notation of {@link TypeTable}. */
export const podTypes: TypeTable = {
  Pod: 'spec PodSpec, status PodStatus',
  PodTemplateSpec: 'metadata ObjectMeta, spec PodSpec',
  PodSpec: `
    activeDeadlineSeconds int, affinity Affinity, automountServiceAccountToken bool, containers Container[name],
    dnsConfig PodDNSConfig, dnsPolicy string, enableServiceLinks bool, ephemeralContainers EphemeralContainer[name],
    hostAliases HostAlias[ip], hostIPC bool, hostNetwork bool, hostPID bool, hostUsers bool, hostname string,
    hostnameOverride string, imagePullSecrets LocalObjectReference[name], initContainers Container[name],
    nodeName string, nodeSelector string{}!, os PodOS, overhead quantity{}, preemptionPolicy string, priority int,
    priorityClassName string, readinessGates PodReadinessGate[], resourceClaims PodResourceClaim[name],
    resources ResourceRequirements, restartPolicy string, runtimeClassName string, schedulerName string,
    schedulingGates PodSchedulingGate[name], schedulingGroup PodSchedulingGroup, securityContext PodSecurityContext,
    serviceAccount string, serviceAccountName string, setHostnameAsFQDN bool, shareProcessNamespace bool,
    subdomain string, terminationGracePeriodSeconds int, tolerations Toleration[],
    topologySpreadConstraints TopologySpreadConstraint[topologyKey+whenUnsatisfiable], volumes Volume[name]`,
  PodStatus: `
    allocatedResources quantity{}, conditions PodCondition[type], containerStatuses ContainerStatus[],
    ephemeralContainerStatuses ContainerStatus[], extendedResourceClaimStatus PodExtendedResourceClaimStatus,
    hostIP string, hostIPs HostIP[], initContainerStatuses ContainerStatus[], message string,
    nodeAllocatableResourceClaimStatuses NodeAllocatableResourceClaimStatus[], nominatedNodeName string,
    observedGeneration int, phase string, podIP string, podIPs PodIP[ip], qosClass string, reason string,
    resize string, resourceClaimStatuses PodResourceClaimStatus[name], resources ResourceRequirements, startTime time`,
  Affinity: 'nodeAffinity NodeAffinity, podAffinity PodAffinity, podAntiAffinity PodAntiAffinity',
  PodDNSConfig: 'nameservers string[], options PodDNSConfigOption[], searches string[]',
  HostAlias: 'hostnames string[], ip string',
  PodOS: 'name string',
  PodReadinessGate: 'conditionType string',
  PodResourceClaim: 'name string, resourceClaimName string, resourceClaimTemplateName string',
  PodSchedulingGate: 'name string',
  PodSchedulingGroup: 'podGroupName string',
  PodSecurityContext: `
    appArmorProfile AppArmorProfile, fsGroup int, fsGroupChangePolicy string, runAsGroup int, runAsNonRoot bool,
    runAsUser int, seLinuxChangePolicy string, seLinuxOptions SELinuxOptions, seccompProfile SeccompProfile,
    supplementalGroups int[], supplementalGroupsPolicy string, sysctls Sysctl[],
    windowsOptions WindowsSecurityContextOptions`,
  Toleration: 'effect string, key string, operator string, tolerationSeconds int, value string',
  TopologySpreadConstraint: `
    labelSelector LabelSelector, matchLabelKeys string[], maxSkew int, minDomains int, nodeAffinityPolicy string,
    nodeTaintsPolicy string, topologyKey string, whenUnsatisfiable string`,
  PodCondition: `
    lastProbeTime time, lastTransitionTime time, message string, observedGeneration int, reason string, status string,
    type string`,
  ContainerStatus: `
    allocatedResources quantity{}, allocatedResourcesStatus ResourceStatus[name], containerID string, image string,
    imageID string, lastState ContainerState, name string, ready bool, resources ResourceRequirements,
    restartCount int, started bool, state ContainerState, stopSignal string, user ContainerUser,
    volumeMounts VolumeMountStatus[mountPath]`,
  PodExtendedResourceClaimStatus: 'requestMappings ContainerExtendedResourceRequest[], resourceClaimName string',
  HostIP: 'ip string',
  NodeAllocatableResourceClaimStatus: 'containers string[], resourceClaimName string, resources string{}',
  PodIP: 'ip string',
  PodResourceClaimStatus: 'name string, resourceClaimName string',
  NodeAffinity: `
    preferredDuringSchedulingIgnoredDuringExecution PreferredSchedulingTerm[],
    requiredDuringSchedulingIgnoredDuringExecution NodeSelector`,
  PodAffinity: `
    preferredDuringSchedulingIgnoredDuringExecution WeightedPodAffinityTerm[],
    requiredDuringSchedulingIgnoredDuringExecution PodAffinityTerm[]`,
  PodAntiAffinity: `
    preferredDuringSchedulingIgnoredDuringExecution WeightedPodAffinityTerm[],
    requiredDuringSchedulingIgnoredDuringExecution PodAffinityTerm[]`,
  PodDNSConfigOption: 'name string, value string',
  Sysctl: 'name string, value string',
  ResourceStatus: 'name string, resources ResourceHealth[resourceID]',
  ContainerState: 'running ContainerStateRunning, terminated ContainerStateTerminated, waiting ContainerStateWaiting',
  ContainerUser: 'linux LinuxContainerUser',
  VolumeMountStatus: `
    mountPath string, name string, readOnly bool, recursiveReadOnly string, volumeStatus VolumeStatus`,
  ContainerExtendedResourceRequest: 'containerName string, requestName string, resourceName string',
  PreferredSchedulingTerm: 'preference NodeSelectorTerm, weight int',
  'NodeSelector!': 'nodeSelectorTerms NodeSelectorTerm[]',
  WeightedPodAffinityTerm: 'podAffinityTerm PodAffinityTerm, weight int',
  PodAffinityTerm: `
    labelSelector LabelSelector, matchLabelKeys string[], mismatchLabelKeys string[], namespaceSelector LabelSelector,
    namespaces string[], topologyKey string`,
  ResourceHealth: 'health string, message string, resourceID string',
  ContainerStateRunning: 'startedAt time',
  ContainerStateTerminated: `
    containerID string, exitCode int, finishedAt time, message string, reason string, signal int, startedAt time`,
  ContainerStateWaiting: 'message string, reason string',
  LinuxContainerUser: 'gid int, supplementalGroups int[], uid int',
  VolumeStatus: 'image ImageVolumeStatus',
  'NodeSelectorTerm!': 'matchExpressions NodeSelectorRequirement[], matchFields NodeSelectorRequirement[]',
  ImageVolumeStatus: 'imageRef string',
  NodeSelectorRequirement: 'key string, operator string, values string[]',
};
