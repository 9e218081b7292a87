import type { InternalTypeTable } from './internal-value.ts';

/** The internal types of the strategies of workloads in the notation of {@link InternalTypeTable}. */
export const internalWorkloadTypes: InternalTypeTable = {
  DeploymentStrategy: 'Type string, RollingUpdate RollingUpdateDeployment?',
  RollingUpdateDeployment: 'MaxUnavailable intOrString, MaxSurge intOrString',
  DaemonSetUpdateStrategy: 'Type string, RollingUpdate RollingUpdateDaemonSet?',
  RollingUpdateDaemonSet: 'MaxUnavailable intOrString, MaxSurge intOrString',
  StatefulSetUpdateStrategy: 'Type string, RollingUpdate RollingUpdateStatefulSetStrategy?',
  RollingUpdateStatefulSetStrategy: 'Partition int, MaxUnavailable ?',
};
