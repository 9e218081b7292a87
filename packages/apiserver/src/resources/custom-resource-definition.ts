import * as z from 'zod';
import { objectSchema } from '../schema/built-in-schema.ts';
import { applyDefaults } from '../schema/defaults.ts';
import type { Schema } from '../schema/schema.ts';
import { schemaSchema } from '../schema/schema.ts';
import { schemaErrors } from '../schema/validate.ts';
import type { FieldError } from '../status.ts';
import { forbiddenField, invalidField, requiredField } from '../status.ts';
import type { ApiObject } from '../storage/stored-object.ts';
import { apiApprovalErrors } from './api-approval.ts';
import { ageCell, ageColumn, nameColumn } from './columns.ts';
import type { Change, Column, ResourceType, ScalePaths, VersionView } from './resource-type.ts';
import { valueAt } from './resource-type.ts';

const printerColumn = z.object({
  name: z.string(),
  type: z.enum(['string', 'integer', 'number', 'boolean', 'date']),
  jsonPath: z.string(),
  format: z.string().optional(),
  description: z.string().optional(),
  priority: z.number().optional(),
});

const scaleSubresource = z.object({
  specReplicasPath: z.string(),
  statusReplicasPath: z.string(),
  labelSelectorPath: z.string().optional(),
});

const version = z.object({
  name: z.string().min(1),
  served: z.boolean(),
  storage: z.boolean(),
  subresources: z.object({ status: z.looseObject({}).optional(), scale: scaleSubresource.optional() }).nullish(),
  additionalPrinterColumns: z.array(printerColumn).optional(),
  selectableFields: z.array(z.object({ jsonPath: z.string() })).optional(),
  schema: z.object({ openAPIV3Schema: schemaSchema.optional() }).nullish(),
});

const definitionSpec = z.object({
  group: z.string().min(1),
  scope: z.enum(['Namespaced', 'Cluster']),
  names: z.object({
    plural: z.string().min(1),
    kind: z.string().min(1),
    singular: z.string().optional(),
    listKind: z.string().optional(),
    shortNames: z.array(z.string()).optional(),
    categories: z.array(z.string()).optional(),
  }),
  versions: z.array(version).min(1),
});

/** Schema of a definition without one. */
const OPEN: Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

type DefinitionSpec = z.infer<typeof definitionSpec>;
type DefinitionVersion = DefinitionSpec['versions'][number];

/** Fills in names that derive from the others. */
export function prepareCustomResourceDefinition({ object }: Change): void {
  const names = valueAt(object, 'spec.names');
  if (typeof names !== 'object' || names === null) return;
  const kind = valueAt(names, 'kind');
  if (typeof kind !== 'string') return;
  const defaults = { singular: kind.toLowerCase(), listKind: `${kind}List` };
  for (const [name, value] of Object.entries(defaults))
    if (!Object.hasOwn(names, name)) Object.assign(names, { [name]: value });
}

export function customResourceDefinitionErrors({ object, previous }: Change): FieldError[] {
  const parsed = definitionSpec.safeParse(object['spec']);
  if (!parsed.success) {
    return parsed.error.issues.map(({ path, message }) => {
      const field = ['spec', ...path].join('.');
      const value = valueAt(object, field);
      return value === undefined ? requiredField(field, '') : invalidField(field, value, message);
    });
  }
  const { group, names, versions, scope } = parsed.data;
  const errors = apiApprovalErrors(group, { object, previous });
  const expected = `${names.plural}.${group}`;
  if (object.metadata.name !== expected) {
    errors.push(invalidField('metadata.name', object.metadata.name, 'must be spec.names.plural+"."+spec.group'));
  }
  if (versions.filter(({ storage }) => storage).length !== 1) {
    errors.push(invalidField('spec.versions', versions, 'must have exactly one version marked as storage version'));
  }
  if (previous && valueAt(previous, 'spec.scope') !== scope) {
    errors.push(invalidField('spec.scope', scope, 'field is immutable'));
  }
  if (previous && valueAt(previous, 'spec.names.kind') !== names.kind) {
    errors.push(forbiddenField('spec.names.kind', 'field is immutable'));
  }
  return errors;
}

/** Returns the kinds of a valid definition: one for each served version. */
export function definedTypes(definition: ApiObject): ResourceType[] {
  const spec = definitionSpec.parse(definition['spec']);
  const stored = spec.versions.find(({ storage }) => storage);
  return spec.versions
    .filter(({ served, storage }) => served || storage)
    .map((served) => definedType(spec, served, `${spec.group}/${stored?.name ?? served.name}`));
}

function definedType(spec: DefinitionSpec, served: DefinitionVersion, storedApiVersion: string): ResourceType {
  const { group, names, scope } = spec;
  const schema = objectSchema(served.schema?.openAPIV3Schema ?? OPEN);
  return {
    group,
    version: served.name,
    kind: names.kind,
    plural: names.plural,
    singular: names.singular ?? names.kind.toLowerCase(),
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    scope,
    storage: `${names.plural}.${group}`,
    builtIn: false,
    statusMetadata: [],
    generationBy: undefined,
    statusSubresource: served.subresources?.status !== undefined,
    countsGeneration: true,
    createsOnUpdate: false,
    returnsDeleted: false,
    deprecation: undefined,
    nameRule: 'subdomain',
    fields: Object.fromEntries(
      (served.selectableFields ?? []).map(({ jsonPath }) => [dottedPath(jsonPath), dottedPath(jsonPath)]),
    ),
    immutable: [],
    columns: [nameColumn, ...(served.additionalPrinterColumns?.map(definedColumn) ?? [ageColumn])],
    schema,
    scale: served.subresources?.scale && scalePaths(served.subresources.scale),
    prepare: ({ object }) => applyDefaults(schema, object),
    validate: ({ object }) => schemaErrors(schema, object),
    admit: undefined,
    review: undefined,
    view: served.storage ? undefined : versionView(`${group}/${served.name}`, storedApiVersion),
  };
}

function scalePaths(scale: z.infer<typeof scaleSubresource>): ScalePaths {
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = scale;
  return {
    spec: dottedPath(specReplicasPath),
    status: dottedPath(statusReplicasPath),
    selector: labelSelectorPath === undefined ? undefined : dottedPath(labelSelectorPath),
  };
}

/** Without a conversion webhook, versions differ only in `apiVersion`. */
function versionView(servedApiVersion: string, storedApiVersion: string): VersionView {
  return {
    fromStored: (object) => ({ ...object, apiVersion: servedApiVersion }),
    toStored: (object) => ({ ...object, apiVersion: storedApiVersion }),
  };
}

function definedColumn({ jsonPath, ...column }: z.infer<typeof printerColumn>): Column {
  const path = dottedPath(jsonPath);
  const { format, description, priority } = column;
  return {
    name: column.name,
    type: column.type,
    ...(format !== undefined && { format }),
    ...(description !== undefined && { description }),
    ...(priority !== undefined && { priority }),
    cell: (object) => {
      const value = valueAt(object, path);
      return column.type === 'date' ? ageCell(value) : value;
    },
  };
}

/** Converts a JSON path of plain steps, as in columns and selectable fields, to a dotted path. */
function dottedPath(jsonPath: string): string {
  return jsonPath.replace(/^\./, '');
}
