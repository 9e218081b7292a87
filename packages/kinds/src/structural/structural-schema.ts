import type { CelRule } from '@mcr/client';

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
