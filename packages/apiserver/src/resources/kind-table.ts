import { parseApiVersion } from '@mcr/client';
import { builtInSchema } from '../schema/built-in-schema.ts';
import type { Schema } from '../schema/schema.ts';
import { ageColumn, nameColumn } from './columns.ts';
import { accessKinds } from './kinds/access.ts';
import { coreKinds } from './kinds/core.ts';
import { eventKinds } from './kinds/events.ts';
import { extensionKinds } from './kinds/extensions.ts';
import { networkingKinds } from './kinds/networking.ts';
import { reviewKinds } from './kinds/reviews.ts';
import { workloadKinds } from './kinds/workloads.ts';
import type { ResourceType } from './resource-type.ts';

const rows = [
  ...coreKinds,
  ...eventKinds,
  ...workloadKinds,
  ...networkingKinds,
  ...accessKinds,
  ...reviewKinds,
  ...extensionKinds,
];

/** The built-in kinds of every cluster. A new kind is one more row. */
export const builtInTypes: readonly ResourceType[] = rows.map(({ apiVersion, schemaType, ...row }) => {
  const { group, version } = parseApiVersion(apiVersion);
  let schema: Schema | undefined;
  return {
    group,
    version,
    singular: row.kind.toLowerCase(),
    shortNames: [],
    categories: [],
    scope: 'Namespaced',
    storage: group === '' ? row.plural : `${row.plural}.${group}`,
    builtIn: true,
    statusSubresource: false,
    countsGeneration: false,
    createsOnUpdate: false,
    nameRule: 'subdomain',
    fields: {},
    immutable: [],
    columns: [nameColumn, ageColumn],
    scale: undefined,
    review: undefined,
    prepare: undefined,
    validate: undefined,
    view: undefined,
    ...row,
    /** Created with the first object, because most clusters use only a few kinds. */
    get schema() {
      return (schema ??= builtInSchema(schemaType ?? (row.review ? 'any' : row.kind)));
    },
  };
});
