import { isDeepStrictEqual } from 'node:util';
import type { DefinitionSpec, DefinitionVersion, Subresources } from '../definitions/definition.ts';
import { specOf } from '../definitions/definition.ts';
import { specErrors } from '../definitions/spec-errors.ts';
import { statusErrors } from '../definitions/status-errors.ts';
import { unrecognizedFormats } from '../definitions/unrecognized-formats.ts';
import { objectSchema } from '../schema/built-in-schema.ts';
import { applyDefaults } from '../schema/defaults.ts';
import type { Schema } from '../schema/schema.ts';
import type { FieldError } from '../status.ts';
import { forbiddenField } from '../status.ts';
import type { ApiObject, JsonObject } from '../storage/stored-object.ts';
import { apiApprovalErrors } from './api-approval.ts';
import { ageColumn, nameColumn } from './columns.ts';
import { customObjectErrors } from './custom-object-errors.ts';
import { definedColumn } from './defined-column.ts';
import { definitionNameErrors } from './definition-name.ts';
import type { Change, ResourceType, ScalePaths, VersionView } from './resource-type.ts';
import { valueAt } from './resource-type.ts';

/** Schema of a definition without one. */
const OPEN: Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/** Sets the defaults of a definition, and its stored versions. */
export function prepareCustomResourceDefinition({ object, previous }: Change): void {
  const spec = { ...specOf(object) } as JsonObject;
  object['spec'] = spec;
  const names = { ...(spec['names'] as JsonObject | undefined) };
  const { kind } = names;
  if (typeof kind === 'string' && kind !== '') {
    names['singular'] ||= kind.toLowerCase();
    names['listKind'] ||= `${kind}List`;
  }
  spec['names'] = names;
  spec['conversion'] ??= { strategy: 'None' };
  const service = valueAt(spec, 'conversion.webhook.clientConfig.service');
  if (typeof service === 'object' && service !== null)
    Object.assign(service, { port: valueAt(service, 'port') ?? 443 });
  const { versions = [] } = specOf(object);
  const stored = versions.find(({ storage }) => storage)?.name;
  const before = (previous?.['status'] ?? { conditions: null, acceptedNames: { plural: '', kind: '' } }) as JsonObject;
  const storedVersions = new Set([...((before['storedVersions'] as string[] | undefined) ?? []), stored ?? '']);
  object['status'] = { ...before, storedVersions: [...storedVersions].filter((name) => name !== '') };
}

/** Returns the errors in a definition. A part that a write keeps is not judged again. */
export function customResourceDefinitionErrors(change: Change): FieldError[] {
  const { object, previous, warn } = change;
  const spec = specOf(object);
  const { group = '' } = spec;
  if (previous && isDeepStrictEqual(spec, specOf(previous))) {
    return [...statusErrors(object, 'status'), ...apiApprovalErrors(group, change)];
  }
  const known = previous ? unrecognizedFormats(specOf(previous)) : [];
  for (const format of unrecognizedFormats(spec)) {
    if (!known.includes(format)) warn?.(`unrecognized format ${JSON.stringify(format)}`);
  }
  return [
    ...(previous ? [] : definitionNameErrors(object)),
    ...specErrors(change),
    ...statusErrors(object, 'object'),
    ...apiApprovalErrors(group, change),
    ...preservationErrors(spec, previous),
    ...migrationErrors(spec, previous),
  ];
}

/** Objects in the previous stored version would have to be converted by a webhook, which this server does not call. */
function migrationErrors({ versions = [], conversion }: DefinitionSpec, previous: ApiObject | undefined): FieldError[] {
  if (!previous || conversion?.strategy !== 'Webhook') return [];
  const stored = (all: DefinitionSpec['versions'] = []): string | undefined => all.find(({ storage }) => storage)?.name;
  const before = stored(specOf(previous).versions);
  if (before === stored(versions)) return [];
  const detail = 'the storage version cannot change, because this server does not call conversion webhooks';
  return [forbiddenField('spec.versions', detail)];
}

function preservationErrors({ preserveUnknownFields }: DefinitionSpec, previous: ApiObject | undefined): FieldError[] {
  if (!preserveUnknownFields || (previous && specOf(previous).preserveUnknownFields)) return [];
  const message =
    'Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead';
  return [{ reason: 'FieldValueInvalid', field: 'spec.preserveUnknownFields', message }];
}

