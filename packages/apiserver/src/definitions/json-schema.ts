/** A `JSONSchemaProps` of `apiextensions.k8s.io/v1`, with the fields that only serve to be refused. */
export interface JsonSchema {
  readonly id?: string;
  readonly $ref?: string;
  readonly $schema?: string;
  readonly description?: string;
  readonly title?: string;
  readonly type?: string;
  readonly format?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly uniqueItems?: boolean;
  readonly nullable?: boolean;
  readonly required?: readonly string[];
  readonly items?: JsonSchema | readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly allOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly not?: JsonSchema;
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>;
  readonly dependencies?: Readonly<Record<string, unknown>>;
  readonly definitions?: Readonly<Record<string, JsonSchema>>;
  readonly additionalItems?: JsonSchema | boolean;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: string;
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[];
}

/** A rule of `x-kubernetes-validations`. */
export interface ValidationRule {
  readonly rule?: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
}

/** Returns the schema of list items; `undefined` for a list of schemas, which is refused elsewhere. */
export function itemsOf({ items }: JsonSchema): JsonSchema | undefined {
  return items === undefined || isSchemaList(items) ? undefined : items;
}

export function isSchemaList(items: JsonSchema | readonly JsonSchema[]): items is readonly JsonSchema[] {
  return Array.isArray(items);
}

/** Returns the schema of additional properties; `undefined` for none and for a boolean. */
export function additionalOf({ additionalProperties }: JsonSchema): JsonSchema | undefined {
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}

/** Returns the properties of a schema, sorted by name. */
export function propertiesOf({ properties = {} }: JsonSchema): [name: string, schema: JsonSchema][] {
  return Object.entries(properties).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Reports whether a schema or a schema within it satisfies a predicate. */
export function someSchema(schema: JsonSchema | undefined, predicate: (schema: JsonSchema) => boolean): boolean {
  if (!schema) return false;
  if (predicate(schema)) return true;
  return childrenOf(schema).some((child) => someSchema(child, predicate));
}

/**
 * Reports whether a schema has the form in which kube-apiserver judges structural schemas: without unsupported fields. (Upstream:
 * `validateUnsupportedFields` of apiextensions-apiserver.)
 */
export function isConvertible(schema: JsonSchema): boolean {
  return !someSchema(
    schema,
    ({ id, $ref, $schema, patternProperties = {}, dependencies = {}, definitions = {}, additionalItems, items }) =>
      Boolean(id) ||
      Boolean($ref) ||
      Boolean($schema) ||
      additionalItems !== undefined ||
      (items !== undefined && isSchemaList(items) && items.length > 0) ||
      [patternProperties, dependencies, definitions].some((map) => Object.keys(map).length > 0),
  );
}

function childrenOf(schema: JsonSchema): JsonSchema[] {
  const { items, properties, allOf = [], anyOf = [], oneOf = [], not, patternProperties, definitions } = schema;
  return [
    ...(items === undefined ? [] : isSchemaList(items) ? items : [items]),
    ...Object.values(properties ?? {}),
    ...Object.values(patternProperties ?? {}),
    ...Object.values(definitions ?? {}),
    ...allOf,
    ...anyOf,
    ...oneOf,
    ...[not, additionalOf(schema)].flatMap((child) => child ?? []),
  ];
}
