import { isDeepStrictEqual } from 'node:util';
import type { DefinitionSpec, DefinitionVersion, Subresources } from '../definitions/definition.ts';
import { specOf } from '../definitions/definition.ts';
import { specErrors } from '../definitions/spec-errors.ts';
import { statusErrors } from '../definitions/status-errors.ts';
import { unrecognizedFormats } from '../definitions/unrecognized-formats.ts';
import { objectSchema } from '../schema/built-in-schema.ts';
import { applyDefaults } from '../schema/defaults.ts';
import { dropNulls } from '../schema/drop-nulls.ts';
import { coerceEmbedded, MistypedResource, tidyEmbedded } from './coerce-embedded.ts';
import { prune } from '../schema/prune.ts';
import type { Schema } from '../schema/schema.ts';
import type { FieldError } from '../status.ts';
import { StatusError } from '../status.ts';
import type { ApiObject, JsonObject } from '../storage/stored-object.ts';
import { apiApprovalErrors } from './api-approval.ts';
import { ageColumn, nameColumn } from './columns.ts';
import { customObjectErrors } from './custom-object-errors.ts';
import { definedColumn } from './defined-column.ts';
import { definitionNameErrors } from './definition-name.ts';
import { WebhookConversion } from '../webhooks/conversion.ts';
import type { WebhookClient } from '../webhooks/webhook-client.ts';
import type { Change, Conversion, ResourceType, ScalePaths, VersionView } from './resource-type.ts';
import { apiVersionOf, valueAt } from './resource-type.ts';

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
  for (const version of versions) {
    // Go writes these even if they are not set.
    for (const field of ['served', 'storage'] as const) (version as JsonObject)[field] ??= false;
  }
  const stored = versions.find(({ storage }) => storage);
  const before = (previous?.['status'] ?? { conditions: null, acceptedNames: { plural: '', kind: '' } }) as JsonObject;
  const storedVersions = new Set([
    ...((before['storedVersions'] as string[] | undefined) ?? []),
    ...(stored ? [stored.name ?? ''] : []),
  ]);
  object['status'] = { ...before, storedVersions: [...storedVersions] };
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
  const errors = [
    ...(previous ? [] : definitionNameErrors(object)),
    ...specErrors(change),
    ...statusErrors(object, 'object'),
    ...apiApprovalErrors(group, change),
    ...preservationErrors(spec, previous),
  ];
  // Only valid definitions get warnings.
  if (errors.length > 0) return errors;
  for (const format of unrecognizedFormats(spec)) {
    if (!known.includes(format)) warn?.(`unrecognized format ${JSON.stringify(format)}`);
  }
  return errors;
}

function preservationErrors({ preserveUnknownFields }: DefinitionSpec, previous: ApiObject | undefined): FieldError[] {
  if (!preserveUnknownFields || (previous && specOf(previous).preserveUnknownFields)) return [];
  const message =
    'Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead';
  return [{ reason: 'FieldValueInvalid', field: 'spec.preserveUnknownFields', message }];
}

/** Returns the kinds of a valid definition: one for each served version. */
export function definedTypes(definition: ApiObject, webhooks: WebhookClient): ResourceType[] {
  const spec = specOf(definition);
  const { versions = [], group = '' } = spec;
  const stored = versions.find(({ storage }) => storage);
  const storedApiVersion = `${group}/${stored?.name ?? ''}`;
  const types = versions
    .filter(({ served, storage }) => served === true || storage === true)
    .map((served) => definedType(spec, served, storedApiVersion));
  if (spec.conversion?.strategy !== 'Webhook') return types;
  const schemas = new Map(versions.map(({ name = '', schema }) => [`${group}/${name}`, schemaOf(schema)]));
  const webhook = new WebhookConversion(webhooks, spec, schemas);
  return types.map((type) => convertedType(type, webhook, storedApiVersion));
}

function schemaOf(schema: DefinitionVersion['schema']): Schema {
  return objectSchema(declaredIn(schema));
}

/** The definition was judged when it was written. */
function declaredIn(schema: DefinitionVersion['schema']): Schema {
  return (schema?.openAPIV3Schema ?? OPEN) as Schema;
}

