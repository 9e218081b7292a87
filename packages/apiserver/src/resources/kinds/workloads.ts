import { ageColumn, nameColumn, numberColumn, textColumn } from '../columns.ts';
import { setDefaults } from '../defaults.ts';
import type { ScalePaths } from '../resource-type.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import type { KindRow } from '../kind-row.ts';

const REPLICAS: ScalePaths = { spec: 'spec.replicas', status: 'status.replicas', selector: 'spec.selector' };

/** Workloads: apps, batch, autoscaling and policy. */
export const workloadKinds: readonly KindRow[] = [
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    plural: 'deployments',
    shortNames: ['deploy'],
    categories: ['all'],
    statusSubresource: true,
    countsGeneration: true,
    immutable: ['spec.selector'],
    scale: REPLICAS,
    prepare: setDefaults('spec', { replicas: 1 }),
    columns: [
      nameColumn,
      {
        name: 'Ready',
        type: 'string',
        cell: (deployment) =>
          `${scalarText(valueAt(deployment, 'status.readyReplicas') ?? 0)}/${scalarText(valueAt(deployment, 'spec.replicas') ?? 0)}`,
      },
      numberColumn('Up-to-date', 'status.updatedReplicas'),
      numberColumn('Available', 'status.availableReplicas'),
      ageColumn,
    ],
  },
  {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    plural: 'replicasets',
    shortNames: ['rs'],
    categories: ['all'],
    statusSubresource: true,
    countsGeneration: true,
    fields: { 'status.replicas': 'status.replicas' },
    immutable: ['spec.selector'],
    scale: REPLICAS,
    prepare: setDefaults('spec', { replicas: 1 }),
    columns: [
      nameColumn,
      numberColumn('Desired', 'spec.replicas'),
      numberColumn('Current', 'status.replicas'),
      numberColumn('Ready', 'status.readyReplicas'),
      ageColumn,
    ],
  },
  {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    plural: 'statefulsets',
    shortNames: ['sts'],
    categories: ['all'],
    statusSubresource: true,
    countsGeneration: true,
    immutable: ['spec.selector', 'spec.serviceName'],
    scale: REPLICAS,
    prepare: setDefaults('spec', { replicas: 1 }),
    columns: [
      nameColumn,
      numberColumn('Desired', 'spec.replicas'),
      numberColumn('Ready', 'status.readyReplicas'),
      ageColumn,
    ],
  },
  {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    plural: 'daemonsets',
    shortNames: ['ds'],
    categories: ['all'],
    statusSubresource: true,
    countsGeneration: true,
    immutable: ['spec.selector'],
    columns: [
      nameColumn,
      numberColumn('Desired', 'status.desiredNumberScheduled'),
      numberColumn('Ready', 'status.numberReady'),
      ageColumn,
    ],
  },
  {
    apiVersion: 'batch/v1',
    kind: 'Job',
    plural: 'jobs',
    categories: ['all'],
    statusSubresource: true,
    countsGeneration: true,
    fields: { 'status.successful': 'status.succeeded' },
    immutable: ['spec.selector', 'spec.template', 'spec.completionMode'],
    columns: [nameColumn, numberColumn('Succeeded', 'status.succeeded'), ageColumn],
  },
  {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    plural: 'cronjobs',
    shortNames: ['cj'],
    categories: ['all'],
    statusSubresource: true,
    countsGeneration: true,
    columns: [
      nameColumn,
      textColumn('Schedule', 'spec.schedule'),
      textColumn('Suspend', 'spec.suspend', 'False'),
      ageColumn,
    ],
  },
  {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    plural: 'horizontalpodautoscalers',
    shortNames: ['hpa'],
    categories: ['all'],
    statusSubresource: true,
    columns: [
      nameColumn,
      numberColumn('MinPods', 'spec.minReplicas'),
      numberColumn('MaxPods', 'spec.maxReplicas'),
      ageColumn,
    ],
  },
  {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    plural: 'poddisruptionbudgets',
    shortNames: ['pdb'],
    statusSubresource: true,
    countsGeneration: true,
    columns: [
      nameColumn,
      textColumn('Min Available', 'spec.minAvailable', 'N/A'),
      textColumn('Max Unavailable', 'spec.maxUnavailable', 'N/A'),
      numberColumn('Allowed Disruptions', 'status.disruptionsAllowed'),
      ageColumn,
    ],
  },
];
