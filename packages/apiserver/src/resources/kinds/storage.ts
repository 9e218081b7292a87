import { csiDriverErrors, csiNodeErrors, storageCapacityErrors } from '../validation/csi.ts';
import { volumeErrors } from '../validation/persistent-volume.ts';
import { attributesClassErrors, volumeAttachmentErrors } from '../validation/storage.ts';
import { admitVolume, admitVolumeAttributesClass } from '../admission/volume.ts';
import { admitVolumeStatus } from '../admission/volume-status.ts';
import { accessModesText, flagColumn, listAt } from '../cells.ts';
import { ageColumn, defaultColumns, nameColumn, textColumn } from '../columns.ts';
import type { KindRow } from '../kind-row.ts';
import { scalarText, valueAt } from '../resource-type.ts';

/** Volumes and the drivers that provide them. */
export const storageKinds: readonly KindRow[] = [
  {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    validate: volumeErrors,
    returnsDeleted: true,
    plural: 'persistentvolumes',
    shortNames: ['pv'],
    scope: 'Cluster',
    statusSubresource: true,
    admit: admitVolume,
    admitPart: admitVolumeStatus,
    columns: [
      nameColumn,
      textColumn('Capacity', 'spec.capacity.storage'),
      { name: 'Access Modes', type: 'string', cell: (volume) => accessModesText(listAt(volume, 'spec.accessModes')) },
      textColumn('Reclaim Policy', 'spec.persistentVolumeReclaimPolicy'),
      {
        name: 'Status',
        type: 'string',
        cell: (volume) => (volume.metadata.deletionTimestamp ? 'Terminating' : valueAt(volume, 'status.phase')),
      },
      {
        name: 'Claim',
        type: 'string',
        cell: (volume) => {
          const claim = valueAt(volume, 'spec.claimRef');
          const [namespace, name] = [valueAt(claim, 'namespace'), valueAt(claim, 'name')];
          return claim === undefined ? '' : `${scalarText(namespace)}/${scalarText(name)}`;
        },
      },
      textColumn('StorageClass', 'spec.storageClassName'),
      textColumn('VolumeAttributesClass', 'spec.volumeAttributesClassName', '<unset>'),
      textColumn('Reason', 'status.reason'),
      ageColumn,
      { ...textColumn('VolumeMode', 'spec.volumeMode', '<unset>'), priority: 1 },
    ],
  },
  {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSIDriver',
    validate: csiDriverErrors,
    requiresVersion: true,
    returnsDeleted: true,
    plural: 'csidrivers',
    scope: 'Cluster',
    columns: [
      nameColumn,
      flagColumn('AttachRequired', 'spec.attachRequired'),
      flagColumn('PodInfoOnMount', 'spec.podInfoOnMount'),
      flagColumn('StorageCapacity', 'spec.storageCapacity'),
      {
        name: 'TokenRequests',
        type: 'string',
        cell: (driver) => {
          const audiences = listAt(driver, 'spec.tokenRequests').map((request) => valueAt(request, 'audience'));
          return audiences.length === 0 ? '<unset>' : audiences.join(',');
        },
      },
      flagColumn('RequiresRepublish', 'spec.requiresRepublish'),
      {
        name: 'Modes',
        type: 'string',
        cell: (driver) => listAt(driver, 'spec.volumeLifecycleModes').join(',') || '<none>',
      },
      ageColumn,
    ],
  },
  {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSINode',
    requiresVersion: true,
    validate: csiNodeErrors,
    returnsDeleted: true,
    plural: 'csinodes',
    scope: 'Cluster',
    columns: [
      nameColumn,
      { name: 'Drivers', type: 'integer', cell: (node) => listAt(node, 'spec.drivers').length },
      ageColumn,
    ],
  },
  {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSIStorageCapacity',
    requiresVersion: true,
    validate: storageCapacityErrors,
    plural: 'csistoragecapacities',
    singular: 'csistoragecapacity',
    columns: defaultColumns,
  },
  {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttachment',
    requiresVersion: true,
    validate: volumeAttachmentErrors,
    returnsDeleted: true,
    plural: 'volumeattachments',
    scope: 'Cluster',
    statusSubresource: true,
    statusMetadata: [],
    columns: [
      nameColumn,
      { ...textColumn('Attacher', 'spec.attacher'), format: 'name' },
      textColumn('PV', 'spec.source.persistentVolumeName'),
      textColumn('Node', 'spec.nodeName'),
      flagColumn('Attached', 'status.attached'),
      ageColumn,
    ],
  },
  {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttributesClass',
    returnsDeleted: true,
    plural: 'volumeattributesclasses',
    shortNames: ['vac'],
    admit: admitVolumeAttributesClass,
    scope: 'Cluster',
    validate: attributesClassErrors,
    columns: [nameColumn, textColumn('DriverName', 'driverName'), ageColumn],
  },
];