/** Returns the kinds of a valid definition: one for each served version. */
export function definedTypes(definition: ApiObject): ResourceType[] {
  const spec = specOf(definition);
  const { versions = [], group = '' } = spec;
  const stored = versions.find(({ storage }) => storage);
  return versions
    .filter(({ served, storage }) => served === true || storage === true)
    .map((served) => definedType(spec, served, `${group}/${stored?.name ?? ''}`));
}

function storedSchemaOf({ versions = [] }: DefinitionSpec): Schema {
  return objectSchema((versions.find(({ storage }) => storage)?.schema?.openAPIV3Schema ?? OPEN) as Schema);
}

/** Returns the warning of a deprecated version. */
function deprecationOf({ deprecated, deprecationWarning }: DefinitionVersion, kind: string): string | undefined {
  return deprecated ? (deprecationWarning ?? `${kind} is deprecated`) : undefined;
}

function definedType(spec: DefinitionSpec, served: DefinitionVersion, storedApiVersion: string): ResourceType {
  const { group = '', names = {}, scope } = spec;
  const { kind = '', plural = '', singular = kind.toLowerCase(), shortNames = [], categories = [] } = names;
  const { name: version = '', subresources, selectableFields = [], additionalPrinterColumns } = served;
  // The definition was judged when it was written.
  const declared = (served.schema?.openAPIV3Schema ?? OPEN) as Schema;
  const schema = objectSchema(declared);
  return {
    group,
    version,
    kind,
    plural,
    singular,
    shortNames,
    categories,
    scope: scope === 'Cluster' ? 'Cluster' : 'Namespaced',
    storage: `${plural}.${group}`,
    builtIn: false,
    statusMetadata: [],
    generationBy: undefined,
    statusSubresource: subresources?.status !== undefined,
    countsGeneration: true,
    createsOnUpdate: false,
    returnsDeleted: false,
    deprecation: deprecationOf(served, `${group}/${version} ${kind}`),
    nameRule: 'subdomain',
    fields: Object.fromEntries(
      selectableFields.map(({ jsonPath = '' }) => [dottedPath(jsonPath), dottedPath(jsonPath)]),
    ),
    immutable: [],
    columns: [nameColumn, ...(additionalPrinterColumns?.map(definedColumn) ?? [ageColumn])],
    schema,
    scale: scalePaths(subresources),
    prepare: ({ object }) => applyDefaults(schema, object),
    validate: (change) => customObjectErrors(schema, declared, change),
    admit: undefined,
    ...(served.storage !== true && { settle: (object: ApiObject) => applyDefaults(storedSchemaOf(spec), object) }),
    review: undefined,
    view: versionView(kind, `${group}/${version}`, storedApiVersion),
    storesVersion: served.storage === true,
    served: served.served === true,
    needsWebhook: spec.conversion?.strategy === 'Webhook' && served.storage !== true,
  };
}

function scalePaths(subresources: Subresources | undefined): ScalePaths | undefined {
  if (!subresources?.scale) return undefined;
  const { specReplicasPath = '', statusReplicasPath = '', labelSelectorPath } = subresources.scale;
  return {
    spec: dottedPath(specReplicasPath),
    status: dottedPath(statusReplicasPath),
    selector: labelSelectorPath ? dottedPath(labelSelectorPath) : undefined,
  };
}

/** Without a conversion webhook, versions differ only in `apiVersion`. */
function versionView(kind: string, servedApiVersion: string, storedApiVersion: string): VersionView {
  const start = Buffer.from(JSON.stringify({ kind, apiVersion: servedApiVersion }).slice(0, -1));
  return {
    isCurrent: (json) => json.subarray(0, start.length).equals(start),
    fromStored: (object) => ({ ...object, apiVersion: servedApiVersion }),
    toStored: (object) => ({ ...object, apiVersion: storedApiVersion }),
  };
}

/** Converts a JSON path of plain steps, as in columns and selectable fields, to a dotted path. */
function dottedPath(jsonPath: string): string {
  return jsonPath.replace(/^\./, '');
}
