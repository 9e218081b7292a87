import { deviceClaimErrors, deviceClaimTemplateErrors } from '../validation/devices/claim.ts';
import { dropDeallocated } from '../validation/devices/claim-status.ts';
import { deviceClassErrors } from '../validation/devices/class.ts';
import { resourceSliceErrors } from '../validation/devices/slice.ts';
import { listAt } from '../cells.ts';
import { ageColumn, nameColumn, textColumn } from '../columns.ts';
import type { KindRow } from '../kind-row.ts';
import { valueAt } from '../resource-type.ts';

const RESOURCE = 'resource.k8s.io/v1';

/** Devices and the claims to them (dynamic resource allocation). */
export const deviceKinds: readonly KindRow[] = [
  {
    apiVersion: RESOURCE,
    kind: 'ResourceClaim',
    returnsDeleted: true,
    schemaType: 'DeviceResourceClaim',
    plural: 'resourceclaims',
    statusSubresource: true,
    statusMetadata: [],
    validate: deviceClaimErrors,
    admitPart: dropDeallocated,
    columns: [
      nameColumn,
      {
        name: 'State',
        type: 'string',
        cell: (claim) => {
          const allocated = valueAt(claim, 'status.allocation') !== undefined;
          const reserved = listAt(claim, 'status.reservedFor').length > 0;
          const states = [
            ...(claim.metadata.deletionTimestamp ? ['deleted'] : []),
            ...(allocated ? ['allocated'] : []),
            ...(reserved ? ['reserved'] : []),
          ];
          return allocated ? states.join(',') : [...states, 'pending'].join(',');
        },
      },
      ageColumn,
    ],
  },
  {
    apiVersion: RESOURCE,
    kind: 'ResourceClaimTemplate',
    returnsDeleted: true,
    plural: 'resourceclaimtemplates',
    validate: deviceClaimTemplateErrors,
  },
  {
    apiVersion: RESOURCE,
    kind: 'ResourceSlice',
    returnsDeleted: true,
    plural: 'resourceslices',
    scope: 'Cluster',
    countsGeneration: true,
    validate: resourceSliceErrors,
    fields: { 'spec.nodeName': 'spec.nodeName', 'spec.driver': 'spec.driver' },
    columns: [
      nameColumn,
      textColumn('Node', 'spec.nodeName', '<unset>'),
      textColumn('Driver', 'spec.driver'),
      textColumn('Pool', 'spec.pool.name'),
      ageColumn,
    ],
  },
  {
    apiVersion: RESOURCE,
    kind: 'DeviceClass',
    returnsDeleted: true,
    plural: 'deviceclasses',
    validate: deviceClassErrors,
    scope: 'Cluster',
    countsGeneration: true,
  },
];
