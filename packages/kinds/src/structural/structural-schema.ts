/** A rule in CEL that the server evaluates (API reference: `ValidationRule`). */
export interface CelRule {
  /** The expression. `self` is the value that has the rule, `oldSelf` its previous value. */
  readonly rule: string;
  /** Error message, at most 2,048 bytes. Required if the rule has line breaks. */
  readonly message?: string;
  /** Expression that returns the error message. */
  readonly messageExpression?: string;
  readonly reason?: 'FieldValueInvalid' | 'FieldValueForbidden' | 'FieldValueRequired' | 'FieldValueDuplicate';
  /** Path of the field that the error names, relative to the value, such as `.replicas`. */
  readonly fieldPath?: string;
  /** Whether a rule with `oldSelf` also applies when there is no previous value. */
  readonly optionalOldSelf?: boolean;
}

/**
 * Properties of a schema for Kubernetes, beyond its type. Set it with `.meta()` of zod. It is not an interface, because `.meta()`
 * takes types with an index signature only.
 */
export type KubernetesMeta = {
  'x-kubernetes-validations'?: readonly CelRule[];
  'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
  'x-kubernetes-list-map-keys'?: readonly string[];
  'x-kubernetes-map-type'?: 'atomic' | 'granular';
  'x-kubernetes-int-or-string'?: true;
  'x-kubernetes-preserve-unknown-fields'?: true;
  'x-kubernetes-embedded-resource'?: true;
};

/** A structural schema of a CustomResourceDefinition (API reference: `JSONSchemaProps`). */
export interface StructuralSchema extends KubernetesMeta {
  type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  title?: string;
  description?: string;
  format?: string;
  nullable?: true;
  default?: unknown;
  enum?: unknown[];
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  exclusiveMinimum?: true;
  maximum?: number;
  exclusiveMaximum?: true;
  multipleOf?: number;
  items?: StructuralSchema;
  minItems?: number;
  maxItems?: number;
  properties?: Record<string, StructuralSchema>;
  additionalProperties?: StructuralSchema;
  minProperties?: number;
  maxProperties?: number;
  required?: string[];
  allOf?: StructuralSchema[];
  anyOf?: StructuralSchema[];
  oneOf?: StructuralSchema[];
  not?: StructuralSchema;
  example?: unknown;
  externalDocs?: { description?: string; url?: string };
}

/** Keywords of a structural schema. `undefined` removes one. */
export type ServerKeywords = { readonly [K in keyof StructuralSchema]?: StructuralSchema[K] | undefined };
