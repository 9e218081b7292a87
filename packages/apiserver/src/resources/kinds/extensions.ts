import { admitLease } from '../admission/lease.ts';
import { leaseErrors, priorityClassErrors } from '../validation/access.ts';
import { storageClassErrors } from '../validation/storage.ts';
import { webhookConfigurationErrors } from '../validation/webhook-configuration.ts';
import { flagColumn } from '../cells.ts';
import { ageColumn, countColumn, defaultColumns, nameColumn, numberColumn, textColumn } from '../columns.ts';
import { customResourceDefinitionErrors, prepareCustomResourceDefinition } from '../custom-resource-definition.ts';
import type { KindRow } from '../kind-row.ts';

/** Leases and classes, and the kinds that extend the API itself. */
export const extensionKinds: readonly KindRow[] = [
  {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    requiresVersion: true,
    validate: leaseErrors,
    admit: admitLease,
    plural: 'leases',
    createsOnUpdate: true,
    columns: [nameColumn, textColumn('Holder', 'spec.holderIdentity'), ageColumn],
  },
  {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    validate: storageClassErrors,
    returnsDeleted: true,
    plural: 'storageclasses',
    shortNames: ['sc'],
    scope: 'Cluster',
    columns: [
      nameColumn,
      textColumn('Provisioner', 'provisioner'),
      textColumn('ReclaimPolicy', 'reclaimPolicy', 'Delete'),
      textColumn('VolumeBindingMode', 'volumeBindingMode', 'Immediate'),
      { ...flagColumn('AllowVolumeExpansion', 'allowVolumeExpansion'), type: 'string' },
      ageColumn,
    ],
  },
  {
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    validate: priorityClassErrors,
    plural: 'priorityclasses',
    shortNames: ['pc'],
    scope: 'Cluster',
    countsGeneration: true,
    generationBy: 'creation',
    columns: [
      nameColumn,
      numberColumn('Value', 'value'),
      flagColumn('Global-Default', 'globalDefault'),
      ageColumn,
      textColumn('PreemptionPolicy', 'preemptionPolicy'),
    ],
  },
  {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    plural: 'customresourcedefinitions',
    shortNames: ['crd', 'crds'],
    categories: ['api-extensions'],
    scope: 'Cluster',
    statusSubresource: true,
    statusMetadata: [],
    countsGeneration: true,
    prepare: prepareCustomResourceDefinition,
    validate: customResourceDefinitionErrors,
    columns: defaultColumns,
  },
  {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    requiresVersion: true,
    validate: webhookConfigurationErrors,
    plural: 'validatingwebhookconfigurations',
    categories: ['api-extensions'],
    scope: 'Cluster',
    countsGeneration: true,
    countsEmptyCollections: true,
    columns: [nameColumn, { ...countColumn('Webhooks', 'webhooks'), type: 'integer' }, ageColumn],
  },
  {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    requiresVersion: true,
    validate: webhookConfigurationErrors,
    plural: 'mutatingwebhookconfigurations',
    categories: ['api-extensions'],
    scope: 'Cluster',
    countsGeneration: true,
    countsEmptyCollections: true,
    columns: [nameColumn, { ...countColumn('Webhooks', 'webhooks'), type: 'integer' }, ageColumn],
  },
];
