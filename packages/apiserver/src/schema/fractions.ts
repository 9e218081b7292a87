import type { ObjectIdentity } from '../status.ts';
import { conversionError } from '../status.ts';
import type { JsonObject } from '../storage/stored-object.ts';
import type { Paused, Turn } from '../turn.ts';
import { integerType } from './integer-range.ts';
import type { Schema } from './schema.ts';
import { fieldSchema } from './schema.ts';

/**
 * Refuses numbers with a fraction in integer fields of an applied object, which has passed the check of its types.
 *
 * @param config the configuration, which the error names.
 * @throws {StatusError} 500, as a real server.
 */
export function* requireWholeNumbers(schema: Schema, config: ObjectIdentity, object: object, turn: Turn): Paused<void> {
  const fault = yield* fractionFault(schema, object, turn);
  if (fault !== undefined) throw conversionError(config, fault);
}

/** Returns Go's message if an integer of an object has a fraction, which a conversion to the Go type refuses. */
export function* fractionFault(schema: Schema, object: object, turn: Turn): Paused<string | undefined> {
  return yield* faultIn({ schema, path: '' }, object, turn);
}

interface Place {
  readonly schema: Schema;
  readonly path: string;
}

function* faultIn({ schema, path }: Place, value: unknown, turn: Turn): Paused<string | undefined> {
  if (schema.type === 'integer') {
    const isWhole = typeof value !== 'number' || Number.isInteger(value);
    return isWhole ? undefined : `cannot convert float64 to ${integerType(path)}`;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) {
    const { items } = schema;
    if (!items) return undefined;
    for (const item of value) {
      if (turn.step()) yield* turn.pause();
      const fault = yield* faultIn({ schema: items, path }, item, turn);
      if (fault !== undefined) return fault;
    }
    return undefined;
  }
  for (const field of Object.keys(value)) {
    if (turn.step()) yield* turn.pause();
    const known = fieldSchema(schema, field);
    const place = known && { schema: known, path: `${path}.${field}` };
    const fault = place && (yield* faultIn(place, (value as JsonObject)[field], turn));
    if (fault !== undefined) return fault;
  }
  return undefined;
}
