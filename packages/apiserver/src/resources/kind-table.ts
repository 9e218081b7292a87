import { parseApiVersion } from '@mcr/client';
import { builtInSchema } from '../schema/built-in-schema.ts';
import type { Schema } from '../schema/schema.ts';
import { ageColumn, nameColumn } from './columns.ts';
import { setFirstStatus } from './admission/first-status.ts';
import { setBuiltInDefaults } from './defaulting/built-in-defaults.ts';
import { accessKinds } from './kinds/access.ts';
import { autoscalingKinds } from './kinds/autoscaling.ts';
import { batchKinds } from './kinds/batch.ts';
import { clusterKinds } from './kinds/cluster.ts';
import { coreKinds } from './kinds/core.ts';
import { deviceKinds } from './kinds/devices.ts';
import { eventKinds } from './kinds/events.ts';
import { extensionKinds } from './kinds/extensions.ts';
import { flowControlKinds } from './kinds/flow-control.ts';
import { networkingKinds } from './kinds/networking.ts';
import { policyKinds } from './kinds/policies.ts';
import { reviewKinds } from './kinds/reviews.ts';
import { storageKinds } from './kinds/storage.ts';
import { workloadKinds } from './kinds/workloads.ts';
import { dropGatedFields } from './gated-fields.ts';
import type { ResourceType } from './resource-type.ts';
import { withStatusRules } from './validation/status/table.ts';

const rows = [
  ...coreKinds,
  ...eventKinds,
  ...workloadKinds,
  ...batchKinds,
  ...autoscalingKinds,
  ...networkingKinds,
  ...accessKinds,
  ...reviewKinds,
  ...extensionKinds,
  ...storageKinds,
  ...clusterKinds,
  ...flowControlKinds,
  ...deviceKinds,
  ...policyKinds,
];

/** Metadata that a write of the status of most kinds changes too. */
const STATUS_METADATA = ['labels', 'annotations', 'finalizers', 'ownerReferences'] as const;

/** The built-in kinds of every cluster. A new kind is one more row. */
export const builtInTypes: readonly ResourceType[] = rows.map(({ apiVersion, schemaType, ...row }) => {
  const { group, version } = parseApiVersion(apiVersion);
  let schema: Schema | undefined;
  // The type of the stored version has the name of its kind.
  const storedType = row.view ? row.kind : (schemaType ?? row.kind);
  return {
    group,
    version,
    singular: row.kind.toLowerCase(),
    shortNames: [],
    categories: [],
    scope: 'Namespaced',
    storage: group === '' ? row.plural : `${row.plural}.${group}`,
    builtIn: true,
    statusMetadata: STATUS_METADATA,
    generationBy: undefined,
    statusSubresource: false,
    countsGeneration: false,
    createsOnUpdate: false,
    returnsDeleted: false,
    deprecation: undefined,
    nameRule: 'subdomain',
    fields: {},
    fieldLabels: undefined,
    immutable: [],
    columns: [nameColumn, ageColumn],
    scale: undefined,
    review: undefined,
    view: undefined,
    ...row,
    validate: withStatusRules(row.kind, row.validate, row.placesMetadataErrors),
    admit: (change, context) => {
      setFirstStatus(row.kind, change);
      dropGatedFields(row.kind, change);
      // A Service that its status creates gets no addresses.
      if (change.subresource === undefined) row.admit?.(change, context);
    },
    admitPart: (change) => {
      dropGatedFields(row.kind, change);
      row.admitPart?.(change);
    },
    prepare: (change) => {
      setBuiltInDefaults(storedType, change.object);
      row.prepare?.(change);
    },
    /** Created with the first object, because most clusters use only a few kinds. */
    get schema() {
      return (schema ??= builtInSchema(schemaType ?? (row.review ? 'any' : row.kind)));
    },
  };
});
