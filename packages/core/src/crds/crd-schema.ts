import type { CelRule } from '@mcr/client';
import { ownField } from '@mcr/client';

/** The parts of a rule that are compared. */
export type ServedRule = Pick<CelRule, 'rule' | 'optionalOldSelf'>;

/** The keywords of a structural schema that are compared, as an API server serves them (API reference: `JSONSchemaProps`). */
export interface ServedSchema {
  readonly type?: string;
  readonly nullable?: boolean;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, ServedSchema>>;
  readonly additionalProperties?: ServedSchema | boolean;
  readonly items?: ServedSchema;
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
  readonly allOf?: readonly ServedSchema[];
  readonly anyOf?: readonly ServedSchema[];
  readonly oneOf?: readonly ServedSchema[];
  readonly not?: ServedSchema;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-validations'?: readonly ServedRule[];
}

/** The schema of a value that API servers neither check nor prune. */
export const ANY_VALUE: ServedSchema = { 'x-kubernetes-preserve-unknown-fields': true };

/** Returns the schema of a field that `properties` defines. Objects inherit names such as `constructor`, which do not count. */
export function propertyOf({ properties }: ServedSchema, name: string): ServedSchema | undefined {
  return properties && ownField(properties, name);
}

/** Whether API servers keep fields that the schema does not define, and everything in them. */
export function keepsUnknownFields(schema: ServedSchema): boolean {
  return schema['x-kubernetes-preserve-unknown-fields'] === true;
}

/** `additionalProperties: true` allows values of any type. API servers drop the fields of objects in them. */
const ANY_TYPE: ServedSchema = {};

/** Returns the schema of a field that `properties` does not define; `undefined` if API servers drop it. */
export function otherFieldsOf(schema: ServedSchema): ServedSchema | undefined {
  if (typeof schema.additionalProperties === 'object') return schema.additionalProperties;
  if (keepsUnknownFields(schema)) return ANY_VALUE;
  return schema.additionalProperties ? ANY_TYPE : undefined;
}
