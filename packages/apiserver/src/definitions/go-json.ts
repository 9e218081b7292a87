import type { DefinitionVersion, PrinterColumn } from './definition.ts';
import { emptyCollection } from '../schema/empty-collections.ts';
import type { JsonSchema, ValidationRule } from './json-schema.ts';
import { isSchemaList } from './json-schema.ts';

/* Values in errors are in the internal form of kube-apiserver, whose Go types have no JSON names. */

/** Escapes text as Go's `encoding/json` does, to be embedded in HTML. */
export function goJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[<>&\u2028\u2029]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

export function internalRule(rule: ValidationRule): object {
  return {
    Rule: rule.rule ?? '',
    Message: rule.message ?? '',
    MessageExpression: rule.messageExpression ?? '',
    Reason: rule.reason ?? null,
    FieldPath: rule.fieldPath ?? '',
    OptionalOldSelf: rule.optionalOldSelf ?? null,
  };
}

export function internalVersion(version: DefinitionVersion): object {
  const { schema, subresources, additionalPrinterColumns, selectableFields } = version;
  return {
    Name: version.name ?? '',
    Served: version.served ?? false,
    Storage: version.storage ?? false,
    Deprecated: version.deprecated ?? false,
    DeprecationWarning: version.deprecationWarning ?? null,
    Schema: schema ? { OpenAPIV3Schema: schema.openAPIV3Schema ? internalSchema(schema.openAPIV3Schema) : null } : null,
    Subresources: subresources
      ? {
          Status: subresources.status ? {} : null,
          Scale: subresources.scale ? internalScale(subresources.scale) : null,
        }
      : null,
    AdditionalPrinterColumns: additionalPrinterColumns?.map(internalColumn) ?? null,
    SelectableFields: selectableFields?.map(({ jsonPath }) => ({ JSONPath: jsonPath ?? '' })) ?? null,
  };
}

function internalScale(scale: {
  readonly specReplicasPath?: string;
  readonly statusReplicasPath?: string;
  readonly labelSelectorPath?: string;
}): object {
  return {
    SpecReplicasPath: scale.specReplicasPath ?? '',
    StatusReplicasPath: scale.statusReplicasPath ?? '',
    LabelSelectorPath: scale.labelSelectorPath ?? null,
  };
}

function internalColumn(column: PrinterColumn): object {
  return {
    Name: column.name ?? '',
    Type: column.type ?? '',
    Format: column.format ?? '',
    Description: column.description ?? '',
    Priority: column.priority ?? 0,
    JSONPath: column.jsonPath ?? '',
  };
}

export function internalSchema(schema: JsonSchema): object {
  const fields = schema as Readonly<Record<string, unknown>>;
  const text = (name: string): unknown => fields[name] ?? '';
  const flag = (name: string): unknown => fields[name] ?? false;
  const other = (name: string): unknown => fields[name] ?? null;
  const list = (all: readonly JsonSchema[] | undefined): unknown => all?.map(internalSchema) ?? null;
  const orBool = (child: JsonSchema | boolean | undefined): unknown => {
    if (child === undefined) return null;
    return typeof child === 'boolean'
      ? { Allows: child, Schema: null }
      : { Allows: true, Schema: internalSchema(child) };
  };
  const rules = schema['x-kubernetes-validations'];
  return {
    ID: text('id'),
    Schema: text('$schema'),
    Ref: other('$ref'),
    Description: text('description'),
    Type: text('type'),
    Nullable: flag('nullable'),
    Format: text('format'),
    Title: text('title'),
    Default: other('default'),
    Maximum: other('maximum'),
    ExclusiveMaximum: flag('exclusiveMaximum'),
    Minimum: other('minimum'),
    ExclusiveMinimum: flag('exclusiveMinimum'),
    MaxLength: other('maxLength'),
    MinLength: other('minLength'),
    Pattern: text('pattern'),
    MaxItems: other('maxItems'),
    MinItems: other('minItems'),
    UniqueItems: flag('uniqueItems'),
    MultipleOf: other('multipleOf'),
    Enum: other('enum'),
    MaxProperties: other('maxProperties'),
    MinProperties: other('minProperties'),
    Required: other('required'),
    Items: internalItems(schema),
    AllOf: list(schema.allOf),
    OneOf: list(schema.oneOf),
    AnyOf: list(schema.anyOf),
    Not: schema.not ? internalSchema(schema.not) : null,
    Properties: internalMap(schema.properties),
    AdditionalProperties: orBool(schema.additionalProperties),
    PatternProperties: internalMap(schema.patternProperties),
    Dependencies: other('dependencies'),
    AdditionalItems: orBool(schema.additionalItems),
    Definitions: internalMap(schema.definitions),
    ExternalDocs: other('externalDocs'),
    Example: other('example'),
    XPreserveUnknownFields: other('x-kubernetes-preserve-unknown-fields'),
    XEmbeddedResource: flag('x-kubernetes-embedded-resource'),
    XIntOrString: flag('x-kubernetes-int-or-string'),
    XListMapKeys: other('x-kubernetes-list-map-keys'),
    XListType: other('x-kubernetes-list-type'),
    XMapType: other('x-kubernetes-map-type'),
    XValidations: rules?.map(internalRule) ?? null,
  };
}

/** Returns the items of a list as Go prints them; `null` if there are none. */
export function internalItems(schema: JsonSchema): object | null {
  const { items } = schema;
  if (items === undefined) {
    const sent = emptyCollection(schema, 'items');
    return sent ? { Schema: null, JSONSchemas: Array.isArray(sent) ? [] : null } : null;
  }
  return isSchemaList(items)
    ? { Schema: null, JSONSchemas: items.map(internalSchema) }
    : { Schema: internalSchema(items), JSONSchemas: null };
}

function internalMap(schemas: Readonly<Record<string, JsonSchema>> | undefined): object | null {
  if (!schemas) return null;
  const entries = Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, schema]) => [name, internalSchema(schema)]));
}
