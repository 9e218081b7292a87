/** A rule in CEL (API reference: `ValidationRule`). */
export interface CrdRule {
  readonly rule: string;
  readonly optionalOldSelf?: boolean;
}

/** The keywords of a structural schema that are compared (API reference: `JSONSchemaProps`). */
export interface StructuralSchema {
  readonly type?: string;
  readonly nullable?: boolean;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, StructuralSchema>>;
  readonly additionalProperties?: StructuralSchema | boolean;
  readonly items?: StructuralSchema;
  readonly required?: readonly string[];
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly maximum?: number;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly allOf?: readonly StructuralSchema[];
  readonly anyOf?: readonly StructuralSchema[];
  readonly oneOf?: readonly StructuralSchema[];
  readonly not?: StructuralSchema;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-validations'?: readonly CrdRule[];
}

/** The schema of a value that API servers neither check nor prune. */
export const ANY_VALUE: StructuralSchema = { 'x-kubernetes-preserve-unknown-fields': true };

/** Returns the schema of a field that `properties` defines. Objects inherit names such as `constructor`, which do not count. */
export function propertyOf({ properties }: StructuralSchema, name: string): StructuralSchema | undefined {
  return properties && Object.hasOwn(properties, name) ? properties[name] : undefined;
}

/** Whether API servers keep fields that the schema does not define, and everything in them. */
export function keepsUnknownFields(schema: StructuralSchema): boolean {
  return schema['x-kubernetes-preserve-unknown-fields'] === true;
}

/** `additionalProperties: true` allows values of any type. API servers drop the fields of objects in them. */
const ANY_TYPE: StructuralSchema = {};

/** Returns the schema of a field that `properties` does not define; `undefined` if API servers drop it. */
export function otherFieldsOf(schema: StructuralSchema): StructuralSchema | undefined {
  if (typeof schema.additionalProperties === 'object') return schema.additionalProperties;
  if (keepsUnknownFields(schema)) return ANY_VALUE;
  return schema.additionalProperties ? ANY_TYPE : undefined;
}
