import { nodeErrors } from '../validation/node.ts';
import { quotaErrors } from '../validation/quota.ts';
import { namespaceErrors } from '../validation/namespace.ts';
import { claimErrors } from '../validation/claim.ts';
import { endpointsErrors } from '../validation/endpoints.ts';
import { limitRangeErrors } from '../validation/limit-range.ts';
import { podErrors } from '../validation/pod.ts';
import { serviceErrors } from '../validation/service.ts';
import { serviceWarnings } from '../validation/service-warnings.ts';
import { admitNamespace } from '../admission/namespace.ts';
import { admitNode } from '../admission/node.ts';
import { admitPod, admitValidPod } from '../admission/pod.ts';
import { admitPodStatus } from '../admission/pod-status.ts';
import { admitService } from '../admission/service.ts';
import { admitVolumeClaim, isNewClaim } from '../admission/volume.ts';
import { ageColumn, countColumn, defaultColumns, nameColumn, textColumn } from '../columns.ts';
import { configMapErrors } from '../config-map.ts';
import type { KindRow } from '../kind-row.ts';
import { ofPod } from '../warnings/workload.ts';
import { prepareSecret, secretErrors } from '../secret.ts';
import {
  endpointsCell,
  nodeColumns,
  podColumns,
  quotaColumns,
  serviceColumns,
  volumeClaimColumns,
} from './core-columns.ts';

/** The core group, except Events. */
export const coreKinds: readonly KindRow[] = [
  {
    apiVersion: 'v1',
    kind: 'Namespace',
    validate: namespaceErrors,
    returnsDeleted: true,
    plural: 'namespaces',
    shortNames: ['ns'],
    scope: 'Cluster',
    statusSubresource: true,
    nameRule: 'label',
    fields: { 'status.phase': 'status.phase' },
    admit: admitNamespace,
    columns: [nameColumn, textColumn('Status', 'status.phase'), ageColumn],
  },
  {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    plural: 'configmaps',
    shortNames: ['cm'],
    judge: configMapErrors,
    columns: [nameColumn, countColumn('Data', 'data', 'binaryData'), ageColumn],
  },
  {
    apiVersion: 'v1',
    kind: 'Secret',
    plural: 'secrets',
    fields: { type: 'type' },
    immutable: ['type'],
    prepare: prepareSecret,
    judge: secretErrors,
    columns: [nameColumn, textColumn('Type', 'type'), countColumn('Data', 'data'), ageColumn],
  },
  {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    returnsDeleted: true,
    plural: 'serviceaccounts',
    shortNames: ['sa'],
  },
  {
    apiVersion: 'v1',
    kind: 'Pod',
    validate: podErrors,
    admitPart: admitPodStatus,
    returnsDeleted: true,
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
      'spec.hostNetwork': { path: 'spec.hostNetwork', absent: 'false' },
      'status.phase': 'status.phase',
      'status.podIP': 'status.podIP',
      'status.podIPs': 'status.podIP',
      'status.nominatedNodeName': 'status.nominatedNodeName',
    },
    statusMetadata: ['labels', 'annotations', 'finalizers'],
    warnings: ofPod,
    admit: admitPod,
    admitValid: admitValidPod,
    columns: podColumns,
  },
  {
    apiVersion: 'v1',
    kind: 'Service',
    validate: serviceErrors,
    warnings: ({ object }) => serviceWarnings(object),
    returnsDeleted: true,
    plural: 'services',
    shortNames: ['svc'],
    categories: ['all'],
    statusSubresource: true,
    nameRule: 'DNS-1035 label',
    fields: { 'spec.clusterIP': 'spec.clusterIP', 'spec.type': 'spec.type' },
    createsOnUpdate: true,
    admit: admitService,
    columns: serviceColumns,
  },
  {
    apiVersion: 'v1',
    kind: 'Endpoints',
    validate: endpointsErrors,
    plural: 'endpoints',
    singular: 'endpoints',
    deprecation: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
    shortNames: ['ep'],
    createsOnUpdate: true,
    columns: [nameColumn, { name: 'Endpoints', type: 'string', cell: endpointsCell }, ageColumn],
  },
  {
    apiVersion: 'v1',
    kind: 'Node',
    keepsFirstStatus: true,
    validate: nodeErrors,
    plural: 'nodes',
    shortNames: ['no'],
    scope: 'Cluster',
    statusSubresource: true,
    fields: { 'spec.unschedulable': { path: 'spec.unschedulable', absent: 'false' } },
    admit: admitNode,
    columns: nodeColumns,
  },
  {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    validate: claimErrors,
    returnsDeleted: true,
    plural: 'persistentvolumeclaims',
    shortNames: ['pvc'],
    statusSubresource: true,
    admit: admitVolumeClaim,
    settle: isNewClaim,
    columns: volumeClaimColumns,
  },
  {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    validate: quotaErrors,
    returnsDeleted: true,
    plural: 'resourcequotas',
    shortNames: ['quota'],
    statusSubresource: true,
    columns: quotaColumns,
  },
  {
    apiVersion: 'v1',
    kind: 'LimitRange',
    validate: limitRangeErrors,
    plural: 'limitranges',
    shortNames: ['limits'],
    createsOnUpdate: true,
    columns: defaultColumns,
  },
];
