import type { TypeTable } from './notation.ts';

/** The types of apps, batch, policy and autoscaling, in the notation of {@link TypeTable}. */
export const workloadTypes: TypeTable = {
  Deployment: 'spec DeploymentSpec, status DeploymentStatus',
  ReplicaSet: 'spec ReplicaSetSpec, status ReplicaSetStatus',
  StatefulSet: 'spec StatefulSetSpec, status StatefulSetStatus',
  DaemonSet: 'spec DaemonSetSpec, status DaemonSetStatus',
  Job: 'spec JobSpec, status JobStatus',
  CronJob: 'spec CronJobSpec, status CronJobStatus',
  PodDisruptionBudget: 'spec PodDisruptionBudgetSpec, status PodDisruptionBudgetStatus',
  HorizontalPodAutoscaler: 'spec HorizontalPodAutoscalerSpec, status HorizontalPodAutoscalerStatus',
  DeploymentSpec: `
    minReadySeconds int, paused bool, progressDeadlineSeconds int, replicas int, revisionHistoryLimit int,
    selector LabelSelector, strategy DeploymentStrategy, template PodTemplateSpec`,
  DeploymentStatus: `
    availableReplicas int, collisionCount int, conditions DeploymentCondition[type], observedGeneration int,
    readyReplicas int, replicas int, terminatingReplicas int, unavailableReplicas int, updatedReplicas int`,
  ReplicaSetSpec: 'minReadySeconds int, replicas int, selector LabelSelector, template PodTemplateSpec',
  ReplicaSetStatus: `
    availableReplicas int, conditions ReplicaSetCondition[type], fullyLabeledReplicas int, observedGeneration int,
    readyReplicas int, replicas int, terminatingReplicas int`,
  StatefulSetSpec: `
    minReadySeconds int, ordinals StatefulSetOrdinals,
    persistentVolumeClaimRetentionPolicy StatefulSetPersistentVolumeClaimRetentionPolicy, podManagementPolicy string,
    replicas int, revisionHistoryLimit int, selector LabelSelector, serviceName string, template PodTemplateSpec,
    updateStrategy StatefulSetUpdateStrategy, volumeClaimTemplates PersistentVolumeClaim[]`,
  StatefulSetStatus: `
    availableReplicas int, collisionCount int, conditions StatefulSetCondition[type], currentReplicas int,
    currentRevision string, observedGeneration int, readyReplicas int, replicas int, updateRevision string,
    updatedReplicas int`,
  DaemonSetSpec: `
    minReadySeconds int, revisionHistoryLimit int, selector LabelSelector, template PodTemplateSpec,
    updateStrategy DaemonSetUpdateStrategy`,
  DaemonSetStatus: `
    collisionCount int, conditions DaemonSetCondition[type], currentNumberScheduled int, desiredNumberScheduled int,
    numberAvailable int, numberMisscheduled int, numberReady int, numberUnavailable int, observedGeneration int,
    updatedNumberScheduled int`,
  JobSpec: `
    activeDeadlineSeconds int, backoffLimit int, backoffLimitPerIndex int, completionMode string, completions int,
    managedBy string, manualSelector bool, maxFailedIndexes int, parallelism int, podFailurePolicy PodFailurePolicy,
    podReplacementPolicy string, selector LabelSelector, successPolicy SuccessPolicy, suspend bool,
    template PodTemplateSpec, ttlSecondsAfterFinished int`,
  JobStatus: `
    active int, completedIndexes string, completionTime time, conditions JobCondition[], failed int,
    failedIndexes string, ready int, startTime time, succeeded int, terminating int,
    uncountedTerminatedPods UncountedTerminatedPods`,
  CronJobSpec: `
    concurrencyPolicy string, failedJobsHistoryLimit int, jobTemplate JobTemplateSpec, schedule string,
    startingDeadlineSeconds int, successfulJobsHistoryLimit int, suspend bool, timeZone string`,
  CronJobStatus: 'active ObjectReference[], lastScheduleTime time, lastSuccessfulTime time',
  PodDisruptionBudgetSpec: `
    maxUnavailable intOrString, minAvailable intOrString, selector LabelSelector, unhealthyPodEvictionPolicy string`,
  PodDisruptionBudgetStatus: `
    conditions Condition[type], currentHealthy int, desiredHealthy int, disruptedPods time{},
    disruptionsAllowed int, expectedPods int, observedGeneration int`,
  HorizontalPodAutoscalerSpec: `
    behavior HorizontalPodAutoscalerBehavior, maxReplicas int, metrics MetricSpec[], minReplicas int,
    scaleTargetRef CrossVersionObjectReference`,
  HorizontalPodAutoscalerStatus: `
    conditions HorizontalPodAutoscalerCondition[type], currentMetrics MetricStatus[], currentReplicas int,
    desiredReplicas int, lastScaleTime time, observedGeneration int`,
  DeploymentStrategy: 'rollingUpdate RollingUpdateDeployment, type string',
  DeploymentCondition: `
    lastTransitionTime time, lastUpdateTime time, message string, reason string, status string, type string`,
  ReplicaSetCondition: 'lastTransitionTime time, message string, reason string, status string, type string',
  StatefulSetOrdinals: 'start int',
  StatefulSetPersistentVolumeClaimRetentionPolicy: 'whenDeleted string, whenScaled string',
  StatefulSetUpdateStrategy: 'rollingUpdate RollingUpdateStatefulSetStrategy, type string',
  StatefulSetCondition: 'lastTransitionTime time, message string, reason string, status string, type string',
  DaemonSetUpdateStrategy: 'rollingUpdate RollingUpdateDaemonSet, type string',
  DaemonSetCondition: 'lastTransitionTime time, message string, reason string, status string, type string',
  PodFailurePolicy: 'rules PodFailurePolicyRule[]',
  SuccessPolicy: 'rules SuccessPolicyRule[]',
  JobCondition: `
    lastProbeTime time, lastTransitionTime time, message string, reason string, status string, type string`,
  UncountedTerminatedPods: 'failed string[*], succeeded string[*]',
  JobTemplateSpec: 'metadata ObjectMeta, spec JobSpec',
  HorizontalPodAutoscalerBehavior: 'scaleDown HPAScalingRules, scaleUp HPAScalingRules',
  MetricSpec: `
    containerResource ContainerResourceMetricSource, external ExternalMetricSource, object ObjectMetricSource,
    pods PodsMetricSource, resource ResourceMetricSource, type string`,
  CrossVersionObjectReference: 'apiVersion string, kind string, name string',
  HorizontalPodAutoscalerCondition: `
    lastTransitionTime time, message string, reason string, status string, type string`,
  MetricStatus: `
    containerResource ContainerResourceMetricStatus, external ExternalMetricStatus, object ObjectMetricStatus,
    pods PodsMetricStatus, resource ResourceMetricStatus, type string`,
  RollingUpdateDeployment: 'maxSurge intOrString, maxUnavailable intOrString',
  RollingUpdateStatefulSetStrategy: 'maxUnavailable intOrString, partition int',
  RollingUpdateDaemonSet: 'maxSurge intOrString, maxUnavailable intOrString',
  PodFailurePolicyRule: `
    action string, onExitCodes PodFailurePolicyOnExitCodesRequirement,
    onPodConditions PodFailurePolicyOnPodConditionsPattern[]`,
  SuccessPolicyRule: 'succeededCount int, succeededIndexes string',
  HPAScalingRules: `
    policies HPAScalingPolicy[], selectPolicy string, stabilizationWindowSeconds int, tolerance quantity`,
  ContainerResourceMetricSource: 'container string, name string, target MetricTarget',
  ExternalMetricSource: 'metric MetricIdentifier, target MetricTarget',
  ObjectMetricSource: 'describedObject CrossVersionObjectReference, metric MetricIdentifier, target MetricTarget',
  PodsMetricSource: 'metric MetricIdentifier, target MetricTarget',
  ResourceMetricSource: 'name string, target MetricTarget',
  ContainerResourceMetricStatus: 'container string, current MetricValueStatus, name string',
  ExternalMetricStatus: 'current MetricValueStatus, metric MetricIdentifier',
  ObjectMetricStatus: 'current MetricValueStatus, describedObject CrossVersionObjectReference, metric MetricIdentifier',
  PodsMetricStatus: 'current MetricValueStatus, metric MetricIdentifier',
  ResourceMetricStatus: 'current MetricValueStatus, name string',
  PodFailurePolicyOnExitCodesRequirement: 'containerName string, operator string, values int[*]',
  PodFailurePolicyOnPodConditionsPattern: 'status string, type string',
  HPAScalingPolicy: 'periodSeconds int, type string, value int',
  MetricTarget: 'averageUtilization int, averageValue quantity, type string, value string',
  MetricIdentifier: 'name string, selector LabelSelector',
  MetricValueStatus: 'averageUtilization int, averageValue quantity, value string',
};
