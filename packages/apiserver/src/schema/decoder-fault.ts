import { timeFault } from '../resources/metadata-types.ts';
import { parseQuantity, QUANTITY_FORMAT } from '../resources/quantity.ts';
import { builtInTypeName } from './built-in-schema.ts';
import { isQuantity } from './built-in/notation.ts';
import type { Schema } from './schema.ts';
import { fieldSchema } from './schema.ts';

/** Fields of the type `MicroTime`. All other times have seconds. */
export const MICRO_TIMES: ReadonlySet<string> = new Set(['acquireTime', 'eventTime', 'lastObservedTime', 'renewTime']);

/** Returns the fault of a value that is neither a schema nor a boolean in a field of a schema that accepts both. */
export function schemaFault(field: string, value: unknown): string | undefined {
  if (field !== 'additionalProperties' && field !== 'additionalItems') return undefined;
  if (typeof value === 'boolean' || (typeof value === 'object' && !Array.isArray(value))) return undefined;
  return 'boolean or JSON schema expected';
}

/**
 * Returns the fault of the first quantity, time or schema that Go's decoder refuses: a type with a decoder of its own ends the
 * decoding, so that its error wins over the wrong types before it.
 */
export function decoderFault(schema: Schema, value: unknown, field = ''): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (isQuantity(schema)) return parseQuantity(value) === undefined ? QUANTITY_FORMAT : undefined;
  if (schema.format === 'date-time' && typeof value === 'string')
    return timeFault(value, MICRO_TIMES.has(field) ? 'micro' : 'any');
  if (Array.isArray(value)) {
    const { items } = schema;
    return items && firstFault(value.map((item) => () => decoderFault(items, item)));
  }
  if (typeof value !== 'object' || (schema.type !== undefined && schema.type !== 'object')) return undefined;
  const isSchema = builtInTypeName(schema)?.startsWith('JSONSchemaProps') === true;
  return firstFault(
    Object.entries(value).map(([name, child]) => () => {
      const known = fieldSchema(schema, name);
      return (isSchema ? schemaFault(name, child) : undefined) ?? (known && decoderFault(known, child, name));
    }),
  );
}

function firstFault(places: readonly (() => string | undefined)[]): string | undefined {
  for (const place of places) {
    const fault = place();
    if (fault !== undefined) return fault;
  }
  return undefined;
}
