import type { FieldError } from '../status.ts';
import { requiredField } from '../status.ts';
import type { JsonSchema } from './json-schema.ts';
import { itemsOf, propertiesOf } from './json-schema.ts';

/**
 * Returns an error for every field and list that a logical combinator validates and the structural part of the schema
 * does not specify. (Upstream: `pkg/apiserver/schema/complete.go` of apiextensions-apiserver.)
 */
export function completenessErrors(schema: JsonSchema, path: string): FieldError[] {
  return combinedErrors(schema, { schema, path }, path);
}

/** The structural schema of a value that a combinator validates. */
interface Spine {
  readonly schema: JsonSchema | undefined;
  readonly path: string;
}

function combinedErrors(
  { not, allOf = [], anyOf = [], oneOf = [] }: JsonSchema,
  spine: Spine,
  path: string,
): FieldError[] {
  const list = (field: string, all: readonly JsonSchema[]): FieldError[] =>
    all.flatMap((one, index) => nestedErrors(one, spine, `${path}.${field}[${index}]`));
  return [
    ...(not ? nestedErrors(not, spine, `${path}.not`) : []),
    ...list('allOf', allOf),
    ...list('anyOf', anyOf),
    ...list('oneOf', oneOf),
  ];
}

function nestedErrors(nested: JsonSchema, spine: Spine, path: string): FieldError[] {
  if (!spine.schema) return [requiredField(spine.path, `because it is defined in ${path}`)];
  const { schema } = spine;
  const errors = combinedErrors(nested, spine, path);
  const items = itemsOf(nested);
  if (items) {
    errors.push(...nestedErrors(items, { schema: itemsOf(schema), path: `${spine.path}.items` }, `${path}.items`));
  }
  for (const [name, property] of propertiesOf(nested)) {
    const known = schema.properties && Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
    const place = { schema: known, path: `${spine.path}.properties[${name}]` };
    errors.push(...nestedErrors(property, place, `${path}.properties[${name}]`));
  }
  return errors;
}
