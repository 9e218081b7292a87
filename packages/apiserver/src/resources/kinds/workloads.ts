import { controllerRevisionErrors } from '../validation/cluster.ts';
import { budgetErrors } from '../validation/disruption-budget.ts';
import {
  daemonSetErrors,
  deploymentErrors,
  replicaSetErrors,
  replicationControllerErrors,
  podTemplateErrors,
  statefulSetErrors,
} from '../validation/workload.ts';
import {
  admitDaemonSet,
  keepTemplateGeneration,
  showTemplateGeneration,
  TEMPLATE_GENERATION,
} from '../admission/daemon-set.ts';
import { labelsText, listAt, joined, templateColumns } from '../cells.ts';
import { ageColumn, nameColumn, numberColumn } from '../columns.ts';
import type { Column, ScalePaths } from '../resource-type.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import type { KindRow } from '../kind-row.ts';
import { ofController, ofDaemonSet, ofPodTemplate, ofReplicas, ofStatefulSet } from '../warnings/workload.ts';

const REPLICAS: ScalePaths = { spec: 'spec.replicas', status: 'status.replicas', selector: 'spec.selector' };

const workload = { categories: ['all'], statusSubresource: true, countsGeneration: true } as const;
const ofTemplate = templateColumns('spec.template.spec', 'spec.selector');

/** Number of ready replicas and of desired ones. */
const readyColumn: Column = {
  name: 'Ready',
  type: 'string',
  cell: (object) => {
    const [ready, desired] = ['status.readyReplicas', 'spec.replicas'].map((path) => valueAt(object, path) ?? 0);
    return `${scalarText(ready)}/${scalarText(desired)}`;
  },
};

/** Upstream declares this column as a string and sends a number. */
const countText = (name: string, path: string): Column => ({ ...numberColumn(name, path), type: 'string' });

const replicaColumns: readonly Column[] = [
  nameColumn,
  numberColumn('Desired', 'spec.replicas'),
  numberColumn('Current', 'status.replicas'),
  numberColumn('Ready', 'status.readyReplicas'),
  ageColumn,
  ...ofTemplate,
];

/** Returns a column with a number or a percentage, as text. */
function limitColumn(name: string, path: string): Column {
  return { name, type: 'string', cell: (object) => scalarText(valueAt(object, path)) || 'N/A' };
}

/** Workloads: Pods in numbers. */
export const workloadKinds: readonly KindRow[] = [
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    validate: deploymentErrors,
    warnings: ofReplicas,
    plural: 'deployments',
    shortNames: ['deploy'],
    ...workload,
    statusMetadata: ['annotations', 'finalizers', 'ownerReferences'],
    generationBy: 'annotations',
    scale: REPLICAS,
    columns: [
      nameColumn,
      readyColumn,
      countText('Up-to-date', 'status.updatedReplicas'),
      countText('Available', 'status.availableReplicas'),
      ageColumn,
      ...ofTemplate,
    ],
  },
  {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    validate: replicaSetErrors,
    warnings: ofReplicas,
    plural: 'replicasets',
    shortNames: ['rs'],
    ...workload,
    scale: REPLICAS,
    columns: replicaColumns,
  },
  {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    validate: statefulSetErrors,
    warnings: ofStatefulSet,
    plural: 'statefulsets',
    nameRule: 'label',
    shortNames: ['sts'],
    ...workload,
    scale: REPLICAS,
    columns: [nameColumn, readyColumn, ageColumn, ...templateColumns('spec.template.spec')],
  },
  {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    validate: daemonSetErrors,
    warnings: ofDaemonSet,
    plural: 'daemonsets',
    shortNames: ['ds'],
    ...workload,
    convertedAnnotations: [TEMPLATE_GENERATION],
    prepare: ({ object }) => showTemplateGeneration(object),
    preparePart: ({ object }) => showTemplateGeneration(object),
    admit: admitDaemonSet,
    admitPart: keepTemplateGeneration,
    columns: [
      nameColumn,
      numberColumn('Desired', 'status.desiredNumberScheduled'),
      numberColumn('Current', 'status.currentNumberScheduled'),
      numberColumn('Ready', 'status.numberReady'),
      numberColumn('Up-to-date', 'status.updatedNumberScheduled'),
      numberColumn('Available', 'status.numberAvailable'),
      {
        name: 'Node Selector',
        type: 'string',
        cell: (daemonSet) => labelsText(valueAt(daemonSet, 'spec.template.spec.nodeSelector')),
      },
      ageColumn,
      ...ofTemplate,
    ],
  },
  {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    validate: controllerRevisionErrors,
    plural: 'controllerrevisions',
    columns: [
      nameColumn,
      {
        name: 'Controller',
        type: 'string',
        cell: ({ metadata }) => {
          const owner = metadata.ownerReferences?.find(({ controller }) => controller);
          if (!owner) return '<none>';
          const group = owner.apiVersion.includes('/') ? `.${owner.apiVersion.replace(/\/.*/u, '')}` : '';
          return `${owner.kind.toLowerCase()}${group}/${owner.name}`;
        },
      },
      countText('Revision', 'revision'),
      ageColumn,
    ],
  },
  {
    apiVersion: 'v1',
    kind: 'ReplicationController',
    validate: replicationControllerErrors,
    warnings: ofController,
    plural: 'replicationcontrollers',
    shortNames: ['rc'],
    ...workload,
    fields: { 'status.replicas': { path: 'status.replicas', absent: '0' } },
    scale: REPLICAS,
    columns: replicaColumns,
  },
  {
    apiVersion: 'v1',
    kind: 'PodTemplate',
    validate: podTemplateErrors,
    warnings: ofPodTemplate,
    returnsDeleted: true,
    plural: 'podtemplates',
    countsGeneration: true,
    columns: [
      nameColumn,
      {
        name: 'Containers',
        type: 'string',
        cell: (object) => joined(listAt(object, 'template.spec.containers'), 'name'),
      },
      { name: 'Images', type: 'string', cell: (object) => joined(listAt(object, 'template.spec.containers'), 'image') },
      { name: 'Pod Labels', type: 'string', cell: (object) => labelsText(valueAt(object, 'template.metadata.labels')) },
    ],
  },
  {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    requiresVersion: true,
    validate: budgetErrors,
    placesMetadataErrors: true,
    nameRule: 'path segment',
    plural: 'poddisruptionbudgets',
    shortNames: ['pdb'],
    statusSubresource: true,
    countsGeneration: true,
    columns: [
      nameColumn,
      limitColumn('Min Available', 'spec.minAvailable'),
      limitColumn('Max Unavailable', 'spec.maxUnavailable'),
      numberColumn('Allowed Disruptions', 'status.disruptionsAllowed'),
      ageColumn,
    ],
  },
];
