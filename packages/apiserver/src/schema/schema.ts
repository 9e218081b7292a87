import * as z from 'zod';

/** A structural schema of a custom kind, or of a built-in kind (API reference, `JSONSchemaProps`). */
export interface Schema {
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean' | undefined;
  readonly format?: string | undefined;
  readonly nullable?: boolean | undefined;
  readonly default?: unknown;
  readonly enum?: readonly unknown[] | undefined;
  readonly pattern?: string | undefined;
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly exclusiveMinimum?: boolean | undefined;
  readonly exclusiveMaximum?: boolean | undefined;
  readonly multipleOf?: number | undefined;
  readonly items?: Schema | undefined;
  readonly minItems?: number | undefined;
  readonly maxItems?: number | undefined;
  readonly properties?: Readonly<Record<string, Schema>> | undefined;
  readonly additionalProperties?: Schema | boolean | undefined;
  readonly minProperties?: number | undefined;
  readonly maxProperties?: number | undefined;
  readonly required?: readonly string[] | undefined;
  readonly allOf?: readonly Schema[] | undefined;
  readonly anyOf?: readonly Schema[] | undefined;
  readonly oneOf?: readonly Schema[] | undefined;
  readonly not?: Schema | undefined;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean | undefined;
  readonly 'x-kubernetes-embedded-resource'?: boolean | undefined;
  readonly 'x-kubernetes-int-or-string'?: boolean | undefined;
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map' | undefined;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[] | undefined;
  readonly 'x-kubernetes-map-type'?: 'atomic' | 'granular' | undefined;
}

const count = z.int().min(0).optional();
const flag = z.boolean().optional();
const many = z.array(z.lazy(() => schemaSchema)).optional();

/**
 * Validates the schema of a definition. Fields that {@link Schema} does not contain, such as descriptions, pass
 * through.
 */
export const schemaSchema: z.ZodType<Schema> = z.looseObject({
  type: z.enum(['object', 'array', 'string', 'integer', 'number', 'boolean']).optional(),
  format: z.string().optional(),
  nullable: flag,
  default: z.unknown().optional(),
  enum: z.array(z.unknown()).optional(),
  pattern: z.string().refine(isPattern, 'must be a valid regular expression').optional(),
  minLength: count,
  maxLength: count,
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  exclusiveMinimum: flag,
  exclusiveMaximum: flag,
  multipleOf: z.number().positive().optional(),
  items: z.lazy(() => schemaSchema).optional(),
  minItems: count,
  maxItems: count,
  properties: z
    .record(
      z.string(),
      z.lazy(() => schemaSchema),
    )
    .optional(),
  additionalProperties: z.union([z.boolean(), z.lazy(() => schemaSchema)]).optional(),
  minProperties: count,
  maxProperties: count,
  required: z.array(z.string()).optional(),
  allOf: many,
  anyOf: many,
  oneOf: many,
  not: z.lazy(() => schemaSchema).optional(),
  'x-kubernetes-preserve-unknown-fields': flag,
  'x-kubernetes-embedded-resource': flag,
  'x-kubernetes-int-or-string': flag,
  'x-kubernetes-list-type': z.enum(['atomic', 'set', 'map']).optional(),
  'x-kubernetes-list-map-keys': z.array(z.string()).optional(),
  'x-kubernetes-map-type': z.enum(['atomic', 'granular']).optional(),
});

function isPattern(text: string): boolean {
  try {
    new RegExp(text, 'u');
    return true;
  } catch {
    return false;
  }
}

/** Returns the schema of a field, or `undefined` if the schema does not define it. */
export function fieldSchema(schema: Schema | undefined, field: string): Schema | undefined {
  if (!schema) return undefined;
  const { properties, additionalProperties } = schema;
  if (properties && Object.hasOwn(properties, field)) return properties[field];
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}
