import { ageColumn, countColumn, nameColumn, textColumn } from '../columns.ts';
import { configMapErrors } from '../config-map.ts';
import { setDefaults } from '../defaults.ts';
import { prepareNamespace } from '../namespace.ts';
import { valueAt } from '../resource-type.ts';
import { prepareSecret, secretErrors } from '../secret.ts';
import type { KindRow } from '../kind-row.ts';

/** The core group, except Events. */
export const coreKinds: readonly KindRow[] = [
  {
    apiVersion: 'v1',
    kind: 'Namespace',
    plural: 'namespaces',
    shortNames: ['ns'],
    scope: 'Cluster',
    statusSubresource: true,
    nameRule: 'label',
    fields: { 'status.phase': 'status.phase' },
    prepare: prepareNamespace,
    columns: [nameColumn, textColumn('Status', 'status.phase'), ageColumn],
  },
  {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    plural: 'configmaps',
    shortNames: ['cm'],
    validate: configMapErrors,
    columns: [nameColumn, countColumn('Data', 'data', 'binaryData'), ageColumn],
  },
  {
    apiVersion: 'v1',
    kind: 'Secret',
    plural: 'secrets',
    fields: { type: 'type' },
    immutable: ['type'],
    prepare: prepareSecret,
    validate: secretErrors,
    columns: [nameColumn, textColumn('Type', 'type'), countColumn('Data', 'data'), ageColumn],
  },
  {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    plural: 'serviceaccounts',
    shortNames: ['sa'],
    columns: [nameColumn, countColumn('Secrets', 'secrets'), ageColumn],
  },
  {
    apiVersion: 'v1',
    kind: 'Pod',
    plural: 'pods',
    shortNames: ['po'],
    categories: ['all'],
    statusSubresource: true,
    countsGeneration: true,
    fields: {
      'spec.nodeName': 'spec.nodeName',
      'spec.restartPolicy': 'spec.restartPolicy',
      'spec.schedulerName': 'spec.schedulerName',
      'spec.serviceAccountName': 'spec.serviceAccountName',
      'spec.hostNetwork': 'spec.hostNetwork',
      'status.phase': 'status.phase',
      'status.podIP': 'status.podIP',
      'status.nominatedNodeName': 'status.nominatedNodeName',
    },
    prepare: ({ object, previous }) => {
      if (!previous) object['status'] = { phase: 'Pending' };
    },
    columns: [
      nameColumn,
      {
        name: 'Ready',
        type: 'string',
        cell: (pod) => {
          const containers = valueAt(pod, 'spec.containers');
          const statuses = valueAt(pod, 'status.containerStatuses');
          const ready = Array.isArray(statuses)
            ? statuses.filter((status) => valueAt(status, 'ready') === true).length
            : 0;
          return `${ready}/${Array.isArray(containers) ? containers.length : 0}`;
        },
      },
      {
        name: 'Status',
        type: 'string',
        cell: (pod) => (pod.metadata.deletionTimestamp ? 'Terminating' : valueAt(pod, 'status.phase')),
      },
      {
        name: 'Restarts',
        type: 'string',
        cell: (pod) => {
          const statuses = valueAt(pod, 'status.containerStatuses');
          const counts: unknown[] = Array.isArray(statuses)
            ? statuses.map((status) => valueAt(status, 'restartCount'))
            : [];
          return String(counts.reduce((sum: number, count) => sum + Number(count ?? 0), 0));
        },
      },
      ageColumn,
      { ...textColumn('IP', 'status.podIP', '<none>'), priority: 1 },
      { ...textColumn('Node', 'spec.nodeName', '<none>'), priority: 1 },
    ],
  },
  {
    apiVersion: 'v1',
    kind: 'Service',
    plural: 'services',
    shortNames: ['svc'],
    categories: ['all'],
    statusSubresource: true,
    nameRule: 'label',
    fields: { 'spec.clusterIP': 'spec.clusterIP', 'spec.type': 'spec.type' },
    prepare: setDefaults('spec', { type: 'ClusterIP' }),
    columns: [
      nameColumn,
      textColumn('Type', 'spec.type'),
      textColumn('Cluster-IP', 'spec.clusterIP', '<none>'),
      ageColumn,
    ],
  },
  {
    apiVersion: 'v1',
    kind: 'Endpoints',
    plural: 'endpoints',
    shortNames: ['ep'],
  },
  {
    apiVersion: 'v1',
    kind: 'Node',
    plural: 'nodes',
    shortNames: ['no'],
    scope: 'Cluster',
    statusSubresource: true,
    fields: { 'spec.unschedulable': 'spec.unschedulable' },
    columns: [nameColumn, textColumn('Version', 'status.nodeInfo.kubeletVersion'), ageColumn],
  },
  {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    plural: 'persistentvolumeclaims',
    shortNames: ['pvc'],
    statusSubresource: true,
    columns: [nameColumn, textColumn('Status', 'status.phase'), textColumn('Volume', 'spec.volumeName'), ageColumn],
  },
  {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    plural: 'resourcequotas',
    shortNames: ['quota'],
    statusSubresource: true,
    columns: [nameColumn, ageColumn],
  },
  {
    apiVersion: 'v1',
    kind: 'LimitRange',
    plural: 'limitranges',
    shortNames: ['limits'],
  },
];
