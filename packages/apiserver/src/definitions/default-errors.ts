import { embeddedResourceErrors } from '../schema/embedded-resource.ts';
import { prune } from '../schema/prune.ts';
import type { Schema } from '../schema/schema.ts';
import { schemaErrors } from '../schema/validate.ts';
import type { FieldError } from '../status.ts';
import { invalidField } from '../status.ts';
import type { JsonSchema } from './json-schema.ts';
import { itemsOf, propertiesOf } from './json-schema.ts';

const META_FIELDS: ReadonlySet<string> = new Set(['metadata', 'apiVersion', 'kind']);

export interface DefaultChecks {
  /** Whether defaults with unknown fields are refused. */
  readonly requirePruned: boolean;
  /** Returns the errors of the rules of a schema in a value. */
  readonly ruleErrors: (schema: JsonSchema, value: unknown, path: string) => FieldError[];
}

/** Returns the errors in the defaults of a schema: each must be valid in its own schema. */
export function defaultErrors(schema: JsonSchema, path: string, checks: DefaultChecks): FieldError[] {
  return errorsWithin({ ...schema, 'x-kubernetes-embedded-resource': true }, path, false, checks);
}

function errorsWithin(schema: JsonSchema, path: string, insideMeta: boolean, checks: DefaultChecks): FieldError[] {
  const embedded = schema['x-kubernetes-embedded-resource'] === true;
  const inMeta = insideMeta && !embedded;
  const errors = schema.default === undefined ? [] : ownErrors(schema, path, inMeta, checks);
  const items = itemsOf(schema);
  if (items) errors.push(...errorsWithin(items, `${path}.items`, inMeta, checks));
  for (const [name, property] of propertiesOf(schema)) {
    const propertyInMeta = inMeta || (embedded && META_FIELDS.has(name));
    errors.push(...errorsWithin(property, `${path}.properties[${name}]`, propertyInMeta, checks));
  }
  return errors;
}

function ownErrors(schema: JsonSchema, path: string, inMeta: boolean, checks: DefaultChecks): FieldError[] {
  const at = `${path}.default`;
  const value = schema.default;
  // The types of the fields were checked when the definition was decoded.
  const structural = schema as Schema;
  const errors: FieldError[] = [];
  if (!inMeta) {
    const unknown = prune(structural, structuredClone(value));
    if (checks.requirePruned && unknown.length > 0) {
      errors.push(invalidField(at, value, 'must not have unknown fields'));
    }
    const resource = embeddedResourceErrors(structural, value, at);
    if (resource.length > 0) return [...errors, ...resource];
  }
  const invalid = schemaErrors(withoutIntOrString(structural), value, { formats: 'all' }).map((error) => ({
    ...error,
    field: error.field === '' ? at : `${at}.${error.field}`,
  }));
  if (invalid.length > 0) return [...errors, ...invalid];
  return [...errors, ...checks.ruleErrors(schema, value, at)];
}

/** The real server does not check the type of a default for a number or text. */
function withoutIntOrString(schema: Schema): Schema {
  const { 'x-kubernetes-int-or-string': _, ...rest } = schema;
  return rest;
}