/** Returns a type whose objects a webhook converts. */
function convertedType(type: ResourceType, webhook: WebhookConversion, storedApiVersion: string): ResourceType {
  const { kind } = type;
  const apiVersion = apiVersionOf(type);
  const own = startOf(kind, apiVersion);
  const stored = startOf(kind, storedApiVersion);
  const startsWith = (json: Buffer, start: Buffer): boolean => json.subarray(0, start.length).equals(start);
  const conversion: Conversion = {
    isIdentity: apiVersion === storedApiVersion,
    isCurrent: (json) => startsWith(json, own),
    isStored: (json) => startsWith(json, stored),
    fromStored: (objects) => webhook.convert(objects, apiVersion),
    async toStored(object) {
      const [converted = object] = await webhook.convert([object], storedApiVersion);
      return converted;
    },
    cache: new WeakMap(),
  };
  return { ...type, view: undefined, conversion };
}

/** Returns the warning of a deprecated version. */
function deprecationOf({ deprecated, deprecationWarning }: DefinitionVersion, kind: string): string | undefined {
  return deprecated ? (deprecationWarning ?? `${kind} is deprecated`) : undefined;
}

function definedType(spec: DefinitionSpec, served: DefinitionVersion, storedApiVersion: string): ResourceType {
  const { group = '', names = {}, scope } = spec;
  const { kind = '', plural = '', singular = kind.toLowerCase(), shortNames = [], categories = [] } = names;
  const { name: version = '', subresources, selectableFields = [], additionalPrinterColumns } = served;
  const declared = declaredIn(served.schema);
  const schema = objectSchema(declared);
  const scale = scalePaths(subresources);
  const storedDeclared = declaredIn(spec.versions?.find(({ storage }) => storage)?.schema);
  const storedSchema = objectSchema(storedDeclared);
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
    fieldLabels: undefined,
    fields: Object.fromEntries(
      selectableFields.map(({ jsonPath = '' }) => [dottedPath(jsonPath), dottedPath(jsonPath)]),
    ),
    immutable: [],
    columns: [
      nameColumn,
      ...(additionalPrinterColumns?.map(definedColumn) ?? [{ ...ageColumn, type: 'date' as const }]),
    ],
    schema,
    scale,
    prepare({ object }) {
      if (object.kind === kind) applyDefaults(schema, object);
    },
    placesMetadataErrors: true,
    validate: undefined,
    judge: (change) => customObjectErrors({ kind, schema: declared, scale }, change),
    admit: undefined,
    settle(object: ApiObject) {
      if (served.storage === true) {
        tidyEmbedded(storedDeclared, object);
        // The status of a new object is dropped, and its default is set when the object is read.
        return subresources?.status !== undefined && isNew(object) && object['status'] !== undefined;
      }
      prune(storedSchema, object);
      dropNulls(storedDeclared, object);
      requireEmbedded(storedSchema, object);
      const before = JSON.stringify(object);
      applyDefaults(storedSchema, object);
      return JSON.stringify(object) !== before;
    },
    review: undefined,
    view: versionView(kind, schema, `${group}/${version}`, storedApiVersion),
    storesVersion: served.storage === true,
    served: served.served === true,
  };
}

function isNew({ metadata }: ApiObject): boolean {
  return !metadata.resourceVersion;
}

/** @throws {StatusError} 500 if an object cannot be converted to the stored version: there, metadata has a wrong type. */
function requireEmbedded(schema: Schema, object: ApiObject): void {
  try {
    coerceEmbedded(schema, object);
  } catch (error) {
    throw error instanceof MistypedResource ? new StatusError(500, undefined, error.message) : error;
  }
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

/** Without a conversion webhook, versions differ only in `apiVersion`, and in the fields that their schemas have. */
function versionView(kind: string, schema: Schema, servedApiVersion: string, storedApiVersion: string): VersionView {
  const start = startOf(kind, servedApiVersion);
  return {
    isCurrent: (json) => json.subarray(0, start.length).equals(start),
    fromStored(object) {
      if (servedApiVersion === storedApiVersion) return { ...object, apiVersion: servedApiVersion };
      const shown = { ...structuredClone(object), apiVersion: servedApiVersion };
      prune(schema, shown);
      return shown;
    },
    toStored: (object) => ({ ...object, apiVersion: storedApiVersion }),
  };
}

/** Returns how the JSON of a stored object starts. */
function startOf(kind: string, apiVersion: string): Buffer {
  return Buffer.from(JSON.stringify({ kind, apiVersion }).slice(0, -1));
}

/** Converts a JSON path of plain steps, as in columns and selectable fields, to a dotted path. */
function dottedPath(jsonPath: string): string {
  return jsonPath.replace(/^\./, '');
}
